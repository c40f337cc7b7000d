import { z } from 'zod';

/**
 * Ends the name of a note beside a file until its model is whole: which version of it the bytes so far
 * are of, as its server names it, or that all of it is there.
 */
export const TAG = '.tag';
/** A tag of a file that is all there: this, and its hash. */
export const WHOLE = 'whole ';

/** Paths are below the model's own folder. */
const atSchema = z.object({ modelId: z.string(), path: z.string() });

const bringOrderSchema = atSchema.extend({
  type: z.literal('bring'),
  /** How many it has to have, where that is known: what is longer is not read to its end. */
  bytes: z.number().nullable(),
  /** What an earlier try got is gone on from. */
  resume: z.boolean(),
  from: z.discriminatedUnion('type', [
    z.object({ type: z.literal('file'), file: z.instanceof(Blob) }),
    z.object({
      type: z.literal('server'),
      url: z.url(),
      headers: z.record(z.string(), z.string()),
    }),
  ]),
});
export type BringOrder = z.infer<typeof bringOrderSchema>;

const checkOrderSchema = atSchema.extend({ type: z.literal('check') });

export type FileOrder = BringOrder | z.infer<typeof checkOrderSchema>;

/**
 * What a file worker is told: to bring a file of a model in, or to hash one that is there; or to stop
 * that. The next order comes once it told how the last one ended.
 */
export const fileMessageSchema = z.discriminatedUnion('type', [
  bringOrderSchema,
  checkOrderSchema,
  z.object({ type: z.literal('stop') }),
]);

/** What the worker tells of an order; `done` and `failure` are the last. */
export const fileReportSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('progress'),
    /** Of the file, those that were there before included. */
    bytes: z.number(),
    /** Those that were there before. */
    before: z.number(),
  }),
  z.object({ type: z.literal('done'), bytes: z.number(), sha256: z.string() }),
  z.object({
    type: z.literal('failure'),
    code: z.enum([
      'no-room',
      'not-the-file',
      'not-reached',
      'refused',
      'busy',
      'stopped',
      'failed',
    ]),
    message: z.string(),
  }),
]);
export type FileReport = z.infer<typeof fileReportSchema>;
