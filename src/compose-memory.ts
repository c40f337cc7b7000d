/** The part of the composition root that chooses who keeps memory: the rules, or a model. */
import type { Controller } from './core/evolve/controller.ts';
import { boxConventionOf, type BoxConvention } from './core/evolve/model/box-convention.ts';
import { makeModelController } from './core/evolve/model-controller.ts';
import { rulesController } from './core/evolve/rules-controller.ts';
import { makeModelOrganizer } from './core/organize/model-organizer.ts';
import type { Organizer } from './core/organize/organizer.ts';
import { rulesOrganizer } from './core/organize/rules-organizer.ts';
import type { LanguageEntry } from './core/models/model-entry.ts';
import type { RunConfig } from './core/run.ts';
import type { Endpoint } from './state/settings-ports.ts';

/** A model that can keep memory. */
export interface MemoryModel {
  /** As people read it. */
  readonly label: string;
  /** Its name: part of every operation's actor. */
  readonly model: string;
  readonly seesImages: boolean;
  /** How it writes boxes. */
  readonly boxes: BoxConvention;
  /** The longest side of an image as it is sent, in pixels. */
  readonly longestSidePx: number;
}

/** An endpoint's model by its name there, which the endpoint may have been set from since. */
export function memoryByEndpoint(
  { imageSupport, maxImageSidePx: longestSidePx }: Endpoint,
  model: string,
): MemoryModel {
  const seesImages = imageSupport !== 'no';
  return { label: model, model, seesImages, boxes: boxConventionOf(model), longestSidePx };
}

/** A model that is not there any more: its first call says so. */
export function unknownMemory(model: string): MemoryModel {
  return { label: model, model, seesImages: false, boxes: 'fraction', longestSidePx: 1 };
}

/** A model on this device. */
export function memoryByEntry({ id, name, language: { images } }: LanguageEntry): MemoryModel {
  return {
    label: name,
    model: id,
    seesImages: images !== null,
    boxes: images?.boxes ?? 'fraction',
    longestSidePx: images?.longestSidePx ?? 1,
  };
}

/** The controller by a model; null: the rules. */
export function controllerOf(model: MemoryModel | null, { temperature }: RunConfig): Controller {
  if (model === null) return rulesController;
  const { label, seesImages: images, boxes, longestSidePx } = model;
  return makeModelController({ label, images, boxes, longestSidePx, temperature, fallback: true });
}

/** The organizer by a model; null: the rules. */
export function organizerOf(
  model: MemoryModel | null,
  { temperature }: Pick<RunConfig, 'temperature'>,
): Organizer {
  if (model === null) return rulesOrganizer;
  const { label, seesImages: images } = model;
  const asked = { temperature, repair: true, fallback: true };
  return makeModelOrganizer({ id: `model ${model.model}`, label, images, ...asked });
}
