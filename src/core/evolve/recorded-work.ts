import { z } from 'zod';
import {
  requestHash,
  roleSchema,
  ZERO_USAGE,
  type CallKey,
  type CallRecord,
  type ModelRequest,
  type Role,
} from '../call.ts';
import { hashJson } from '../canonical.ts';
import { StorageError } from '../errors.ts';
import { throwIfAborted, type RecordingCaller } from '../harness/caller.ts';
import type { Caller, CallEvent } from '../harness/harness.ts';
import type { CallJournal, Clock } from '../ports.ts';
import { costSchema, type Cost } from '../run.ts';
import { addCost, costOfCalls } from './cost.ts';

/** One piece of a policy's or the memory harness's own work: retrieval, a gate, an update, a crop. */
export interface Work<T> {
  readonly role: Role;
  /** What does it and in which revision, as a prompt is named: `rules-update@1`. */
  readonly name: string;
  /** All that the result depends on; its hash is part of the key. */
  readonly input: unknown;
  /** What the result must be when it is read back. */
  readonly result: z.ZodType<T>;
  run(caller: Caller): AsyncGenerator<CallEvent, T>;
}

/** What recorded work came to. `at` is when it was first done, ISO 8601. */
export interface WorkResult<T> {
  readonly value: T;
  readonly cost: Cost;
  readonly at: string;
}

/** Does work once per run: stores the result in the journal, or gives back the stored one. */
export type DoWork = <T>(work: Work<T>) => AsyncGenerator<CallEvent, WorkResult<T>>;

/** The reply text of a work record. Inner model calls have records of their own. */
const storedWorkSchema = z.object({
  value: z.unknown(),
  /** Summed over the inner calls, which the record's own duration leaves out. */
  inner: costSchema,
  innerCalls: z.partialRecord(roleSchema, z.int()),
});

/**
 * Work for one attempt over the call journal. The record's backbone is `rules`, its request names the
 * work and the hash of its input, its usage is zero and its duration the time that the work took
 * besides its inner model calls. So a replay repeats neither the work nor the measurement: what the
 * bank, the rules or the clock would say today does not matter.
 */
export function makeDoWork(options: {
  readonly journal: CallJournal;
  readonly clock: Clock;
  readonly caller: RecordingCaller;
  readonly runId: string;
  readonly attempt: number;
  readonly signal: AbortSignal;
}): DoWork {
  const { journal, clock, caller, runId, attempt, signal } = options;
  const ordinals = new Map<string, number>();
  return async function* doWork<T>(work: Work<T>): AsyncGenerator<CallEvent, WorkResult<T>> {
    throwIfAborted(signal);
    const request = workRequest(work);
    const counter = `${work.role}/${work.name}`;
    const ordinal = ordinals.get(counter) ?? 0;
    ordinals.set(counter, ordinal + 1);
    const key: CallKey = {
      runId,
      attempt,
      role: work.role,
      ordinal,
      sample: 0,
      requestHash: requestHash(request),
    };
    const found = await journal.find(key);
    if (found !== undefined) {
      const { innerCalls } = readStored(found);
      for (const role of roleSchema.options) caller.skip(role, innerCalls[role] ?? 0);
      return readRecord(found, work);
    }
    const startedAt = clock.now();
    const { text, durationMs } = yield* measure(work, caller, clock);
    throwIfAborted(signal);
    const record: CallRecord = {
      key,
      request,
      response: {
        text,
        reasoning: '',
        finishReason: 'stop',
        usage: ZERO_USAGE,
        model: work.name,
      },
      backbone: 'rules',
      device: 'this-device',
      startedAt,
      durationMs,
    };
    // Read back even now: the first run must see exactly what a replay will see.
    const result = readRecord(record, work);
    await journal.record(record);
    return result;
  };
}

function workRequest(work: Pick<Work<unknown>, 'name' | 'input'>): ModelRequest {
  const input = `input sha256:${hashJson(wellFormed(work.input))}`;
  return {
    prompt: work.name,
    messages: [{ role: 'user', parts: [{ type: 'text', text: input }] }],
    maxOutputTokens: 1,
    temperature: 0,
    sample: 0,
  };
}

async function* measure<T>(
  work: Work<T>,
  caller: RecordingCaller,
  clock: Clock,
): AsyncGenerator<CallEvent, { readonly text: string; readonly durationMs: number }> {
  const before = caller.records.length;
  const started = clock.monotonicMs();
  let callsMs = 0;
  const value = yield* work.run({
    async *call(role, request) {
      const callStarted = clock.monotonicMs();
      try {
        return yield* caller.call(role, request);
      } finally {
        callsMs += clock.monotonicMs() - callStarted;
      }
    },
  });
  const durationMs = Math.max(0, clock.monotonicMs() - started - callsMs);
  const made = caller.records.slice(before);
  const innerCalls: Partial<Record<Role, number>> = {};
  for (const { key } of made) innerCalls[key.role] = (innerCalls[key.role] ?? 0) + 1;
  return {
    text: JSON.stringify({ value: wellFormed(value), inner: costOfCalls(made), innerCalls }),
    durationMs,
  };
}

function readStored(record: CallRecord): z.infer<typeof storedWorkSchema> {
  try {
    return storedWorkSchema.parse(JSON.parse(record.response.text));
  } catch (cause) {
    throw new StorageError('corrupt', `The record of ${record.request.prompt} cannot be read.`, {
      cause,
    });
  }
}

function readRecord<T>(record: CallRecord, work: Work<T>): WorkResult<T> {
  const { value, inner } = readStored(record);
  const own = { durationMs: record.durationMs, usage: ZERO_USAGE, calls: 0 };
  const parsed = work.result.safeParse(value);
  if (!parsed.success) {
    throw new StorageError('corrupt', `The record of ${work.name} does not hold its result.`, {
      cause: parsed.error,
    });
  }
  return { value: parsed.data, cost: addCost(inner, own), at: record.startedAt };
}

/** A plain JSON copy whose texts hold no half surrogate pairs, so that canonical JSON can say it. */
export function wellFormed(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text === undefined
    ? null
    : JSON.parse(text, (_, item: unknown) =>
        typeof item === 'string' ? item.toWellFormed() : item,
      );
}
