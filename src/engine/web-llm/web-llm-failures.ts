import { EngineError, type EngineCode } from '../../core/models/engine.ts';

/** What WebLLM's own errors mean, by the names that they carry. */
const CODES: Readonly<Record<string, EngineCode>> = {
  WebGPUNotAvailableError: 'no-gpu',
  WebGPUNotFoundError: 'no-gpu',
  ShaderF16SupportError: 'no-feature',
  FeatureSupportError: 'no-feature',
  DeviceLostError: 'no-memory',
  GPUOutOfMemoryError: 'no-memory',
  RangeError: 'no-memory',
  ContextWindowSizeExceededError: 'prompt-too-long',
  GrammarMatcherInitError: 'not-askable',
};

/** Why a model did not load. */
export function loadFailure(name: string, error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const code = codeOf(error) ?? 'not-loadable';
  const why = messageOf(error);
  const messages: Partial<Record<EngineCode, string>> = {
    'no-gpu': `${name} needs a GPU, and this browser gives none. Take a model that runs without, rules, or an endpoint.`,
    'no-feature': `${name} needs what this GPU does not offer (${why}). Take its other weights, q4f32.`,
    'no-memory': `${name} needs more memory than this device has left (${why}). Close other tabs, or take a smaller model.`,
  };
  const message =
    messages[code] ?? `${name} cannot be loaded: ${why}. Add or download its files again.`;
  return new EngineError(code in messages ? code : 'not-loadable', message, { cause: error });
}

/** Why a call did not end well. */
export function callFailure(name: string, error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const code = codeOf(error) ?? 'failed';
  const why = messageOf(error);
  const messages: Partial<Record<EngineCode, string>> = {
    'prompt-too-long': `The prompt is longer than ${name} takes (${why}).`,
    'not-askable': `${name} cannot be held to this form (${why}).`,
    'no-memory': `${name} ran out of memory (${why}). Close other tabs, or take a smaller model.`,
  };
  return new EngineError(code in messages ? code : 'failed', messages[code] ?? why, {
    cause: error,
  });
}

/** Why the GPU is gone. WebLLM gives a GPU up itself where a buffer could not be had. */
export function gpuFailure(name: string, { reason, message }: GPUDeviceLostInfo): EngineError {
  const why = message === '' ? 'no reason given' : message;
  return reason === 'destroyed'
    ? new EngineError(
        'no-memory',
        `${name} needs more of the GPU’s memory than there is. Close other tabs, or take a smaller model.`,
      )
    : new EngineError('device-lost', `The GPU was taken away from ${name}: ${why}`);
}

function codeOf(error: unknown): EngineCode | undefined {
  return error instanceof Error ? CODES[error.name] : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
