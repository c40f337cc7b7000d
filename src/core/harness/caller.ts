import { requestHash, type CallKey, type CallRecord, type ModelRequest } from '../call.ts';
import type { ModelChunk, ModelResponse, Role } from '../call.ts';
import { ModelCallError } from '../errors.ts';
import type { Backbone, CallJournal, Clock } from '../ports.ts';
import type { Caller, CallEvent } from './harness.ts';

export interface CallerOptions {
  readonly journal: CallJournal;
  /** The backbone that serves a role. */
  readonly backbone: (role: Role) => Backbone;
  readonly clock: Clock;
  readonly runId: string;
  /** 1-based; 0 before the first attempt. */
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** Refuses remote backbones: what is in the prompt must not leave this device (DESIGN.md §7). */
  readonly localOnly: boolean;
}

/** A caller that keeps what it returned, so that an attempt's cost can be summed. */
export interface RecordingCaller extends Caller {
  /** Completed calls, in order, replayed ones included. */
  readonly records: readonly CallRecord[];
  /** Counts calls as made that a stored result stands for, so that later ordinals stay as they were. */
  skip(role: Role, calls: number): void;
  /** From here on as with `localOnly`: something that may not leave this device can be in a prompt. */
  keepHere(): void;
}

/**
 * A `Caller` over the journal for one attempt. The key of a call is its run, attempt, role, the count
 * of that role's calls so far, sample, and the request's hash. A call with a record returns it with
 * no event; any other streams its backbone and is recorded before it returns, so that each completed
 * call is stored before the next begins. Throws `ModelCallError` (`aborted` as soon as the signal
 * fires, whatever the backbone does) or the journal's `StorageError`.
 */
export function makeCaller(options: CallerOptions): RecordingCaller {
  const ordinals = new Map<Role, number>();
  const records: CallRecord[] = [];
  let { localOnly } = options;
  const skip = (role: Role, calls: number) => ordinals.set(role, (ordinals.get(role) ?? 0) + calls);
  return {
    records,
    skip,
    keepHere() {
      localOnly = true;
    },
    async *call(role, request) {
      throwIfAborted(options.signal);
      const ordinal = ordinals.get(role) ?? 0;
      skip(role, 1);
      const { runId, attempt } = options;
      const { sample } = request;
      const key = { runId, attempt, role, ordinal, sample, requestHash: requestHash(request) };
      const found = await options.journal.find(key);
      const record = found ?? (yield* makeCall({ ...options, localOnly }, key, request));
      records.push(record);
      return record;
    },
  };
}

/** Throws `ModelCallError` with code `aborted` once the signal has fired. */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw abortError();
}

async function* makeCall(
  { journal, backbone: backboneFor, clock, signal, localOnly }: CallerOptions,
  key: CallKey,
  request: ModelRequest,
): AsyncGenerator<CallEvent, CallRecord> {
  const { role, ordinal } = key;
  const backbone = backboneFor(role);
  if (localOnly && backbone.device === 'remote') {
    throw new ModelCallError(
      'blocked-by-gate',
      `This run is kept on this device, and ${backbone.label} is not on it.`,
      { hint: 'Choose a model on this device, or another bank, or run without “local only”.' },
    );
  }
  yield { type: 'call-start', role, ordinal, backbone: backbone.label };
  const startedAt = clock.now();
  const started = clock.monotonicMs();
  const response = yield* streamChunks(role, backbone.generate(request, signal), signal);
  const record: CallRecord = {
    key,
    request,
    response,
    backbone: backbone.id,
    device: backbone.device,
    startedAt,
    durationMs: Math.max(0, clock.monotonicMs() - started),
  };
  await journal.record(record);
  return record;
}

async function* streamChunks(
  role: Role,
  chunks: AsyncIterable<ModelChunk>,
  signal: AbortSignal,
): AsyncGenerator<CallEvent, ModelResponse> {
  for await (const chunk of untilAborted(chunks, signal)) {
    switch (chunk.type) {
      case 'text-delta':
        yield { type: 'token-delta', role, text: chunk.text, reasoning: false };
        break;
      case 'reasoning-delta':
        yield { type: 'token-delta', role, text: chunk.text, reasoning: true };
        break;
      case 'retry':
        yield { type: 'call-retry', role, delayMs: chunk.delayMs, message: chunk.message };
        break;
      case 'finish':
        // A reply may carry half a surrogate pair; no canonical JSON could hold it.
        return {
          ...chunk.response,
          text: chunk.response.text.toWellFormed(),
          reasoning: chunk.response.reasoning.toWellFormed(),
        };
    }
  }
  throw new ModelCallError('truncated-stream', 'The reply broke off before it was complete.', {
    hint: 'Continue the run to ask again; what was completed before is kept.',
  });
}

/** The items of a stream until it ends or the signal fires, which throws even if the stream hangs. */
async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(abortError());
    signal.addEventListener('abort', onAbort, { once: true });
  });
  aborted.catch(() => {});
  let finished = false;
  try {
    while (true) {
      throwIfAborted(signal);
      const next = iterator.next();
      next.catch(() => {});
      const item = await Promise.race([next, aborted]);
      if (item.done === true) {
        finished = true;
        return;
      }
      yield item.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a stream that hangs would hold up the stop that the person asked for.
    if (!finished) void iterator.return?.().catch(() => {});
  }
}

function abortError(): ModelCallError {
  return new ModelCallError('aborted', 'The call was stopped.');
}
