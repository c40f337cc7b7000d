import { z } from 'zod';
import { ModelCallError } from '../core/errors.ts';
import { orAbort } from './abort.ts';
import { notJsonFailure, RequestFailed } from './checked-fetch.ts';
import { classifyStreamError, type FailureContext } from './classify-error.ts';
import { hostOf } from './endpoint-profile.ts';

/** A response read as server-sent events, and the first and last characters that went by. */
export interface EventStream {
  readonly response: Response;
  readonly head: () => string;
  readonly tail: () => string;
}

const KEPT = 300;

const completionSchema = z.looseObject({
  choices: z.array(
    z.looseObject({ message: z.looseObject({}), finish_reason: z.string().nullish() }),
  ),
});

/**
 * Makes sure that a successful response is a stream of events. A whole completion from a server that
 * does not stream becomes one event. Throws `RequestFailed` for a page, an error or another JSON.
 */
export async function asEventStream(
  response: Response,
  context: FailureContext,
  signal: AbortSignal,
): Promise<EventStream> {
  const type = response.headers.get('content-type');
  if (type === null || !/html|json/u.test(type) || response.body === null) return tapped(response);
  const text = await orAbort(response.text(), signal).catch((cause: unknown) => {
    throw new RequestFailed({
      error: cause instanceof ModelCallError ? cause : truncatedError(context),
      retriable: !signal.aborted,
    });
  });
  const value = parseJson(text);
  const whole = completionSchema.safeParse(value);
  if (whole.success) return tapped(new Response(oneEvent(whole.data)));
  if (typeof value === 'object' && value !== null && 'error' in value) {
    throw new RequestFailed(classifyStreamError(value, context));
  }
  throw new RequestFailed(notJsonFailure(text, type, context));
}

/** The error of a reply that broke off. */
export function truncatedError({ profile }: FailureContext): ModelCallError {
  return new ModelCallError(
    'truncated-stream',
    `The reply from ${hostOf(profile)} broke off before its end.`,
    { hint: 'Try again; if it stays, look at the server’s log or at a proxy in between.' },
  );
}

function tapped(response: Response): EventStream {
  let head = '';
  let tail = '';
  const decoder = new TextDecoder();
  const tap = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(bytes, controller) {
      const text = decoder.decode(bytes, { stream: true });
      if (head.length < KEPT) head = (head + text).slice(0, KEPT);
      tail = (tail + text).slice(-KEPT);
      controller.enqueue(bytes);
    },
  });
  const body = response.body?.pipeThrough(tap) ?? null;
  const { status, headers } = response;
  return {
    response: new Response(body, { status, headers }),
    head: () => head,
    tail: () => tail,
  };
}

function oneEvent(completion: z.infer<typeof completionSchema>): string {
  const choices = completion.choices.map(({ message, ...choice }) => ({
    ...choice,
    delta: message,
  }));
  return `data: ${JSON.stringify({ ...completion, choices })}\n\ndata: [DONE]\n\n`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
