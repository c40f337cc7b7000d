import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
