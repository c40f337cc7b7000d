import { z } from 'zod';
import { EngineError } from '../../core/models/engine.ts';
import type { LanguageEntry } from '../../core/models/model-entry.ts';
import { filesOf } from '../files/model-folder.ts';

/**
 * Where WebLLM is told that the one model of a realm is. Nothing is asked of it: no such host can be. The
 * page's own would not do, for from localhost WebLLM fetches a library past every cache.
 */
export const MODEL_ADDRESS = 'https://on-this-device.invalid/resolve/main/';

const CONFIG = 'mlc-chat-config.json';
/** WebLLM asks for the first; older models have the same under the second. */
const TENSORS = ['tensor-cache.json', 'ndarray-cache.json'] as const;
const TOKENIZERS = ['tokenizer.json', 'tokenizer.model'];

/** How a model's own files say that a conversation is written down. */
const conversationSchema = z.object({
  system_template: z.string(),
  system_message: z.string(),
  roles: z.object({ user: z.string(), assistant: z.string() }),
  role_templates: z.record(z.string(), z.string()).optional(),
  seps: z.array(z.string()).min(1),
  role_content_sep: z.string().nullish(),
  role_empty_sep: z.string().nullish(),
  system_prefix_token_ids: z.array(z.number()).nullish(),
});
export type WebLlmConversation = z.infer<typeof conversationSchema>;

const configSchema = z.object({
  conv_template: conversationSchema,
  tokenizer_files: z.array(z.string()),
  sliding_window_size: z.number().nullish(),
});
const tensorsSchema = z.object({ records: z.array(z.object({ dataPath: z.string() })).min(1) });
const tokenizerSchema = z.object({
  added_tokens: z.array(z.object({ content: z.string(), special: z.boolean() })),
});

/** A WebLLM model's files, all of which are here. */
export interface WebLlmFiles {
  readonly files: ReadonlyMap<string, File>;
  readonly library: string;
  readonly conversation: WebLlmConversation;
  readonly slidingWindow: boolean;
  /** Tokens that mean something to the model and must not come out of a text that it is given. */
  readonly specials: readonly string[];
  /** Whether it thinks before it replies, unless it is told not to. */
  readonly thinks: boolean;
}

/**
 * Looks through a model's files before any of them is given to WebLLM, which says of a missing one only
 * that something is undefined. Throws `EngineError` (`missing-file`, `not-loadable`).
 */
export async function openWebLlmFiles(entry: LanguageEntry): Promise<WebLlmFiles> {
  const files = new Map(await filesOf(entry));
  checkSizes(entry, files);
  const { library } = entry.language;
  if (library === null) throw damaged(entry, 'it names no compiled library');
  fileIn(entry, files, library);
  const config = await parsed(
    entry,
    { path: CONFIG, file: fileIn(entry, files, CONFIG) },
    configSchema,
  );
  const list = TENSORS.find((path) => files.has(path)) ?? TENSORS[0];
  const listFile = fileIn(entry, files, list);
  const tensors = await parsed(entry, { path: list, file: listFile }, tensorsSchema);
  for (const { dataPath } of tensors.records) fileIn(entry, files, dataPath);
  files.set(TENSORS[0], listFile);
  const tokenizer = TOKENIZERS.find((path) => config.tokenizer_files.includes(path));
  if (tokenizer === undefined)
    throw damaged(entry, `${CONFIG} names no tokenizer that WebLLM reads`);
  const tokenizerFile = fileIn(entry, files, tokenizer);
  const added = tokenizer.endsWith('.json')
    ? await parsed(entry, { path: tokenizer, file: tokenizerFile }, tokenizerSchema)
    : { added_tokens: [] };
  return {
    files,
    library,
    conversation: config.conv_template,
    slidingWindow: (config.sliding_window_size ?? -1) > 0,
    specials: added.added_tokens.flatMap(({ content, special }) => (special ? [content] : [])),
    thinks: added.added_tokens.some(({ content }) => content === '<think>'),
  };
}

/**
 * From now on every cache of this realm holds these files and no others, so that nothing is stored twice
 * and nothing is asked of the network. WebLLM takes no store of one's own, and asks for `caches` by name.
 */
export function serveFiles(entry: LanguageEntry, files: ReadonlyMap<string, File>): void {
  const answer = (asked: RequestInfo | URL): Response => {
    const address = asked instanceof Request ? asked.url : String(asked);
    const path = address.startsWith(MODEL_ADDRESS)
      ? decodeURI(address.slice(MODEL_ADDRESS.length))
      : address;
    return new Response(fileIn(entry, files, path));
  };
  const cache = {
    match: async (asked: RequestInfo | URL) => answer(asked),
    add: async (asked: RequestInfo | URL) => void answer(asked),
    keys: async () => [...files.keys()].map((path) => new Request(MODEL_ADDRESS + path)),
    delete: async () => false,
  };
  Object.defineProperty(globalThis, 'caches', {
    value: { open: async () => cache },
    configurable: true,
  });
}

function checkSizes(entry: LanguageEntry, files: ReadonlyMap<string, File>): void {
  for (const { path, bytes } of entry.files) {
    const size = files.get(path)?.size ?? 0;
    if (size === 0) throw damaged(entry, `its file ${path} is empty`);
    if (bytes !== null && bytes !== size) {
      throw damaged(entry, `its file ${path} has ${size} bytes and should have ${bytes}`);
    }
  }
}

function fileIn(entry: LanguageEntry, files: ReadonlyMap<string, File>, path: string): File {
  const file = files.get(path);
  if (file === undefined) throw missing(entry, path);
  return file;
}

async function parsed<T>(
  entry: LanguageEntry,
  { path, file }: { readonly path: string; readonly file: File },
  schema: z.ZodType<T>,
): Promise<T> {
  let value: unknown;
  try {
    value = JSON.parse(await file.text());
  } catch (cause) {
    throw damaged(entry, `its file ${path} is no JSON`, cause);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const where = result.error.issues[0]?.path.join('.') ?? '';
  throw damaged(entry, `its file ${path} is not what WebLLM reads, at “${where}”`, result.error);
}

function missing({ name }: LanguageEntry, path: string): EngineError {
  return new EngineError(
    'missing-file',
    `${name} lacks its file ${path} on this device. Add or download it again.`,
  );
}

function damaged({ name }: LanguageEntry, why: string, cause?: unknown): EngineError {
  return new EngineError(
    'not-loadable',
    `${name} cannot be loaded: ${why}. Add or download its files again.`,
    { cause },
  );
}
