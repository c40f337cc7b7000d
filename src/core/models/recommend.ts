import { byteSize } from './byte-size.ts';
import { deviceOf, hasUsableGpu, memoryForModels, type DeviceFacts } from './device-facts.ts';
import type { LanguageEntry } from './model-entry.ts';

/** A set-up of the roles that keep memory, and why it is the one to take here. */
export interface Recommendation {
  /** "Qwen3.5-2B for controller and organizer". */
  readonly title: string;
  /** Whole sentences, the most telling first. */
  readonly reasons: readonly string[];
  /** null: the rules serve both roles. */
  readonly model: LanguageEntry | null;
  /** As a run's set-up names them: `rules`, or `local:<model id>`. */
  readonly controller: string;
  readonly organizer: string;
  /** Of the model's files, in bytes. */
  readonly bytesInAll: number;
  readonly bytesToCome: number;
}

/** On the processor, what is larger takes minutes a step. */
const PROCESSOR_MOST_BYTES = 1_000_000_000;

/**
 * What to take on this device. `models` come in the order of preference, as in the registry; `missing`
 * tells how many bytes of one still have to come, 0 where it is here. One that sees images is taken
 * before one that does not, since it serves the controller, too; the GPU before the browser's own model,
 * and that before the processor.
 */
export function recommend(
  facts: DeviceFacts,
  models: readonly LanguageEntry[],
  missing: (model: LanguageEntry) => number,
): Recommendation {
  const room = memoryForModels(facts);
  const free = facts.storage.allowedBytes - facts.storage.usedBytes;
  const fits = (model: LanguageEntry) => model.memoryBytes <= room && missing(model) <= free;
  const onGpu = models.filter((model) => deviceOf(model, facts) === 'webgpu');
  const vision = onGpu.filter(seesImages);
  const chosen = vision.find(fits) ?? onGpu.find(fits);
  if (chosen !== undefined) {
    const [wished] = vision.length > 0 ? vision : onGpu;
    const why = wished === undefined || wished === chosen ? null : { wished, room };
    return onTheGpu(chosen, missing(chosen), why && whySmaller(why, missing(why.wished)));
  }
  const own = models.find((model) => deviceOf(model, facts) === 'browser');
  if (own !== undefined && facts.promptApi === 'ready') return onTheBrowser(own);
  const [small] = models
    .filter((model) => deviceOf(model, facts) === 'wasm' && fits(model))
    .filter(({ approximateBytes }) => approximateBytes <= PROCESSOR_MOST_BYTES)
    .sort((a, b) => a.approximateBytes - b.approximateBytes);
  return small === undefined ? rulesOnly(facts) : onTheProcessor(small, missing(small));
}

function seesImages({ roles }: LanguageEntry): boolean {
  return roles.includes('vision');
}

function onTheGpu(
  model: LanguageEntry,
  bytesToCome: number,
  whyNotLarger: string | null,
): Recommendation {
  const both = seesImages(model);
  return {
    title: `${model.name} for ${both ? 'controller and organizer' : 'the organizer'}`,
    reasons: [
      both
        ? 'One model serves both roles, images included, so that memory holds it.'
        : 'It sees no images, so the controller stays on rules.',
      ...(whyNotLarger === null ? [] : [whyNotLarger]),
      'Solving stays on an endpoint or simulated.',
    ],
    model,
    controller: both ? `local:${model.id}` : 'rules',
    organizer: `local:${model.id}`,
    bytesInAll: model.approximateBytes,
    bytesToCome,
  };
}

function whySmaller(
  { wished, room }: { readonly wished: LanguageEntry; readonly room: number },
  missing: number,
): string {
  return wished.memoryBytes > room
    ? `${wished.name} would take more memory than this device should give.`
    : `${wished.name} would take ${byteSize(missing)} of storage, more than is free.`;
}

function onTheBrowser(model: LanguageEntry): Recommendation {
  const both = seesImages(model);
  return {
    title: `${model.name} for ${both ? 'controller and organizer' : 'the organizer'}`,
    reasons: [
      'The browser brings it along, so that nothing is downloaded by Grove.',
      'Solving stays on an endpoint or simulated.',
    ],
    model,
    controller: both ? `local:${model.id}` : 'rules',
    organizer: `local:${model.id}`,
    bytesInAll: 0,
    bytesToCome: 0,
  };
}

function onTheProcessor(model: LanguageEntry, bytesToCome: number): Recommendation {
  return {
    title: `Rules, and ${model.name} for the organizer if you have time`,
    reasons: [
      'Without a fit GPU it runs on the processor, slowly: a step can take a minute.',
      'Rules keep memory at once and need no model; an endpoint is the fast way to one.',
    ],
    model,
    controller: 'rules',
    organizer: `local:${model.id}`,
    bytesInAll: model.approximateBytes,
    bytesToCome,
  };
}

function rulesOnly(facts: DeviceFacts): Recommendation {
  return {
    title: 'Rules only, or an endpoint',
    reasons: [
      hasUsableGpu(facts)
        ? 'No model that Grove knows fits this device’s GPU, memory and storage.'
        : 'No model that Grove knows runs well here without a GPU.',
      'Rules keep memory at once and need no model. An endpoint’s model can keep it, too.',
    ],
    model: null,
    controller: 'rules',
    organizer: 'rules',
    bytesInAll: 0,
    bytesToCome: 0,
  };
}
