import { z } from 'zod';

/** A file of a model, below the model's own folder. */
const filePathSchema = z
  .string()
  .regex(/^(?!\/)(?!.*(?:^|\/)\.{1,2}(?:\/|$))[\w.\-/]+$/u, 'is no path inside a model');

/**
 * How an encoder makes a vector of a text, as its authors made theirs: another pooling or a missing
 * prefix gives vectors that look right and find less.
 */
export const encoderFactsSchema = z.object({
  /** Dimensions of a vector. */
  dimension: z.int().min(1).max(4096),
  /**
   * `cls`: the first token's output; `mean`: the mean over all tokens; `own`: the model's second output,
   * `sentence_embedding`, which it pools itself.
   */
  pooling: z.enum(['cls', 'mean', 'own']),
  /** Put before a question. */
  queryPrefix: z.string(),
  /** Put before what is found. */
  passagePrefix: z.string(),
  /** Tokens a text may have; what is longer is cut. */
  context: z.int().min(8),
});
export type EncoderFacts = z.infer<typeof encoderFactsSchema>;

/** A model that Grove knows, or that a person added (models/README.md). */
export const modelEntrySchema = z.object({
  id: z.string().regex(/^[a-z0-9][a-z0-9.-]{0,63}$/u),
  name: z.string().min(1),
  roles: z.array(z.enum(['encoder'])).min(1),
  runtime: z.literal('transformers'),
  /** Where it is downloaded from; null: it was added from a folder. */
  source: z.object({ host: z.url(), repository: z.string(), revision: z.string() }).nullable(),
  /** Of weights, as transformers.js names them: `q8` is `model_quantized.onnx`. */
  dtype: z.enum(['fp32', 'fp16', 'q8', 'q4']),
  files: z
    .array(
      z.object({
        path: filePathSchema,
        /** Exact, where it is known. */
        bytes: z.int().positive().nullable(),
        sha256: z
          .string()
          .regex(/^[0-9a-f]{64}$/u)
          .nullable(),
      }),
    )
    .min(1),
  /** Of all files together, to say before a download. */
  approximateBytes: z.int().positive(),
  encoder: encoderFactsSchema,
  licence: z.string().min(1),
  notes: z.string(),
});
export type ModelEntry = z.infer<typeof modelEntrySchema>;

export const registrySchema = z.object({
  version: z.literal(1),
  models: z.array(modelEntrySchema),
});
