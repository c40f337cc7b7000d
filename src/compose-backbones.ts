/** The part of the composition root that runs models: the simulated solver and endpoints. */
import { lazily } from './compose-lazily.ts';
import { ModelCallError } from './core/errors.ts';
import type { Backbone } from './core/ports.ts';
import type { ModelReference } from './core/run-roles.ts';
import type { ModelParts } from './compose-models.ts';
import type { Gate } from './gate/gate.ts';
import type { EndpointBook } from './remote/endpoint-book.ts';
import type { EndpointProfile } from './remote/endpoint-profile.ts';
import type { Sample } from './state/sample.svelte.ts';
import type { SettingsState } from './state/settings.svelte.ts';
import type { GroveStorage } from './storage/open-storage.ts';

/** Fast enough that the sample's whole story takes under a minute, slow enough to follow. */
const SIMULATED_TOKENS_PER_SECOND = 110;

/** Ids of backbones on this device begin with it. */
export const LOCAL = 'local:';

/** What backbones are made of. */
export interface BackboneParts {
  readonly settings: SettingsState;
  readonly gate: Gate;
  readonly storage: GroveStorage;
  readonly book: EndpointBook;
  /** Whether the sample is to be played without its pace. */
  readonly isFast: () => boolean;
  /** Models on this device. */
  models(): Promise<ModelParts>;
}

/** The backbone that a run's set-up names; its code is loaded at its first call. */
export function backboneOf(wanted: ModelReference, parts: BackboneParts): Backbone {
  const { backbone: id, model } = wanted;
  if (id === 'simulated') {
    const label = 'Simulated solver: no model';
    return lazyBackbone({ id, label, device: 'this-device' }, () => simulated(parts.isFast));
  }
  if (id.startsWith(LOCAL)) {
    const label = model === '' ? id.slice(LOCAL.length) : model;
    return lazyBackbone({ id, label, device: 'this-device' }, () => local(id, parts));
  }
  const profileId = id.replace(/^endpoint:/u, '');
  const profile = parts.settings.endpoints.find((endpoint) => endpoint.id === profileId);
  if (profile === undefined) {
    throw new ModelCallError('model-failed', 'An endpoint of this run is not set up any more.', {
      hint: 'Add it again in Settings, or change the task’s set-up and run it anew.',
    });
  }
  // The run's own model: the endpoint may have been set to another since.
  const asked = { ...profile, model: model === '' ? profile.model : model };
  const label = `${asked.model} at ${new URL(asked.baseUrl).host}`;
  return lazyBackbone({ id, label, device: 'remote' }, () => remote(asked, parts));
}

async function local(id: string, { models }: BackboneParts): Promise<Backbone> {
  const parts = await models();
  const entry = await parts.entry(id.slice(LOCAL.length));
  if (entry !== undefined) return parts.backboneOf(entry);
  throw new ModelCallError(
    'model-failed',
    'The model of this run is not on this device any more.',
    {
      hint: 'Get it again on the Models page, or change the task’s set-up and run it anew.',
    },
  );
}

function lazyBackbone(
  known: Pick<Backbone, 'id' | 'label' | 'device'>,
  load: () => Promise<Backbone>,
): Backbone {
  const loaded = lazily(load);
  return {
    ...known,
    async *generate(request, signal) {
      yield* (await loaded()).generate(request, signal);
    },
  };
}

const metroWorker = lazily(async () => {
  const { startMetroWorker } = await import('./work/metro-client.ts');
  return startMetroWorker();
});

async function simulated(isFast: () => boolean): Promise<Backbone> {
  const [{ makeSimulatedBackbone }, worker] = await Promise.all([
    import('./core/metro/simulated-backbone.ts'),
    metroWorker(),
  ]);
  return makeSimulatedBackbone({
    reply: (request, signal) => worker.reply(request, signal),
    pace: {
      delay: (durationMs, signal) => (isFast() ? Promise.resolve() : pause(durationMs, signal)),
      tokensPerSecond: SIMULATED_TOKENS_PER_SECOND,
    },
  });
}

async function remote(
  profile: EndpointProfile,
  { gate, storage, book }: BackboneParts,
): Promise<Backbone> {
  const [{ makeRemoteBackbone }, { renderForModel }, key] = await Promise.all([
    import('./remote/remote-backbone.ts'),
    import('./media/render-for-model.ts'),
    book.keyOf(profile.id),
  ]);
  return makeRemoteBackbone({
    profile,
    apiKey: () => key,
    fetch: gate.fetch(`model call to ${profile.model}`),
    render: (part, signal) =>
      renderForModel(storage.blobs, part, { maxSide: profile.maxImageSidePx, signal }),
    delay: pause,
    random: Math.random,
    nowMs: Date.now,
    pageOrigin: location.origin,
  });
}

export async function loadSample(): Promise<Sample> {
  const [{ SAMPLE_STORY, SIMULATION_EXPLANATION }, worker] = await Promise.all([
    import('./core/metro/sample-story.ts'),
    metroWorker(),
  ]);
  const make = async ({ id, about }: (typeof SAMPLE_STORY)['last']) => {
    const { task, reference, bytes: png } = await worker.question(id);
    return { task, reference, picture: { bytes: png, mediaType: 'image/png' }, about };
  };
  return {
    explanation: SIMULATION_EXPLANATION,
    build: await Promise.all(SAMPLE_STORY.build.map(make)),
    last: await make(SAMPLE_STORY.last),
  };
}

/** Resolves after that time, or at once when the signal fires. */
export function pause(durationMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(done, durationMs);
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
    signal?.addEventListener('abort', done);
  });
}
