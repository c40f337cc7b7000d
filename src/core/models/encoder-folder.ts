import { z } from 'zod';
import { accept, refuse, type Result } from '../result.ts';
import type { EncoderEntry, EncoderFacts } from './model-entry.ts';
import {
  idOf,
  jsonIn,
  missingFiles,
  type FolderRefusal,
  type ModelFolder,
} from './model-folder.ts';

/** Weights by preference: the small ones first that lose little. */
const WEIGHTS = [
  ['q8', 'onnx/model_quantized.onnx'],
  ['fp32', 'onnx/model.onnx'],
  ['q4', 'onnx/model_q4.onnx'],
  ['fp16', 'onnx/model_fp16.onnx'],
] as const;

const configSchema = z.object({
  hidden_size: z.int().min(1).max(4096),
  max_position_embeddings: z.int().min(8).optional(),
});
const poolingSchema = z.object({
  word_embedding_dimension: z.int().optional(),
  pooling_mode_cls_token: z.boolean().optional(),
  pooling_mode_mean_tokens: z.boolean().optional(),
});
const promptsSchema = z.object({ prompts: z.record(z.string(), z.string()).optional() });

/**
 * The encoder that a folder holds, laid out as transformers.js and sentence-transformers lay theirs
 * out. It says how it is pooled and prefixed; where it does not, the mean without a prefix is taken.
 */
export async function encoderOfFolder(
  folder: ModelFolder,
): Promise<Result<EncoderEntry, FolderRefusal>> {
  const weights = WEIGHTS.find(([, path]) => folder.sizes.has(path));
  const missing = ['config.json', 'tokenizer.json'].filter((path) => !folder.sizes.has(path));
  if (weights === undefined) missing.push(WEIGHTS.map(([, path]) => path).join(' or '));
  if (weights === undefined || missing.length > 0) return missingFiles('text encoder', missing);
  const [dtype, path] = weights;
  const config = configSchema.safeParse(await jsonIn(folder, 'config.json'));
  if (!config.success) {
    return refuse('not-readable', 'Its config.json does not say how many dimensions it has.');
  }
  const files = [
    'config.json',
    'tokenizer.json',
    'tokenizer_config.json',
    'special_tokens_map.json',
    path,
    `${path}_data`,
  ].filter((name) => folder.sizes.has(name));
  const facts = await factsOf(folder, config.data);
  return accept({
    id: idOf(folder.name, 'encoder'),
    name: folder.name,
    roles: ['encoder'],
    runtime: 'transformers',
    source: null,
    dtype,
    files: files.map((name) => ({
      path: name,
      bytes: folder.sizes.get(name) ?? null,
      sha256: null,
    })),
    approximateBytes: files.reduce((sum, name) => sum + (folder.sizes.get(name) ?? 0), 0),
    encoder: facts.facts,
    licence: 'as its authors say',
    notes: `Added from ${folder.origin ?? 'a folder'}${facts.said ? '.' : '. It does not say how to pool: the mean is taken.'}`,
  });
}

async function factsOf(
  folder: ModelFolder,
  { hidden_size, max_position_embeddings }: z.infer<typeof configSchema>,
): Promise<{ readonly facts: EncoderFacts; readonly said: boolean }> {
  const pooling = poolingSchema.safeParse(await jsonIn(folder, '1_Pooling/config.json')).data;
  const { prompts = {} } =
    promptsSchema.safeParse(await jsonIn(folder, 'config_sentence_transformers.json')).data ?? {};
  const facts: EncoderFacts = {
    dimension: hidden_size,
    pooling: pooling?.pooling_mode_cls_token === true ? 'cls' : 'mean',
    queryPrefix: prompts['query'] ?? '',
    passagePrefix: prompts['document'] ?? prompts['passage'] ?? '',
    context: max_position_embeddings ?? 512,
  };
  return { facts, said: pooling !== undefined };
}
