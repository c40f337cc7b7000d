import { z } from 'zod';
import { boxConventionOf } from '../evolve/model/box-convention.ts';
import { accept, refuse, type Result } from '../result.ts';
import {
  languageEntrySchema,
  languageFactsSchema,
  type Device,
  type LanguageEntry,
  type LanguageFacts,
} from './model-entry.ts';
import {
  idOf,
  jsonIn,
  missingFiles,
  type FolderRefusal,
  type ModelFolder,
} from './model-folder.ts';
import { promptBudgetOf } from './prompt-budget.ts';

type Dtype = 'fp32' | 'fp16' | 'q8' | 'q4' | 'q4f16';

/** How a file's name ends, by dtype, in the layout of transformers.js. */
const SUFFIXES = { fp32: '', fp16: '_fp16', q8: '_quantized', q4: '_q4', q4f16: '_q4f16' } as const;
/** Weights by preference: what is fast and small there. */
const PREFERRED = {
  webgpu: ['q4f16', 'q4', 'fp16', 'fp32'],
  wasm: ['q8', 'q4', 'fp32'],
} as const satisfies Partial<Record<Device, readonly Dtype[]>>;
const SIXTEEN_BIT: readonly Dtype[] = ['q4f16', 'fp16'];

/** Longest side of an image, where a model's own files do not say a smaller one. */
const IMAGE_SIDE_PX = 640;

const configSchema = z.object({
  architectures: z.array(z.string()).optional(),
  model_type: z.string().default(''),
  max_position_embeddings: z.int().min(64).optional(),
  text_config: z.object({ max_position_embeddings: z.int().min(64).optional() }).optional(),
  vision_config: z.unknown().optional(),
});
const preprocessorSchema = z.object({
  max_image_size: z.object({ longest_edge: z.int().positive() }).optional(),
  patch_size: z.int().positive().optional(),
  merge_size: z.int().positive().optional(),
});
const processorSchema = z.object({ image_seq_len: z.int().positive().optional() });

/** A file beside the weights in which whoever made them says what its other files do not. */
const OWN_FACTS = 'grove-model.json';
const { context, promptBudget, images, selfTest } = languageFactsSchema.shape;
const { name, memoryBytes, otherwise, licence, notes } = languageEntrySchema.shape;
const ownFactsSchema = z.strictObject({
  name: name.exactOptional(),
  memoryBytes: memoryBytes.exactOptional(),
  otherwise: otherwise.exactOptional(),
  licence: licence.exactOptional(),
  notes: notes.exactOptional(),
  language: z
    .strictObject({
      context: context.exactOptional(),
      promptBudget: promptBudget.exactOptional(),
      images: images.exactOptional(),
      selfTest: selfTest.exactOptional(),
    })
    .exactOptional(),
});

/** Whether a folder looks like a language model's rather than an encoder's. */
export async function looksLikeLanguage(folder: ModelFolder): Promise<boolean> {
  const config = configSchema.safeParse(await jsonIn(folder, 'config.json')).data;
  const [architecture = ''] = config?.architectures ?? [];
  return (
    /For(CausalLM|ConditionalGeneration|ImageTextToText)$/u.test(architecture) ||
    folder.sizes.has('onnx/decoder_model_merged.onnx')
  );
}

