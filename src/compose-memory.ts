/** The part of the composition root that chooses who keeps memory: the rules, or a run's own model. */
import type { Controller } from './core/evolve/controller.ts';
import { boxConventionOf } from './core/evolve/model/box-convention.ts';
import { makeModelController } from './core/evolve/model-controller.ts';
import { rulesController } from './core/evolve/rules-controller.ts';
import { makeModelOrganizer } from './core/organize/model-organizer.ts';
import type { Organizer } from './core/organize/organizer.ts';
import { rulesOrganizer } from './core/organize/rules-organizer.ts';
import type { RunConfig } from './core/run.ts';

/** What a model can do with images. */
export interface MemoryModel {
  readonly imageSupport: 'yes' | 'no' | 'unknown';
  /** The longest side of an image as it is sent, in pixels. */
  readonly maxImageSidePx: number;
}

/** The controller of a run. `model` is its backbone; undefined where that keeps no memory. */
export function controllerOf(config: RunConfig, model: MemoryModel | undefined): Controller {
  if (config.controller !== 'model' || model === undefined) return rulesController;
  return makeModelController({
    label: config.model,
    images: model.imageSupport !== 'no',
    boxes: boxConventionOf(config.model),
    longestSidePx: model.maxImageSidePx,
    temperature: config.temperature,
    fallback: true,
  });
}

/** Who selects for a run among what was recalled. */
export function organizerOf(config: RunConfig, model: MemoryModel | undefined): Organizer {
  if (config.organizer !== 'model' || model === undefined) return rulesOrganizer;
  return makeModelOrganizer({
    id: `model ${config.model}`,
    label: config.model,
    images: model.imageSupport !== 'no',
    temperature: config.temperature,
    repair: true,
    fallback: true,
  });
}
