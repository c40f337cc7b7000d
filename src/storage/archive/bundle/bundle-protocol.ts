import { z } from 'zod';
import { bankManifestSchema } from '../../../core/bank/operation.ts';
import type { BundleCode } from '../../../core/transfer/bundle/bundle-error.ts';
import {
  bundleManifestSchema,
  lineageSchema,
} from '../../../core/transfer/bundle/bundle-format.ts';
import type { BundleProgress } from '../../../core/transfer/bundle/bundle-progress.ts';
import type { ExportedBundle, ImportOutcome } from '../../../core/transfer/bundle/bundle-store.ts';
import type { ExportPreview } from '../../../core/transfer/bundle/preview.ts';
import { heldMarkSchema, logHeadSchema } from '../../rows.ts';

/** What a page asks of a bundle worker. One job a worker, and then perhaps that it stop. */
export const bundleOrderSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('preview'),
    databaseName: z.string(),
    bankId: z.string(),
    sources: z.boolean(),
  }),
  z.object({
    type: z.literal('export'),
    databaseName: z.string(),
    bankId: z.string(),
    sources: z.boolean(),
    passphrase: z.string().optional(),
  }),
  z.object({
    type: z.literal('import'),
    databaseName: z.string(),
    file: z.instanceof(Blob),
    now: z.string(),
    fileName: z.string(),
    passphrase: z.string().optional(),
    as: z
      .discriminatedUnion('type', [
        z.object({ type: z.literal('update') }),
        z.object({ type: z.literal('copy'), id: z.string(), name: z.string().optional() }),
      ])
      .optional(),
  }),
  z.object({ type: z.literal('stop') }),
]);
export type BundleOrder = z.infer<typeof bundleOrderSchema>;

const progressSchema = z.object({
  phase: z.enum(['log', 'nodes', 'images']),
  done: z.number(),
  total: z.number().nullable(),
  bytes: z.number(),
  bytesTotal: z.number().nullable(),
}) satisfies z.ZodType<BundleProgress>;

const placeSchema = z.object({
  entry: z.string(),
  line: z.number().exactOptional(),
  path: z.string().exactOptional(),
});

/** What comes back: how far it is, and in the end a value of the job's own shape or why there is none. */
export const bundleReportSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), progress: progressSchema }),
  z.object({ type: z.literal('finish'), value: z.unknown() }),
  z.object({ type: z.literal('stopped') }),
  z.object({
    type: z.literal('refusal'),
    code: z.custom<BundleCode>((code) => typeof code === 'string'),
    message: z.string(),
    place: placeSchema.optional(),
  }),
  z.object({
    type: z.literal('failure'),
    code: z.enum([
      'quota-exceeded',
      'head-moved',
      'not-found',
      'corrupt',
      'newer-version',
      'closed',
      'failed',
    ]),
    message: z.string(),
  }),
]);
export type BundleReport = z.infer<typeof bundleReportSchema>;

const imageKind = z.enum(['crop', 'image']);

export const previewSchema = z.object({
  bank: bankManifestSchema.pick({ id: true, name: true, localOnly: true }),
  head: logHeadSchema,
  entries: z.number(),
  lessons: z.number(),
  retired: z.number(),
  groups: z.number(),
  lineage: lineageSchema,
  questions: z.array(z.string()),
  images: z.array(z.object({ kind: imageKind, hash: z.string(), bytes: z.number() })),
  missing: z.array(z.object({ kind: imageKind, hash: z.string() })),
  estimatedBytes: z.number(),
}) satisfies z.ZodType<ExportPreview>;

export const exportedSchema = z.object({
  file: z.instanceof(Blob),
  fileName: z.string(),
  manifest: bundleManifestSchema,
  leftOut: z.array(
    z.object({
      kind: imageKind,
      hash: z.string(),
      reason: z.enum([
        'missing',
        'too-large',
        'damaged',
        'not-an-image',
        'has-metadata',
        'not-as-described',
      ]),
    }),
  ),
}) satisfies z.ZodType<ExportedBundle<Blob>>;

const heldBankSchema = heldMarkSchema.omit({ expected: true }).extend({
  heldId: z.string(),
  manifest: bankManifestSchema,
  head: logHeadSchema,
});

export const outcomeSchema = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['held', 'already-held']), bank: heldBankSchema }),
  z.object({ type: z.literal('already-here'), bankId: z.string(), sameSettings: z.boolean() }),
  z.object({
    type: z.enum(['newer', 'older', 'diverged']),
    bankId: z.string(),
    name: z.string(),
    here: logHeadSchema,
    file: logHeadSchema,
  }),
]) satisfies z.ZodType<ImportOutcome>;
