import { z } from 'zod';
import { accept, refuse, type Refusal, type Result } from '../../result.ts';
import { jsonFromBytes, jsonToBytes } from './ascii-json.ts';
import { checksum } from './checksum.ts';
import { asFloat32, asInt8, asUint32, packArrays, unpackArrays } from './packed-arrays.ts';
import { RecallIndex, type RecallIndexOptions } from './recall-index.ts';
import { encoderIdSchema, isSameEncoder, recallSettingsSchema } from './recall-types.ts';
import { SEGMENT_ROWS } from './segment.ts';
import { packSegment, unpackSegment } from './stored-segment.ts';

/** Of the bytes' layout, and of what is computed into them. */
const VERSION = 1;
const MANIFEST = 'manifest';

/**
 * A stored index: named parts, `manifest` among them. Parts of full segments (`rows-3`, `vectors-3`) stay
 * as they are while the bank grows, so that storing again writes what is new.
 */
export type StoredRecall = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

/** Where in the bank's log the index stands. */
export const recallHeadSchema = z.object({ seq: z.int().nonnegative(), hash: z.string() });
export type RecallHead = z.infer<typeof recallHeadSchema>;

const manifestSchema = z.object({
  format: z.literal('grove-recall'),
  version: z.literal(VERSION),
  head: recallHeadSchema,
  tokenizer: z.string(),
  settings: recallSettingsSchema,
  encoder: encoderIdSchema.nullable(),
  sources: z.array(z.string()),
  rows: z.int().nonnegative(),
  parts: z.array(z.object({ name: z.string(), checksum: z.string() })),
});
type Manifest = z.infer<typeof manifestSchema>;

/** Not to be used, and to be made again from the log: damaged, or made otherwise. */
export type OpenRefusal = Refusal<'corrupt' | 'made-otherwise'>;

/** The index as bytes that stand for the log up to `head`. */
export function storeRecall(index: RecallIndex, head: RecallHead): StoredRecall {
  const { store, vectors, options } = index;
  const parts = new Map<string, Uint8Array<ArrayBuffer>>();
  store.segments.forEach((segment, at) => {
    parts.set(`rows-${at}`, packSegment(segment));
    const block = vectors?.blockOf(at) ?? null;
    if (block !== null) parts.set(`vectors-${at}`, packArrays([block.vectors, block.scales]));
  });
  const gone = store.segments.map((segment) => segment.gone.subarray(0, segment.count));
  parts.set('gone', packArrays(gone));
  parts.set('words', jsonToBytes(store.dictionary.words));
  const manifest: Manifest = {
    format: 'grove-recall',
    version: VERSION,
    head,
    tokenizer: options.tokenizer.id,
    settings: options.settings,
    encoder: options.encoder,
    sources: [...index.sources],
    rows: store.rowCount,
    parts: [...parts].map(([name, bytes]) => ({ name, checksum: checksum(bytes) })),
  };
  const body = jsonToBytes(manifest);
  return new Map([...parts, [MANIFEST, jsonToBytes([checksum(body), manifest])]]);
}

/**
 * Opens a stored index: its bytes are checked and used as they are. Refuses what is damaged or was made
 * with another tokenizer, settings or encoder.
 */
export function openRecall(
  stored: StoredRecall,
  options: RecallIndexOptions,
): Result<{ readonly index: RecallIndex; readonly head: RecallHead }, OpenRefusal> {
  const manifest = readManifest(stored.get(MANIFEST));
  if (manifest === null) return corrupt(MANIFEST);
  const isAsAsked =
    manifest.tokenizer === options.tokenizer.id &&
    JSON.stringify(manifest.settings) ===
      JSON.stringify(recallSettingsSchema.parse(options.settings)) &&
    (manifest.encoder === null || options.encoder === null
      ? manifest.encoder === options.encoder
      : isSameEncoder(manifest.encoder, options.encoder));
  if (!isAsAsked) {
    return refuse(
      'made-otherwise',
      'The stored index was made with other settings or another encoder.',
    );
  }
  const damaged = manifest.parts.find(({ name, checksum: wanted }) => {
    const bytes = stored.get(name);
    return bytes === undefined || checksum(bytes) !== wanted;
  });
  if (damaged !== undefined) return corrupt(damaged.name);
  const index = new RecallIndex(options);
  manifest.sources.forEach((source) => index.sourceNumber(source));
  const unread = readParts(stored, manifest, index);
  return unread === null ? accept({ index, head: manifest.head }) : corrupt(unread);
}

/** The parts of an index that are not as `manifest` says of the one stored before; all without it. */
export function changedParts(manifest: Uint8Array | undefined, stored: StoredRecall): StoredRecall {
  const checksums = new Map(
    readManifest(manifest)?.parts.map((part) => [part.name, part.checksum]),
  );
  const now = readManifest(stored.get(MANIFEST))?.parts ?? [];
  const same = new Set(
    now.filter((part) => checksums.get(part.name) === part.checksum).map(({ name }) => name),
  );
  return new Map([...stored].filter(([name]) => !same.has(name)));
}

const sealedSchema = z.tuple([z.string(), z.unknown()]);

function readManifest(bytes: Uint8Array | undefined): Manifest | null {
  const sealed = sealedSchema.safeParse(jsonFromBytes(bytes ?? new Uint8Array(0)));
  if (!sealed.success) return null;
  const [seal, body] = sealed.data;
  if (seal !== checksum(jsonToBytes(body))) return null;
  return manifestSchema.safeParse(body).data ?? null;
}

/** Reads everything into the index; the name of the part that does not fit, null where all do. */
function readParts(stored: StoredRecall, { rows }: Manifest, index: RecallIndex): string | null {
  const words = jsonFromBytes(stored.get('words') ?? new Uint8Array(0));
  if (!isWords(words)) return 'words';
  for (const word of words) index.store.dictionary.add(word);
  const count = Math.ceil(rows / SEGMENT_ROWS);
  const gone = unpackArrays(stored.get('gone') ?? new Uint8Array(0), count);
  if (gone === null) return 'gone';
  for (const [at, steps] of gone.entries()) {
    const bytes = stored.get(`rows-${at}`) ?? new Uint8Array(0);
    const segment = unpackSegment(bytes, asUint32(steps), index.store.kernel);
    if (segment === null) return `rows-${at}`;
    index.store.adopt(segment);
    const block = stored.get(`vectors-${at}`);
    if (block === undefined) continue;
    const arrays = unpackArrays(block, 2);
    if (arrays === null || index.vectors === null) return `vectors-${at}`;
    index.vectors.adopt(at, asInt8(arrays[0]), asFloat32(arrays[1]));
  }
  return null;
}

/** By hand: a schema takes as long for a big vocabulary as all the rest of opening. */
function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string');
}

function corrupt(part: string) {
  return refuse('corrupt', 'The stored index is damaged, and is made again from the log.', part);
}
