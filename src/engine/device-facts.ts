import type { DeviceFacts, GpuFacts } from '../core/models/device-facts.ts';
import { gpuAdapter } from './gpu.ts';
import { browserModel } from './prompt-api/prompt-api-entry.ts';

/** Reads what this device and browser offer to models. Never fails: what cannot be read is not there. */
export async function readDeviceFacts(): Promise<DeviceFacts> {
  const [adapter, estimate, persisted, promptApi] = await Promise.all([
    gpuAdapter(),
    navigator.storage.estimate(),
    navigator.storage.persisted(),
    promptApiFacts(),
  ]);
  const { quota: allowedBytes = 0, usage: usedBytes = 0 } = estimate;
  const gibibytes: unknown = Reflect.get(navigator, 'deviceMemory');
  return {
    gpu: adapter && gpuFactsOf(adapter),
    knowsWebGpu: 'gpu' in navigator,
    memoryBytes: typeof gibibytes === 'number' ? gibibytes * 2 ** 30 : null,
    threads: navigator.hardwareConcurrency,
    storage: { allowedBytes, usedBytes, persisted },
    isolated: crossOriginIsolated,
    suspends: 'Suspending' in WebAssembly,
    promptApi,
  };
}

function gpuFactsOf({ info, features, limits }: GPUAdapter): GpuFacts {
  const name = [info.vendor, info.architecture].filter((part) => part !== '').join(' ');
  return {
    name,
    isSoftware: info.isFallbackAdapter || /swiftshader|llvmpipe|lavapipe/iu.test(name),
    features: [...features].sort(),
    limits: limitsOf(limits),
  };
}

/** Limits are getters of the prototype, so they are not there to be spread. */
function limitsOf(limits: GPUSupportedLimits): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const name in limits) {
    const value: unknown = Reflect.get(limits, name);
    if (typeof value === 'number') found[name] = value;
  }
  return found;
}

async function promptApiFacts(): Promise<DeviceFacts['promptApi']> {
  const own = await browserModel();
  if (own === null) return 'none';
  return own.availability === 'available' ? 'ready' : 'to-download';
}
