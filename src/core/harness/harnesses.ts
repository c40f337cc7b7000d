import { direct } from './direct.ts';
import type { Harness } from './harness.ts';
import { team } from './team.ts';
import type { RunConfig } from '../run.ts';

/** Every harness there is, by id. */
export const HARNESSES: Readonly<Record<RunConfig['harness'], Harness>> = { team, direct };
