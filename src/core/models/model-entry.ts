import { z } from 'zod';
import { boxConventionSchema } from '../evolve/model/box-convention.ts';

/** A file of a model, below the model's own folder. */
const filePathSchema = z
  .string()
  .regex(/^(?!\/)(?!.*(?:^|\/)\.{1,2}(?:\/|$))[\w.\-/]+$/u, 'is no path inside a model');

export const modelFileSchema = z.object({
  path: filePathSchema,
  /** Exact, where it is known. */
  bytes: z.int().positive().nullable(),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/u)
    .nullable(),
  /** Where it is downloaded from, where that is not the model's own source. */
  url: z.url().exactOptional(),
});
export type ModelFile = z.infer<typeof modelFileSchema>;

/** What runs a model's arithmetic; `browser`: the browser's own model, wherever it runs that. */
export const deviceSchema = z.enum(['webgpu', 'wasm', 'browser']);
export type Device = z.infer<typeof deviceSchema>;

/** Of weights, as transformers.js names them: `q8` is `model_quantized.onnx`. */
const dtypeSchema = z.enum(['fp32', 'fp16', 'q8', 'q4', 'q4f16']);

const commonSchema = z.object({
  id: z.string().regex(/^[a-z0-9][a-z0-9.-]{0,63}$/u),
  name: z.string().min(1),
  /** Where it is downloaded from; null: it was added from a folder. */
  source: z.object({ host: z.url(), repository: z.string(), revision: z.string() }).nullable(),
  files: z.array(modelFileSchema).min(1),
  /** Of all files together, to say before a download. */
  approximateBytes: z.int().positive(),
  licence: z.string().min(1),
  notes: z.string(),
});

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

export const encoderEntrySchema = commonSchema.extend({
  roles: z.array(z.enum(['encoder'])).min(1),
  runtime: z.literal('transformers'),
  dtype: dtypeSchema,
  encoder: encoderFactsSchema,
});
export type EncoderEntry = z.infer<typeof encoderEntrySchema>;

/** What a language model can take, and how it is asked. */
export const languageFactsSchema = z.object({
  /** Which class of transformers.js it is; for WebLLM always `causal`. */
  architecture: z.enum(['causal', 'image-text']),
  /** Tokens of prompt and reply together. */
  context: z.int().min(64),
  /** Tokens of a prompt, images included: what is longer is refused before it could break the engine. */
  promptBudget: z.int().min(32),
  /** null: it sees no images. */
  images: z
    .object({
      /** An image is sent with its longest side at most this many pixels, so that it costs at most `tokensEach`. */
      longestSidePx: z.int().min(16),
      tokensEach: z.int().positive(),
      boxes: boxConventionSchema,
    })
    .nullable(),
  /** The compiled library of a WebLLM model, by its path among the files. */
  library: filePathSchema.nullable(),
  /**
   * Asked after loading, always taking the likeliest token: the reply has to contain the answer, and the
   * logits of its first token have to be these, or the weights are computed wrongly here.
   */
  selfTest: z
    .object({
      question: z.string(),
      answer: z.string().min(1),
      maxNewTokens: z.int().positive(),
      logits: z
        .object({
          /** Of some tokens, by id, as they were computed elsewhere. */
          values: z.array(z.object({ token: z.int().nonnegative(), logit: z.number() })).min(1),
          tolerance: z.number().positive(),
        })
        .exactOptional(),
    })
    .nullable(),
});
export type LanguageFacts = z.infer<typeof languageFactsSchema>;

const languageMembersSchema = commonSchema.extend({
  roles: z.array(z.enum(['text', 'vision'])).min(1),
  /** `browser`: the model that the browser brings along and keeps the files of itself. */
  runtime: z.enum(['transformers', 'web-llm', 'browser']),
  /** None of a browser's own model. */
  files: z.array(modelFileSchema),
  /** 0 where only the browser knows. */
  approximateBytes: z.int().nonnegative(),
  /** Weights by device, of all parts or by part; a device that is not named does not run it. */
  dtype: z.partialRecord(
    deviceSchema,
    z.union([dtypeSchema, z.record(z.string(), dtypeSchema), z.literal('compiled')]),
  ),
  /** What the GPU must offer. */
  requires: z.array(z.enum(['shader-f16'])),
  /** Memory it takes while it is loaded, about; 0 where that is the browser's business. */
  memoryBytes: z.int().nonnegative(),
  language: languageFactsSchema,
  /** The model to take where this one computes wrongly here: its id. */
  otherwise: z.string().nullable(),
});

export const languageEntrySchema = languageMembersSchema.refine(
  ({ runtime, files }) => runtime === 'browser' || files.length > 0,
  { path: ['files'], message: 'a model of files has at least one' },
);
export type LanguageEntry = z.infer<typeof languageEntrySchema>;

/** A model that Grove knows, or that a person added (models/README.md). */
export const modelEntrySchema = z.union([encoderEntrySchema, languageEntrySchema]);
export type ModelEntry = z.infer<typeof modelEntrySchema>;

export function isEncoderEntry(entry: ModelEntry): entry is EncoderEntry {
  return 'encoder' in entry;
}

export function isLanguageEntry(entry: ModelEntry): entry is LanguageEntry {
  return 'language' in entry;
}

export const registrySchema = z.object({
  version: z.literal(1),
  models: z.array(modelEntrySchema),
});
