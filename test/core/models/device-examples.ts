import type { LoadedModel } from '../../../src/core/models/engine.ts';
import type { DeviceFacts } from '../../../src/core/models/device-facts.ts';
import type { LanguageEntry } from '../../../src/core/models/model-entry.ts';

const GIB = 2 ** 30;

/** A laptop of today: a GPU with 16-bit numbers, 16 GiB, storage that lasts. */
export const LAPTOP: DeviceFacts = {
  gpu: {
    name: 'apple metal-3',
    isSoftware: false,
    features: ['shader-f16', 'timestamp-query'],
    limits: { maxBufferSize: 4_000_000_000 },
  },
  knowsWebGpu: true,
  memoryBytes: 16 * GIB,
  threads: 8,
  storage: { allowedBytes: 38.4e9, usedBytes: 0.2e9, persisted: true },
  isolated: true,
  suspends: true,
  promptApi: 'none',
};

/** A browser without a GPU. */
export const NO_GPU: DeviceFacts = {
  ...LAPTOP,
  gpu: null,
  memoryBytes: 8 * GIB,
};

export const FACTS = {
  architecture: 'causal',
  context: 4096,
  promptBudget: 2560,
  images: null,
  library: null,
  selfTest: null,
} as const satisfies LanguageEntry['language'];

/** A language model's entry: text only, by 4-bit weights of the GPU, unless `over` says otherwise. */
export function languageEntry(id: string, over: Partial<LanguageEntry> = {}): LanguageEntry {
  return {
    id,
    name: id,
    roles: ['text'],
    runtime: 'transformers',
    source: { host: 'https://models.example', repository: `made/${id}`, revision: 'main' },
    dtype: { webgpu: 'q4f16' },
    requires: ['shader-f16'],
    files: [{ path: 'config.json', bytes: null, sha256: null }],
    approximateBytes: 1_000_000_000,
    memoryBytes: 1_300_000_000,
    language: FACTS,
    otherwise: null,
    licence: 'none',
    notes: '',
    ...over,
  };
}

/** A model whose replies `reply` makes of the text it was asked. */
export function loadedModel(
  reply: (
    text: string,
    maxNewTokens: number,
  ) => {
    readonly text: string;
    readonly promptTokens: number;
    readonly completionTokens: number;
    readonly prefillMs: number;
    readonly decodeMs: number;
  },
  asked: string[] = [],
): LoadedModel {
  return {
    device: 'wasm',
    async *generate({ messages, maxNewTokens }, signal) {
      signal.throwIfAborted();
      const text = messages
        .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
        .join('\n');
      asked.push(text);
      const generated = { ...reply(text, maxNewTokens), finishReason: 'length' as const };
      yield { type: 'text', text: generated.text };
      yield { type: 'finish', generated };
    },
    score: () => Promise.reject(new Error('not asked here')),
    unload: () => undefined,
    ended: new Promise(() => undefined),
  };
}