/** The language model that a folder holds, laid out as transformers.js lays its models out. */
export async function languageOfFolder(
  folder: ModelFolder,
): Promise<Result<LanguageEntry, FolderRefusal>> {
  const config = configSchema.safeParse(await jsonIn(folder, 'config.json'));
  if (!config.success) {
    return refuse('not-readable', 'Its config.json cannot be read as that of a language model.');
  }
  const sees = config.data.vision_config !== undefined;
  const parts = sees ? ['embed_tokens', 'decoder_model_merged', 'vision_encoder'] : ['model'];
  const dtype = dtypesOf(folder, parts);
  const needed = [
    'config.json',
    'tokenizer.json',
    'tokenizer_config.json',
    ...(sees ? ['preprocessor_config.json'] : []),
  ];
  const missing = needed.filter((path) => !folder.sizes.has(path));
  if (Object.keys(dtype).length === 0) {
    missing.push(
      parts.map((part) => `onnx/${part}.onnx`).join(' and ') +
        ' (or of one of these, for all: _quantized, _q4, _q4f16, _fp16)',
    );
  }
  if (missing.length > 0) return missingFiles('language model', missing);
  const own = ownFactsSchema.safeParse((await jsonIn(folder, OWN_FACTS)) ?? {});
  if (!own.success) {
    const [issue] = own.error.issues;
    return refuse('not-readable', `Its ${OWN_FACTS} is wrong at ${issue?.path.join('.')}.`);
  }
  const { language: ownFacts, ...ownEntry } = own.data;
  const files = filesOf(folder, parts, Object.values(dtype));
  const bytes = files.reduce((sum, path) => sum + (folder.sizes.get(path) ?? 0), 0);
  return accept({
    id: idOf(folder.name, 'model'),
    name: folder.name,
    roles: sees ? ['text', 'vision'] : ['text'],
    runtime: 'transformers',
    source: null,
    dtype,
    requires:
      dtype.webgpu !== undefined && SIXTEEN_BIT.includes(dtype.webgpu) ? ['shader-f16'] : [],
    files: files.map((path) => ({ path, bytes: folder.sizes.get(path) ?? null, sha256: null })),
    approximateBytes: Math.max(1, bytes),
    memoryBytes: Math.max(1, Math.round(bytes * 1.3)),
    otherwise: null,
    licence: 'as its authors say',
    notes: `Added from ${folder.origin ?? 'a folder'}.`,
    ...ownEntry,
    language: { ...(await factsOf(folder, config.data)), ...ownFacts },
  });
}

/** By device, the dtype that all parts are there in. */
function dtypesOf(folder: ModelFolder, parts: readonly string[]): { webgpu?: Dtype; wasm?: Dtype } {
  const isWhole = (dtype: Dtype) =>
    parts.every((part) => folder.sizes.has(`onnx/${part}${SUFFIXES[dtype]}.onnx`));
  const webgpu = PREFERRED.webgpu.find(isWhole);
  const wasm = PREFERRED.wasm.find(isWhole);
  return { ...(webgpu && { webgpu }), ...(wasm && { wasm }) };
}

/** The weights in these dtypes with what belongs to them, and all that describes the model. */
function filesOf(
  { sizes }: ModelFolder,
  parts: readonly string[],
  dtypes: readonly Dtype[],
): readonly string[] {
  const weights = dtypes.flatMap((dtype) =>
    parts.map((part) => `onnx/${part}${SUFFIXES[dtype]}.onnx`),
  );
  return [...sizes.keys()].filter((path) =>
    path.includes('/')
      ? weights.some((name) => path === name || path.startsWith(`${name}_data`))
      : /\.(json|jinja|model)$/u.test(path),
  );
}

async function factsOf(
  folder: ModelFolder,
  config: z.infer<typeof configSchema>,
): Promise<LanguageFacts> {
  const sees = config.vision_config !== undefined;
  const context =
    config.max_position_embeddings ?? config.text_config?.max_position_embeddings ?? 4096;
  return {
    architecture: sees ? 'image-text' : 'causal',
    context,
    promptBudget: promptBudgetOf(context),
    images: sees ? await imagesOf(folder, config.model_type) : null,
    library: null,
    selfTest: null,
  };
}

async function imagesOf(
  folder: ModelFolder,
  family: string,
): Promise<NonNullable<LanguageFacts['images']>> {
  const images = preprocessorSchema.safeParse(
    await jsonIn(folder, 'preprocessor_config.json'),
  ).data;
  const { image_seq_len } =
    processorSchema.safeParse(await jsonIn(folder, 'processor_config.json')).data ?? {};
  const longestSidePx = Math.min(IMAGE_SIDE_PX, images?.max_image_size?.longest_edge ?? Infinity);
  const cell = (images?.patch_size ?? 16) * (images?.merge_size ?? 1);
  return {
    longestSidePx: Math.max(16, longestSidePx),
    tokensEach: image_seq_len ?? Math.ceil(longestSidePx / cell) ** 2,
    boxes: boxConventionOf(`${family} ${folder.name}`),
  };
}
