import { z } from 'zod';
import { bankManifestSchema, logEntrySchema } from '../../core/bank/operation.ts';
import { callRecordSchema } from '../../core/call.ts';
import { hashJson } from '../../core/canonical.ts';
import { lessonDraftSchema, runEventSchema, runRecordSchema } from '../../core/run.ts';
import { referenceSchema, taskSchema } from '../../core/task.ts';
import {
  CHUNK_ENTRIES,
  ledgerRecordSchema,
  logHeadSchema,
  SECRET_PREFIX,
  settingRowSchema,
} from '../rows.ts';

/** What the manifest of every back-up calls itself, and the newest form this Grove reads. */
export const BACKUP_FORMAT = 'grove-backup';
export const BACKUP_VERSION = 1;

export const MANIFEST_PATH = 'manifest.json';

/** Where the bytes of an image lie in a back-up. */
export const blobPath = (hash: string): string => `blobs/${hash}`;

/** Where the records of a table lie. */
export const tablePath = (table: string): string => `tables/${table}.jsonl`;

/**
 * What a line of each table's file is: the record, as core knows it, without how this version of the
 * database lays it out. Snapshots are left out: they are worked out again from the log, and a forged
 * one would show a tree that the log does not say.
 */
export const recordSchemas = {
  banks: z.object({ manifest: bankManifestSchema, head: logHeadSchema }),
  logChunks: z.object({
    bankId: z.string(),
    index: z.int().nonnegative(),
    entries: z.array(logEntrySchema).min(1).max(CHUNK_ENTRIES),
  }),
  tasks: taskSchema,
  references: referenceSchema,
  runs: runRecordSchema,
  runEvents: z.object({
    runId: z.string(),
    index: z.int().nonnegative(),
    event: runEventSchema,
  }),
  calls: callRecordSchema,
  drafts: lessonDraftSchema,
  settings: settingRowSchema.refine(({ key }) => !key.startsWith(SECRET_PREFIX), {
    message: 'a back-up holds no secrets',
  }),
  ledger: ledgerRecordSchema,
  blobs: z.object({
    hash: z.string().regex(/^[0-9a-f]{64}$/u),
    mediaType: z.string(),
    byteLength: z.int().nonnegative(),
  }),
} as const;

export type BackupTable = keyof typeof recordSchemas;
export type BackupRecord<Table extends BackupTable> = z.infer<(typeof recordSchemas)[Table]>;

/** Every table of a back-up, in the order of its files: a bank before its log, a run before its events. */
export const BACKUP_TABLES = [
  'banks',
  'logChunks',
  'tasks',
  'references',
  'runs',
  'runEvents',
  'calls',
  'drafts',
  'settings',
  'ledger',
  'blobs',
] as const satisfies readonly BackupTable[];

const manifestBody = {
  format: z.literal(BACKUP_FORMAT),
  formatVersion: z.literal(BACKUP_VERSION),
  /** ISO 8601. */
  createdAt: z.string(),
  /** One per table, with the hash of its text and what it holds. */
  tables: z
    .array(
      z.object({
        table: z.enum(BACKUP_TABLES),
        rows: z.int().nonnegative(),
        bytes: z.int().nonnegative(),
        hash: z.string(),
      }),
    )
    .length(BACKUP_TABLES.length),
};

/** The manifest of a back-up; `hash` is of the canonical JSON of the rest. */
export const manifestSchema = z.object({ ...manifestBody, hash: z.string() });
export type BackupManifest = z.infer<typeof manifestSchema>;

/** What can be told of any manifest, also a newer one. */
export const manifestHeaderSchema = z.looseObject({
  format: z.literal(BACKUP_FORMAT),
  formatVersion: z.number(),
});

/** The hash a manifest must carry. */
export function manifestHash(manifest: Omit<BackupManifest, 'hash'>): string {
  const { format, formatVersion, createdAt, tables } = manifest;
  return hashJson({ format, formatVersion, createdAt, tables });
}

/** How far a back-up or a restore is, in records and images. */
export interface BackupProgress {
  readonly done: number;
  readonly total: number;
}
