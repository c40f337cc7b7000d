import {
  defaultManifest,
  GENESIS_HASH,
  type BankManifest,
  type LogEntry,
} from '../../../src/core/bank/operation.ts';
import { lessonContentHash, type Evidence, type Lesson } from '../../../src/core/bank/node.ts';
import { requestHash, type CallRecord, type ModelRequest } from '../../../src/core/call.ts';
import { hashJson } from '../../../src/core/canonical.ts';
import type { Crop } from '../../../src/core/memory.ts';
import type { LogHead } from '../../../src/core/ports.ts';
import { DEFAULT_RUN_CONFIG, type LessonDraft, type RunRecord } from '../../../src/core/run.ts';
import { makeTask, type Task } from '../../../src/core/task.ts';
import { ulidSource } from '../../../src/state/ids.ts';

/** Ids that no other test uses, so that locks and databases are apart. */
export const ids = ulidSource();

/** The genesis head. */
export const START: LogHead = { seq: 0, hash: GENESIS_HASH };

/** Deletes a database; waits for connections that are closing. */
export function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error ?? new Error('not deleted'));
  });
}

/** Pseudo-random bytes that deflate badly, from a seed. */
export function bytesOf(seed: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let state = seed * 2654435761 + 1;
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

export function manifestOf(name: string): BankManifest {
  return defaultManifest({ id: ids.next(), name, createdAt: '2026-01-01T00:00:00.000Z' });
}

export function cropOf(hash: string, sourceHash: string): Crop {
  return {
    hash,
    mediaType: 'image/png',
    width: 120,
    height: 80,
    sourceHash,
    sourceWidth: 1440,
    sourceHeight: 960,
    box: [0.1, 0.2, 0.3, 0.4],
  };
}

const EVIDENCE: Evidence = {
  taskId: 'task',
  runId: 'run',
  attempt: 1,
  harness: 'team',
  backbone: 'simulated',
  model: 'metro-simulator',
  tool: 'none',
  at: '2026-01-01T00:00:00.000Z',
  feedback: 'none',
  strength: 'unverified',
  supports: true,
};

export function lessonOf(number: number, crop: Crop | null = null): Lesson {
  const content = {
    title: `Count stops, not the origin (${number})`,
    guidance: `Start counting at the first stop after the origin; the origin itself is stop zero. ${number}`,
    appliesWhen: 'the question asks how many stops lie between two stations',
    cautions: ['A one-way loop counts in one direction only.'],
    topic: 'counting stops',
    scope: 'transit maps',
    anchor: `How many stops from A to B on line ${number}?`,
    crop,
  };
  return {
    kind: 'lesson',
    id: `lesson-${String(number).padStart(6, '0')}`,
    parent: null,
    content,
    contentHash: lessonContentHash(content),
    evidence: [EVIDENCE],
    status: 'active',
    trust: 'trusted',
    revises: null,
  };
}

/** A true hash chain of `count` entries that carries on from `head`. */
export function entriesFrom(head: LogHead, count: number, crop: Crop | null = null): LogEntry[] {
  const entries: LogEntry[] = [];
  let { seq, hash } = head;
  for (let made = 0; made < count; made += 1) {
    seq += 1;
    const body = {
      seq,
      prev: hash,
      step: Math.ceil(seq / 10),
      at: '2026-01-01T00:00:00.000Z',
      by: { kind: 'harness', name: 'memory harness' },
      operation: { type: 'add-lesson', lesson: lessonOf(seq, crop) },
    } as const;
    hash = hashJson(body);
    entries.push({ ...body, hash });
  }
  return entries;
}

export function headOf(entries: readonly LogEntry[]): LogHead {
  const last = entries.at(-1);
  return last === undefined ? START : { seq: last.seq, hash: last.hash };
}

export function taskOf(question: string, imageHashes: readonly string[]): Task {
  return makeTask({
    question,
    publicInformation: '',
    images: imageHashes.map((hash, at) => ({
      hash,
      name: `map-${at}.png`,
      mediaType: 'image/png',
      width: 1440,
      height: 960,
      byteLength: 1000,
    })),
  });
}

export function runOf(task: Task, bankId: string | null, createdAt: string): RunRecord {
  return {
    id: ids.next(),
    taskId: task.id,
    config: { ...DEFAULT_RUN_CONFIG, bankId },
    status: 'finished',
    answer: '7',
    createdAt,
    updatedAt: createdAt,
    userFeedback: [],
    label: null,
  };
}

export function callOf(runId: string, ordinal: number, imageHash: string): CallRecord {
  const request: ModelRequest = {
    prompt: 'direct-solver@1',
    messages: [
      {
        role: 'user',
        parts: [
          { type: 'text', text: `How many stops? ${ordinal}` },
          { type: 'image', hash: imageHash, mediaType: 'image/png', width: 1440, height: 960 },
        ],
      },
    ],
    maxOutputTokens: 512,
    temperature: 0,
    sample: 0,
  };
  return {
    key: {
      runId,
      attempt: 1,
      role: 'solver',
      ordinal,
      sample: 0,
      requestHash: requestHash(request),
    },
    request,
    response: {
      text: `Seven stops. ${ordinal}`,
      reasoning: '',
      finishReason: 'stop',
      usage: { promptTokens: 300, completionTokens: 20, images: 1, estimated: true },
      model: 'metro-simulator',
    },
    backbone: 'simulated',
    device: 'this-device',
    startedAt: '2026-01-01T00:00:00.000Z',
    durationMs: 12,
  };
}

export function draftOf(
  runId: string,
  bankId: string,
  number: number,
  crop: Crop | null,
): LessonDraft {
  return {
    id: ids.next(),
    runId,
    bankId,
    content: lessonOf(number, crop).content,
    source: EVIDENCE,
    heldFor: null,
  };
}
