import { z } from 'zod';

/**
 * Ends the name of a note beside a file until its model is whole: which version of it the bytes so far
 * are of, as its server names it, or that all of it is there.
 */
export const TAG = '.tag';

/** A file of a model to bring in: from a file that a person gave, or from a server. */
export const bringOrderSchema = z.object({
  modelId: z.string(),
  path: z.string(),
  from: z.discriminatedUnion('type', [
    z.object({ type: z.literal('file'), file: z.instanceof(Blob) }),
    z.object({
      type: z.literal('server'),
      url: z.url(),
      headers: z.record(z.string(), z.string()),
      /** What an earlier try got is gone on from. */
      resume: z.boolean(),
    }),
  ]),
});
export type BringOrder = z.infer<typeof bringOrderSchema>;

/** What the worker tells; `done` and `failure` are the last. */
export const bringReportSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('progress'),
    bytes: z.number(),
    /** null: the server does not say. */
    total: z.number().nullable(),
  }),
  z.object({ type: z.literal('done'), bytes: z.number(), sha256: z.string() }),
  z.object({
    type: z.literal('failure'),
    code: z.enum(['no-room', 'not-reached', 'refused', 'busy', 'failed']),
    message: z.string(),
  }),
]);
export type BringReport = z.infer<typeof bringReportSchema>;
