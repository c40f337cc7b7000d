import { z } from 'zod';
import { accept, refuse, type Refusal, type Result } from '../result.ts';
import { isEncoderEntry, type ModelEntry, type ModelFile } from './model-entry.ts';

/**
 * What a hub answers to `/api/models/<repository>/tree/<revision>?recursive=true`: every file of a
 * repository. `lfs` is there for large files, and its `oid` is the SHA-256.
 */
export const hubListingSchema = z.array(
  z.object({
    type: z.enum(['file', 'directory']).default('file'),
    path: z.string(),
    size: z.number().int().nonnegative().default(0),
    lfs: z
      .object({
        oid: z.string().regex(/^[0-9a-f]{64}$/u),
        size: z.number().int().nonnegative().exactOptional(),
      })
      .exactOptional(),
  }),
);
export type HubListing = z.infer<typeof hubListingSchema>;

type HubFile = HubListing[number];

/** Where WebLLM's weights are described; older repositories have it under the second name. */
const TENSOR_LISTS = ['tensor-cache.json', 'ndarray-cache.json'] as const;
const SHARD = /^params_shard_(\d+)\.bin$/u;

/** What describes a model, and is taken where it is there. */
const DESCRIPTIONS: Readonly<Record<'transformers' | 'web-llm', readonly string[]>> = {
  transformers: [
    'config.json',
    'generation_config.json',
    'tokenizer.json',
    'tokenizer_config.json',
    'special_tokens_map.json',
    'added_tokens.json',
    'chat_template.jinja',
    'chat_template.json',
  ],
  'web-llm': ['tokenizer.json', 'tokenizer.model', 'tokenizer_config.json'],
};
const IMAGE_DESCRIPTIONS = ['preprocessor_config.json', 'processor_config.json'];

/**
 * A model with all the files that belong to it in its repository: parts of its weights and descriptions
 * that its entry does not know are added, and sizes and hashes that it does not know are filled in.
 * Files with an address of their own stay as they are. Refused by name where one is not there.
 */
export function completed<Entry extends ModelEntry>(
  entry: Entry,
  listing: HubListing,
): Result<Entry, Refusal<'missing-there'>> {
  const there = new Map(
    listing.flatMap((file) => (file.type === 'file' ? [[file.path, file] as const] : [])),
  );
  const known = new Map(entry.files.map((file) => [file.path, file]));
  const paths = [
    ...new Set([
      ...entry.files.map(({ path }) => nameThere(path, there)),
      ...weightsIn(entry, [...there.keys()]),
      ...descriptionsOf(entry).filter((path) => there.has(path)),
    ]),
  ];
  const missing = [
    ...paths.filter((path) => !there.has(path) && known.get(path)?.url === undefined),
    ...missingShards(entry, [...there.keys()]),
  ];
  if (missing.length > 0) {
    const where = entry.source === null ? '' : ` at ${entry.source.repository}`;
    return refuse(
      'missing-there',
      `${entry.name} is not whole${where}: ${missing.join(', ')} is missing there.`,
    );
  }
  const files = paths.map((path) => fileOf(path, known.get(path), there.get(path)));
  const bytes = files.reduce((sum, file) => sum + (file.bytes ?? 0), 0);
  return accept({ ...entry, files, approximateBytes: Math.max(1, bytes) });
}

/** The path under which a repository has a file of an entry. */
function nameThere(path: string, there: ReadonlyMap<string, HubFile>): string {
  const names: readonly string[] = TENSOR_LISTS;
  if (!names.includes(path) || there.has(path)) return path;
  return names.find((name) => there.has(name)) ?? path;
}

/** Parts of the weights: shards of WebLLM, and what lies beside a graph of ONNX. */
function weightsIn(entry: ModelEntry, paths: readonly string[]): readonly string[] {
  if (entry.runtime === 'web-llm') return shardsIn(paths).map(([, path]) => path);
  const graphs = entry.files.flatMap(({ path }) => (path.endsWith('.onnx') ? [path] : []));
  return paths.filter((path) => graphs.some((graph) => path.startsWith(`${graph}_data`)));
}

/** Shards by number, in order. */
function shardsIn(paths: readonly string[]): readonly (readonly [number, string])[] {
  return paths
    .flatMap((path) => {
      const number = SHARD.exec(path)?.[1];
      return number === undefined ? [] : [[Number(number), path] as const];
    })
    .sort(([first], [second]) => first - second);
}

/** They are numbered from 0 without a gap. */
function missingShards({ runtime }: ModelEntry, paths: readonly string[]): readonly string[] {
  if (runtime !== 'web-llm') return [];
  const numbers = new Set(shardsIn(paths).map(([number]) => number));
  const count = Math.max(0, ...numbers) + 1;
  return Array.from({ length: count }, (_, number) => number)
    .filter((number) => !numbers.has(number))
    .map((number) => `params_shard_${number}.bin`);
}

function descriptionsOf(entry: ModelEntry): readonly string[] {
  if (entry.runtime === 'browser') return [];
  const sees = !isEncoderEntry(entry) && entry.language.images !== null;
  return [...DESCRIPTIONS[entry.runtime], ...(sees ? IMAGE_DESCRIPTIONS : [])];
}

function fileOf(path: string, known: ModelFile | undefined, there: HubFile | undefined): ModelFile {
  const size = there?.lfs?.size ?? there?.size ?? 0;
  return {
    path,
    bytes: known?.bytes ?? (size > 0 ? size : null),
    sha256: known?.sha256 ?? there?.lfs?.oid ?? null,
    ...(known?.url === undefined ? {} : { url: known.url }),
  };
}
