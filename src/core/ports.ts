/**
 * What core asks of the world. Adapters implement these; `main.ts` puts them together; core never
 * sees which one it got. Every call that can take long takes an `AbortSignal`.
 */
import type { Hash } from './canonical.ts';
import type { Box } from './box.ts';
import type { CallKey, CallRecord, ModelChunk, ModelRequest } from './call.ts';
import type { Crop } from './memory.ts';
import type { Reference, Task, TaskImage } from './task.ts';
import type { FeedbackType, LessonDraft, RunEvent, RunRecord } from './run.ts';
import type { StoredRecall } from './recall/index/stored-form.ts';
import type { BankManifest, BankSettings, LogEntry } from './bank/operation.ts';

/** Wall clock and monotonic clock. */
export interface Clock {
  /** ISO 8601 in UTC, milliseconds. */
  now(): string;
  /** Milliseconds since some fixed point; only differences mean anything. */
  monotonicMs(): number;
}

/** Sortable random ids: 26 characters of Crockford base 32, time first (ULID layout). */
export interface IdSource {
  next(): string;
}

/** Bytes with what they are. */
export interface StoredBlob {
  readonly hash: Hash;
  readonly mediaType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Content-addressed bytes: images and crops. Throws `StorageError`. */
export interface BlobStore {
  put(bytes: Uint8Array<ArrayBuffer>, mediaType: string): Promise<Hash>;
  get(hash: Hash): Promise<StoredBlob | undefined>;
}

/** Cuts crops. Pure but for the pixels: the same source and box give the same crop. */
export interface Cropper {
  /** Cuts `box` out of a stored upright image, stores the crop, and says what it is. Throws `MediaError`. */
  crop(image: TaskImage, box: Box, signal?: AbortSignal): Promise<Crop>;
}

/**
 * A language model behind whatever runs it. Streams chunks and ends with one `finish`.
 * Throws `ModelCallError`; after an abort it throws with code `aborted` within 200 ms.
 */
export interface Backbone {
  /** `simulated`, `endpoint:<profile id>`, or `local:<model id>`. */
  readonly id: string;
  /** As people read it: "Simulated solver: no model", "qwen3-vl at localhost:8000". */
  readonly label: string;
  readonly device: 'this-device' | 'remote';
  generate(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk>;
}

/** Completed model calls of a run. A record is stored before the next call begins. */
export interface CallJournal {
  find(key: CallKey): Promise<CallRecord | undefined>;
  /** Idempotent by key. Throws `StorageError`. */
  record(record: CallRecord): Promise<void>;
}

/** Runs, their durable events, and the lessons drafted from them. */
export interface RunStore {
  putTask(task: Task): Promise<void>;
  getTask(id: string): Promise<Task | undefined>;
  putRun(run: RunRecord): Promise<void>;
  getRun(id: string): Promise<RunRecord | undefined>;
  /** Newest first. */
  listRuns(limit: number): Promise<readonly RunRecord[]>;
  /** Idempotent: the event with this 0-based index of the run. A replay writes the same again. */
  putEvent(runId: string, index: number, event: RunEvent): Promise<void>;
  getEvents(runId: string): Promise<readonly RunEvent[]>;
  /** Removes the events from this 0-based index on: what a replay with new feedback no longer tells. */
  deleteEventsFrom(runId: string, index: number): Promise<void>;
  putDraft(draft: LessonDraft): Promise<void>;
  /** All of them or, on any failure, none. */
  putDrafts(drafts: readonly LessonDraft[]): Promise<void>;
  listDrafts(bankId: string): Promise<readonly LessonDraft[]>;
  deleteDraft(id: string): Promise<void>;
  /** All of them or, on any failure, none; one that is not there is no failure. */
  deleteDrafts(ids: readonly string[]): Promise<void>;
  /** Removes a run with its events, calls and drafts. */
  deleteRun(id: string): Promise<void>;
}

/** Known answers, apart from everything a solver can reach. Only a grader is handed this port. */
export interface ReferenceStore {
  putReference(reference: Reference): Promise<void>;
  getReference(taskId: string): Promise<Reference | undefined>;
}

/** Tells whether an answer is right, by what the person allowed: never part of a prompt. */
export interface Grader {
  readonly type: FeedbackType;
  grade(task: Task, answer: string): Promise<'right' | 'wrong' | 'unknown'>;
}

/** The head of a bank's log. `seq` 0 and the genesis hash for an empty one. */
export interface LogHead {
  readonly seq: number;
  readonly hash: Hash;
}

export interface BankInfo {
  readonly manifest: BankManifest;
  readonly head: LogHead;
}

/** Banks as logs, in chunks, with snapshots. Throws `StorageError`; `head-moved` when another tab was first. */
export interface BankStore {
  listBanks(): Promise<readonly BankInfo[]>;
  createBank(manifest: BankManifest): Promise<void>;
  getBank(id: string): Promise<BankInfo | undefined>;
  /** The entries after `afterSeq`, in order; the first `most` of them where that is given. */
  readLog(bankId: string, afterSeq: number, most?: number): Promise<readonly LogEntry[]>;
  /**
   * Appends under the bank's lock, only if the head is still `expected`; one transaction. Entries
   * carry on the chain from it.
   */
  append(bankId: string, expected: LogHead, entries: readonly LogEntry[]): Promise<LogHead>;
  /** The groups of the newest snapshot, and how many nodes it has. */
  readGroups(bankId: string): Promise<SnapshotGroups | undefined>;
  /** The newest snapshot without its texts. */
  readStructure(bankId: string): Promise<Pick<BankSnapshot, 'head' | 'structure'> | undefined>;
  /** Texts of pieces `from` up to `to` of the snapshot at that head; undefined where it is gone. */
  readTexts(
    bankId: string,
    head: LogHead,
    pieces: { readonly from: number; readonly to: number },
  ): Promise<readonly string[] | undefined>;
  /** Leaves a snapshot in place of an older one. */
  putSnapshot(bankId: string, snapshot: BankSnapshot): Promise<void>;
  /** Changes what a person may change of a bank's manifest; its log stays as it is. */
  changeSettings(bankId: string, settings: BankSettings): Promise<void>;
  deleteBank(id: string): Promise<void>;
}

/** Recall indexes as bytes, by the bank and by how they were made. They can be made again from the log. */
export interface RecallStore {
  /** The parts that were written last; undefined where there are none. */
  readRecall(bankId: string, making: string): Promise<StoredRecall | undefined>;
  /**
   * Puts `parts` of an index and removes those that `names` leaves out. Nothing is written where the log
   * does not pass through `head`.
   */
  writeRecall(bankId: string, index: RecallParts): Promise<void>;
  /** Removes the index of a bank that was made so. */
  removeRecall(bankId: string, making: string): Promise<void>;
}

export interface RecallParts {
  readonly making: string;
  readonly head: LogHead;
  /** Of all its parts. */
  readonly names: readonly string[];
  /** Those that are not stored as they are. */
  readonly parts: StoredRecall;
}

/** What a tree is, without its texts: opaque pieces of nodes, and how many nodes they hold. */
export interface SnapshotStructure {
  readonly nodes: number;
  readonly state: string;
  readonly pieces: readonly string[];
}

/** What is seen of a large bank first: an opaque piece of its groups, and how many nodes it has. */
export interface SnapshotGroups {
  readonly nodes: number;
  readonly groups: string;
}

/** A tree as it stood at `head`: groups, structure and text apart, so that opening reads them in turn. */
export interface BankSnapshot {
  readonly head: LogHead;
  readonly groups: string;
  readonly structure: SnapshotStructure;
  /** The texts of the same nodes as the structure's pieces. */
  readonly texts: readonly string[];
}
