import { Buffer } from 'node:buffer';
import type { ImagePart, ModelChunk, ModelRequest } from '../../src/core/call.ts';
import { ModelCallError } from '../../src/core/errors.ts';
import type { Backbone } from '../../src/core/ports.ts';
import {
  makeRemoteBackbone,
  type RemoteBackboneOptions,
} from '../../src/remote/remote-backbone.ts';

export const KEY = 'sk-very-secret-0123456789';

export const IMAGE: ImagePart = {
  type: 'image',
  hash: 'a'.repeat(64),
  mediaType: 'image/png',
  width: 1500,
  height: 750,
};

export const IMAGE_BYTES = new Uint8Array([137, 80, 78, 71]);
export const IMAGE_URL = `data:image/png;base64,${Buffer.from(IMAGE_BYTES).toString('base64')}`;

export function requestOf(text: string, images: readonly ImagePart[] = []): ModelRequest {
  return {
    prompt: 'test@1',
    messages: [
      { role: 'system', parts: [{ type: 'text', text: 'You solve.' }] },
      { role: 'user', parts: [{ type: 'text', text }, ...images] },
    ],
    maxOutputTokens: 64,
    temperature: 0.25,
    sample: 0,
  };
}

/** A backbone on a server, and the waits it asked for. Waiting takes no time; jitter is 1. */
export function backboneAt(
  baseUrl: string,
  overrides: Partial<RemoteBackboneOptions> & { model?: string } = {},
): { backbone: Backbone; delays: number[] } {
  const delays: number[] = [];
  const backbone = makeRemoteBackbone({
    profile: {
      id: 'lab',
      name: 'Lab',
      baseUrl,
      model: overrides.model ?? 'test-model',
      imageSupport: 'unknown',
      maxImageSidePx: 750,
    },
    apiKey: () => KEY,
    fetch: (url, init) => fetch(url, init),
    render: async () => ({ mediaType: 'image/png', bytes: IMAGE_BYTES }),
    delay: async (durationMs) => void delays.push(durationMs),
    random: () => 1,
    nowMs: () => Date.now(),
    pageOrigin: 'http://localhost:4747',
    ...overrides,
  });
  return { backbone, delays };
}

/** What a call streamed, and how it ended. */
export interface Outcome {
  readonly chunks: readonly ModelChunk[];
  readonly error: ModelCallError | undefined;
}

export async function run(
  backbone: Backbone,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<Outcome> {
  const chunks: ModelChunk[] = [];
  try {
    for await (const chunk of backbone.generate(request, signal)) chunks.push(chunk);
    return { chunks, error: undefined };
  } catch (cause) {
    if (!(cause instanceof ModelCallError)) throw cause;
    return { chunks, error: cause };
  }
}

/** All that a person, a log or an export could see of an outcome. */
export function visible({ chunks, error }: Outcome): string {
  const causes: string[] = [];
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    causes.push(cause.message, JSON.stringify(cause));
  }
  return JSON.stringify([chunks, error?.hint, ...causes]);
}
