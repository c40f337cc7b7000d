import { z } from 'zod';
import { accept, refuse, type Result } from '../result.ts';
import type { LanguageEntry } from './model-entry.ts';
import {
  idOf,
  jsonIn,
  missingFiles,
  type FolderRefusal,
  type ModelFolder,
} from './model-folder.ts';
import { promptBudgetOf } from './prompt-budget.ts';

/** By it a folder is known as one that MLC made for WebLLM. */
const CONFIG = 'mlc-chat-config.json';
/** The lists of weights, of newer and of older tools. */
const TENSOR_LISTS = ['tensor-cache.json', 'ndarray-cache.json'] as const;

const configSchema = z.object({
  quantization: z.string().default(''),
  context_window_size: z.int().optional(),
});

export function looksLikeWebLlm({ sizes }: ModelFolder): boolean {
  return sizes.has(CONFIG);
}

/**
 * The model that a folder holds as MLC lays its models out, with the library that was compiled for it
 * (`*.wasm`) among its files.
 */
export async function webLlmOfFolder(
  folder: ModelFolder,
): Promise<Result<LanguageEntry, FolderRefusal>> {
  const config = configSchema.safeParse(await jsonIn(folder, CONFIG));
  if (!config.success) return refuse('not-readable', `Its ${CONFIG} cannot be read.`);
  const paths = [...folder.sizes.keys()].filter((path) => !path.includes('/'));
  const library = paths.find((path) => path.endsWith('.wasm'));
  const missing: string[] = [];
  if (!folder.sizes.has('tokenizer.json')) missing.push('tokenizer.json');
  if (!TENSOR_LISTS.some((path) => folder.sizes.has(path))) missing.push(TENSOR_LISTS.join(' or '));
  if (library === undefined) missing.push('the library compiled for it (a .wasm file)');
  if (library === undefined || missing.length > 0) return missingFiles('model of WebLLM', missing);
  const { quantization, context_window_size: window = 4096 } = config.data;
  // A window without an end is written as -1.
  const context = window < 64 ? 4096 : window;
  const files = paths.filter((path) => /\.(json|bin|txt|model|wasm)$/u.test(path));
  const bytes = files.reduce((sum, path) => sum + (folder.sizes.get(path) ?? 0), 0);
  return accept({
    id: idOf(folder.name, 'model'),
    name: folder.name,
    roles: ['text'],
    runtime: 'web-llm',
    source: null,
    dtype: { webgpu: 'compiled' },
    requires: quantization.includes('f16') ? ['shader-f16'] : [],
    files: files.map((path) => ({ path, bytes: folder.sizes.get(path) ?? null, sha256: null })),
    approximateBytes: Math.max(1, bytes),
    memoryBytes: Math.max(1, Math.round(bytes * 1.3)),
    language: {
      architecture: 'causal',
      context,
      promptBudget: promptBudgetOf(context),
      images: null,
      library,
      selfTest: null,
    },
    otherwise: null,
    licence: 'as its authors say',
    notes: `Added from ${folder.origin ?? 'a folder'}.`,
  });
}
