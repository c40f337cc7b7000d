/** The part of the composition root that runs models: the simulated solver and endpoints. */
import { lazily } from './compose-lazily.ts';
import { ModelCallError } from './core/errors.ts';
import type { Backbone } from './core/ports.ts';
import type { RunConfig } from './core/run.ts';
import type { Gate } from './gate/gate.ts';
import type { EndpointBook } from './remote/endpoint-book.ts';
import type { EndpointProfile } from './remote/endpoint-profile.ts';
import type { Sample } from './state/sample.svelte.ts';
import type { SettingsState } from './state/settings.svelte.ts';
import type { GroveStorage } from './storage/open-storage.ts';

/** Fast enough that the sample's whole story takes under a minute, slow enough to follow. */
const SIMULATED_TOKENS_PER_SECOND = 110;

/** What an endpoint's backbone is made of. */
export interface RemoteParts {
  readonly settings: SettingsState;
  readonly gate: Gate;
  readonly storage: GroveStorage;
  readonly book: EndpointBook;
  /** Whether the sample is to be played without its pace. */
  readonly isFast: () => boolean;
}

/** The backbone a run's set-up names; its code is loaded at its first call. */
export function backboneOf(config: RunConfig, parts: RemoteParts): Backbone {
  if (config.backbone === 'simulated') {
    const label = 'Simulated solver: no model';
    return lazyBackbone({ id: 'simulated', label, device: 'this-device' }, () =>
      simulated(parts.isFast),
    );
  }
  const id = config.backbone.replace(/^endpoint:/u, '');
  const profile = parts.settings.endpoints.find((endpoint) => endpoint.id === id);
  if (profile === undefined) {
    throw new ModelCallError('model-failed', 'The endpoint of this run is not set up any more.', {
      hint: 'Add it again in Settings, or change the task’s set-up and run it anew.',
    });
  }
  // The run's own model: the endpoint may have been set to another since.
  const wanted = { ...profile, model: config.model === '' ? profile.model : config.model };
  const label = `${wanted.model} at ${new URL(wanted.baseUrl).host}`;
  return lazyBackbone({ id: config.backbone, label, device: 'remote' }, () =>
    remote(wanted, parts),
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
  { gate, storage, book }: RemoteParts,
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
