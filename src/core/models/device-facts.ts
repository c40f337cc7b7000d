import { byteSize } from './byte-size.ts';
import type { Device, LanguageEntry } from './model-entry.ts';

/** The GPU as the browser tells of it. */
export interface GpuFacts {
  /** Vendor and architecture; empty where the browser does not say. */
  readonly name: string;
  /** Drawn by the processor: right, and too slow for a model. */
  readonly isSoftware: boolean;
  readonly features: readonly string[];
  /** Numbers by WebGPU's own names; sizes are in bytes. */
  readonly limits: Readonly<Record<string, number>>;
}

/** What this device and browser offer to models. Plain data. */
export interface DeviceFacts {
  /** null: none can be used. */
  readonly gpu: GpuFacts | null;
  /** Whether the browser knows WebGPU at all. */
  readonly knowsWebGpu: boolean;
  /** Browsers round it down and cap it; null where they do not say. */
  readonly memoryBytes: number | null;
  readonly threads: number;
  readonly storage: {
    readonly allowedBytes: number;
    readonly usedBytes: number;
    /** The browser promised not to clear it by itself. */
    readonly persisted: boolean;
  };
  /** Cross-origin isolated: WebAssembly may use threads. */
  readonly isolated: boolean;
  /** WebAssembly can wait for the page (JSPI): the smaller runtime serves. */
  readonly suspends: boolean;
  /** The browser's own model (Prompt API). */
  readonly promptApi: 'ready' | 'to-download' | 'none';
}

/** What is assumed where a browser does not say how much memory there is. */
const ASSUMED_MEMORY_BYTES = 4 * 2 ** 30;
/** Of all memory, what models may take: system, browser and Grove need the rest. */
const MEMORY_FOR_MODELS = 0.75;
/** On the processor, from here on a step takes minutes. */
const LARGE_FOR_PROCESSOR_BYTES = 1_000_000_000;

/** Memory that loaded models may take together, in bytes. */
export function memoryForModels({ memoryBytes }: Pick<DeviceFacts, 'memoryBytes'>): number {
  return (memoryBytes ?? ASSUMED_MEMORY_BYTES) * MEMORY_FOR_MODELS;
}

/** Whether a GPU is there that is fit for a model. */
export function hasUsableGpu({ gpu }: DeviceFacts): boolean {
  return gpu !== null && !gpu.isSoftware;
}

/** Where a model would run here; null where it cannot. */
export function deviceOf({ dtype, requires }: LanguageEntry, facts: DeviceFacts): Device | null {
  const has = (feature: string) => facts.gpu?.features.includes(feature) === true;
  if (hasUsableGpu(facts) && dtype.webgpu !== undefined && requires.every(has)) return 'webgpu';
  if (dtype.wasm !== undefined) return 'wasm';
  return dtype.browser !== undefined && facts.promptApi !== 'none' ? 'browser' : null;
}

/** What to think over before a model is loaded, a sentence each; none where nothing speaks against it. */
export function loadWarnings(entry: LanguageEntry, facts: DeviceFacts): readonly string[] {
  const device = deviceOf(entry, facts);
  if (device === null) return [whyNot(entry, facts)];
  const room = memoryForModels(facts);
  const warnings: string[] = [];
  if (entry.memoryBytes > room) {
    warnings.push(
      `It takes about ${byteSize(entry.memoryBytes)} of memory, and models should take ${byteSize(room)} at most here: the browser may close this tab.`,
    );
  }
  if (device === 'wasm' && entry.approximateBytes > LARGE_FOR_PROCESSOR_BYTES) {
    warnings.push('It runs on the processor here, and it is large: a step takes minutes.');
  }
  return warnings;
}

/** Why a model cannot run on this device. */
function whyNot({ dtype, requires }: LanguageEntry, facts: DeviceFacts): string {
  if (dtype.webgpu === undefined) return 'It is a browser’s own model, and this browser has none.';
  if (!hasUsableGpu(facts))
    return 'It needs a GPU, and this browser offers none that is fit for it.';
  const missing = requires.filter((feature) => facts.gpu?.features.includes(feature) !== true);
  return `It needs ${missing.join(' and ')}, and this GPU has no such thing.`;
}

/** One sentence: the GPU and what it can. */
export function gpuSentence({ gpu, knowsWebGpu }: DeviceFacts): string {
  if (gpu === null) {
    return knowsWebGpu
      ? 'The browser offers no GPU here. Rules and endpoints need none; small models run on the processor, slowly.'
      : 'This browser has no WebGPU. Rules and endpoints need none; small models run on the processor, slowly.';
  }
  if (gpu.isSoftware) {
    return 'The GPU is imitated by the processor here, too slowly for models. Rules and endpoints need none.';
  }
  const numbers = gpu.features.includes('shader-f16')
    ? 'with 16-bit numbers'
    : 'without 16-bit numbers';
  const largest = gpu.limits['maxBufferSize'];
  const buffers = largest === undefined ? '' : ` and buffers up to ${byteSize(largest)}`;
  return `The GPU can be used from the browser, ${numbers}${buffers}.`;
}

const NUMBER_WORDS = ['no', 'one', 'two', 'three', 'four'];

/** One sentence: what memory should hold, told by the largest of these models that fits. */
export function memorySentence(facts: DeviceFacts, models: readonly LanguageEntry[]): string {
  const room = memoryForModels(facts);
  const [largest] = models
    .filter((entry) => deviceOf(entry, facts) !== null)
    .filter(({ memoryBytes }) => memoryBytes > 0 && memoryBytes <= room)
    .sort((a, b) => b.memoryBytes - a.memoryBytes);
  const known =
    facts.memoryBytes === null ? 'The browser does not say how much memory there is. It' : 'Memory';
  if (largest === undefined) {
    return facts.memoryBytes === null
      ? `${known} should hold ${byteSize(room)} of models.`
      : `${known} should hold ${byteSize(room)} of models, less than any listed here takes.`;
  }
  const fit = Math.floor(room / largest.memoryBytes);
  const words = NUMBER_WORDS[fit];
  const next = NUMBER_WORDS[fit + 1];
  if (words === undefined || next === undefined)
    return `${known} should hold several models like ${largest.name} at once.`;
  return fit === 1
    ? `${known} should hold one model like ${largest.name}, not two at once.`
    : `${known} should hold ${words} models like ${largest.name} at once, not ${next}.`;
}

/** One sentence: storage allowed, and whether it lasts. */
export function storageSentence({ storage }: DeviceFacts): string {
  const { allowedBytes, usedBytes, persisted } = storage;
  const kept = persisted
    ? 'has promised to keep it'
    : 'may clear it when it runs short of room, models included';
  return `The browser allows ${byteSize(allowedBytes)} of storage, ${byteSize(usedBytes)} of it used, and ${kept}.`;
}
