import { EngineError } from '../core/models/engine.ts';
import type { Device, LanguageEntry } from '../core/models/model-entry.ts';

/**
 * Where a model runs here: on the GPU where that can be used and has what the weights need, else on the
 * processor where it has weights for that. Throws `EngineError` (`no-gpu`, `no-feature`).
 */
export async function deviceFor(entry: LanguageEntry): Promise<Device> {
  const { dtype, runtime } = entry;
  if (runtime === 'browser') return 'browser';
  const problem = dtype.webgpu === undefined ? noGpu(entry) : await gpuProblem(entry);
  if (problem === null) return 'webgpu';
  if (dtype.wasm !== undefined) return 'wasm';
  throw problem;
}

/** Makes sure that the GPU serves a model that is to run on it. Throws as `deviceFor` does. */
export async function checkGpu(entry: LanguageEntry, device: Device): Promise<void> {
  const problem = device === 'webgpu' ? await gpuProblem(entry) : null;
  if (problem !== null) throw problem;
}

/** null where no GPU can be used. */
export async function gpuAdapter(): Promise<GPUAdapter | null> {
  if (!('gpu' in navigator)) return null;
  try {
    return await navigator.gpu.requestAdapter({ powerPreference: 'high-performance' });
  } catch {
    return null;
  }
}

async function gpuProblem(entry: LanguageEntry): Promise<EngineError | null> {
  const adapter = await gpuAdapter();
  if (adapter === null) return noGpu(entry);
  const missing = entry.requires.filter((feature) => !adapter.features.has(feature));
  if (missing.length === 0) return null;
  return new EngineError(
    'no-feature',
    `${entry.name} needs ${missing.join(' and ')}, and this GPU has no such thing. Take the model’s other weights, in q4f32.`,
  );
}

function noGpu({ name }: LanguageEntry): EngineError {
  return new EngineError(
    'no-gpu',
    `${name} needs a GPU, and this browser gives none. Take a model that runs without, rules, or an endpoint.`,
  );
}
