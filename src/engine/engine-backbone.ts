import type { ModelChunk, ModelRequest, ModelResponse, Part } from '../core/call.ts';
import { ModelCallError, type ModelCallCode } from '../core/errors.ts';
import {
  EngineError,
  type EngineCode,
  type EngineMessage,
  type EnginePart,
  type GenerateEvent,
  type LoadedModel,
} from '../core/models/engine.ts';
import type { LanguageEntry } from '../core/models/model-entry.ts';
import type { ModelRack } from '../core/models/model-rack.ts';
import type { Backbone } from '../core/ports.ts';

export interface EngineBackbonePorts {
  readonly entry: LanguageEntry;
  readonly rack: ModelRack;
  /** The bytes of an image, with its longest side at most so many pixels. Throws `MediaError`. */
  render(
    part: Extract<Part, { type: 'image' }>,
    options: { readonly maxSide: number; readonly signal: AbortSignal },
  ): Promise<Extract<EnginePart, { type: 'image' }>>;
}

/**
 * A model on this device as a backbone: loaded at its first call, and loaded once more by itself where
 * the GPU was taken away in the middle of one. Its id is `local:<model id>`.
 */
export function engineBackbone({ entry, rack, render }: EngineBackbonePorts): Backbone {
  async function* generate(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelChunk> {
    try {
      const messages = await messagesOf(request, signal);
      const asked = {
        messages,
        schema: request.responseSchema ?? null,
        maxNewTokens: request.maxOutputTokens,
        temperature: request.temperature,
      };
      for (let lost = false; ;) {
        try {
          const model = await rack.load(entry.id, signal);
          yield* chunksOf(model.generate(asked, signal), request);
          return;
        } catch (error) {
          if (lost || !(error instanceof EngineError) || error.code !== 'device-lost') throw error;
          lost = true;
          yield { type: 'retry', attempt: 1, delayMs: 0, message: error.message };
        }
      }
    } catch (error) {
      throw callError(error, signal);
    }
  }

  async function* chunksOf(
    events: ReturnType<LoadedModel['generate']>,
    { messages }: ModelRequest,
  ): AsyncGenerator<ModelChunk> {
    for await (const event of events) {
      if (event.type === 'text') yield { type: 'text-delta', text: event.text };
      else yield { type: 'finish', response: responseOf(event, messages) };
    }
  }

  function responseOf(
    { generated }: Extract<GenerateEvent, { type: 'finish' }>,
    messages: ModelRequest['messages'],
  ): ModelResponse {
    const { text, finishReason, promptTokens, completionTokens } = generated;
    const images = messages.flatMap(({ parts }) => parts.filter(({ type }) => type === 'image'));
    return {
      text,
      reasoning: '',
      finishReason,
      usage: { promptTokens, completionTokens, images: images.length, estimated: false },
      model: entry.name,
    };
  }

  function messagesOf(
    { messages }: ModelRequest,
    signal: AbortSignal,
  ): Promise<readonly EngineMessage[]> {
    return Promise.all(
      messages.map(async ({ role, parts }) => ({
        role,
        parts: await Promise.all(parts.map((part) => partOf(part, signal))),
      })),
    );
  }

  async function partOf(part: Part, signal: AbortSignal): Promise<EnginePart> {
    if (part.type === 'text') return part;
    const { images } = entry.language;
    if (images === null) {
      throw new ModelCallError('no-image-support', `${entry.name} sees no images.`, {
        hint: 'Choose a model that does, or run the task without its images.',
      });
    }
    return render(part, { maxSide: images.longestSidePx, signal });
  }

  return { id: `local:${entry.id}`, label: entry.name, device: 'this-device', generate };
}

const CALL_CODES: Partial<Record<EngineCode, ModelCallCode>> = {
  'prompt-too-long': 'context-overflow',
};

function callError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted)
    return new ModelCallError('aborted', 'The call was stopped.', { cause: error });
  if (!(error instanceof EngineError)) return error;
  const { code, message } = error;
  // Unloaded under its hands: that is no abort of the call's own.
  if (code === 'stopped') {
    return new ModelCallError('model-failed', message, {
      cause: error,
      hint: 'Continue the run; the model is loaded again.',
    });
  }
  const hint = HINTS[code];
  return new ModelCallError(CALL_CODES[code] ?? 'model-failed', message, {
    cause: error,
    ...(hint === undefined ? {} : { hint }),
  });
}

const HINTS: Partial<Record<EngineCode, string>> = {
  'missing-file': 'Open Models and repair it, or choose another model in the set-up.',
  'device-lost': 'Close what else uses the GPU, then continue the run.',
  'no-memory': 'Choose a smaller model in Models, then continue the run.',
  silent: 'Continue the run to try again, or choose a smaller model in Models.',
  failed: 'Continue the run: the model is loaded anew.',
  busy: 'Continue the run when the other tab is done.',
};
