import file from '../../models/registry.json';
import { registrySchema, type ModelEntry } from '../core/models/model-entry.ts';

/** The models that Grove knows (models/README.md). */
export const REGISTRY: readonly ModelEntry[] = registrySchema.parse(file).models;
