import { z } from 'zod';
import type { BankManifest, LogEntry } from '../core/bank/operation.ts';
import { bankManifestSchema } from '../core/bank/operation.ts';
import type { CallRecord } from '../core/call.ts';
import type { Json } from '../core/canonical.ts';
import { StorageError } from '../core/errors.ts';
import type { LogHead } from '../core/ports.ts';
import type { RunEvent } from '../core/run.ts';
import { lessonDraftSchema, runRecordSchema } from '../core/run.ts';
import { taskSchema } from '../core/task.ts';
import { bundleManifestSchema, lineageSchema } from '../core/transfer/bundle/bundle-format.ts';

/** How many log entries a chunk holds; only the last chunk of a log holds fewer. */
export const CHUNK_ENTRIES = 64;

/** Settings whose key begins so hold secrets: they never enter a back-up. */
export const SECRET_PREFIX = 'secret.';

export const logHeadSchema = z.object({ seq: z.int().nonnegative(), hash: z.string() });

/** How the ids of staging banks that an import fills begin. */
export const IMPORT_PREFIX = 'import-';

/** On a staging bank that an import has filled and checked: it waits for a person's trust. */
export const heldMarkSchema = z.object({
  importedAt: z.string(),
  fileName: z.string(),
  relation: z.enum(['new', 'newer', 'copy']),
  /** The head of the bank that it replaces once it is trusted; null where there must be none. */
  expected: logHeadSchema.nullable(),
  counts: bundleManifestSchema.shape.counts,
  lineage: lineageSchema,
  leftOut: z.object({ crops: z.int().nonnegative(), images: z.int().nonnegative() }),
});
export type HeldMark = z.infer<typeof heldMarkSchema>;

/**
 * A bank, published or staging. Its log and snapshot lie under `dataId`, so that publishing a staging
 * bank is one write of this row. `replaces` is the bank a staging bank will stand in for.
 */
export interface BankRow {
  readonly id: string;
  readonly dataId: string;
  readonly published: 0 | 1;
  readonly replaces: string | null;
  readonly manifest: BankManifest;
  readonly head: LogHead;
  readonly held?: HeldMark | undefined;
}

export const bankRowSchema = z.object({
  id: z.string(),
  dataId: z.string(),
  published: z.union([z.literal(0), z.literal(1)]),
  replaces: z.string().nullable(),
  manifest: bankManifestSchema,
  head: logHeadSchema,
  held: heldMarkSchema.optional(),
});

/** Entries `index · 64 + 1` to `index · 64 + 64` of a log. */
export interface LogChunkRow {
  readonly dataId: string;
  readonly bankId: string;
  readonly index: number;
  readonly entries: readonly LogEntry[];
}

/** What is read first of a snapshot. Rows of an older form are there until the next snapshot is left. */
export const snapshotRowSchema = z.object({
  dataId: z.string(),
  bankId: z.string(),
  head: logHeadSchema,
  nodes: z.int().nonnegative(),
  pieces: z.int().nonnegative(),
  state: z.string(),
  groups: z.string(),
});
export type SnapshotRow = z.infer<typeof snapshotRowSchema>;

/** Of the snapshot at `head`: the texts of piece `index`, or, below 0, the structure of piece `-1 - index`. */
export const snapshotTextRowSchema = z.object({
  dataId: z.string(),
  bankId: z.string(),
  index: z.int(),
  head: logHeadSchema,
  text: z.string(),
});
export type SnapshotTextRow = z.infer<typeof snapshotTextRowSchema>;

/** A part of a recall index; `making` names how that was made. */
export const recallPartRowSchema = z.object({
  dataId: z.string(),
  bankId: z.string(),
  making: z.string(),
  name: z.string(),
  bytes: z.instanceof(Uint8Array<ArrayBuffer>),
});
export type RecallPartRow = z.infer<typeof recallPartRowSchema>;

export const taskRowSchema = z.object({
  id: z.string(),
  imageHashes: z.array(z.string()),
  task: taskSchema,
});
export type TaskRow = z.infer<typeof taskRowSchema>;

export const runRowSchema = z.object({
  id: z.string(),
  taskId: z.string(),
  bankId: z.string().nullable(),
  createdAt: z.string(),
  run: runRecordSchema,
});
export type RunRow = z.infer<typeof runRowSchema>;

export interface RunEventRow {
  readonly runId: string;
  readonly index: number;
  readonly event: RunEvent;
}

/** A completed call; `id` is `callKeyId` of its key. */
export interface CallRow {
  readonly id: string;
  readonly runId: string;
  readonly call: CallRecord;
}

export const draftRowSchema = z.object({
  id: z.string(),
  bankId: z.string(),
  runId: z.string(),
  draft: lessonDraftSchema,
});
export type DraftRow = z.infer<typeof draftRowSchema>;

export interface BlobRow {
  readonly hash: string;
  readonly mediaType: string;
  readonly byteLength: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface SettingRow {
  readonly key: string;
  readonly value: Json;
}

export const settingRowSchema = z.object({ key: z.string(), value: z.json() });

/** One request that left, or was kept from leaving. Storage knows its time only; the gate knows the rest. */
export type LedgerRecord = { readonly at: string; readonly [field: string]: Json };

export const ledgerRecordSchema = z.object({ at: z.string() }).catchall(z.json());

export interface LedgerRow {
  /** Given by the database, in order of writing. */
  readonly id?: number;
  readonly at: string;
  readonly entry: LedgerRecord;
}

/** Rows of a back-up that is being checked, before one transaction puts them in place. */
export interface StagedRow {
  readonly restoreId: string;
  readonly index: number;
  readonly table: string;
  readonly rows: readonly unknown[];
}

/**
 * A small row as it came out of the database, checked.
 *
 * @throws StorageError `corrupt`, naming the path that does not fit.
 */
export function parseRow<T>(schema: z.ZodType<T>, row: unknown, what: string): T {
  const parsed = schema.safeParse(row);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = issue === undefined || issue.path.length === 0 ? 'its shape' : issue.path.join('.');
  throw new StorageError(
    'corrupt',
    `The stored ${what} is damaged at ${path}: ${issue?.message ?? 'it does not fit'}.`,
    { cause: parsed.error },
  );
}
