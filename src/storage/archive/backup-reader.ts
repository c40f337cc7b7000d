import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { z } from 'zod';
import { accept, refuse, unreachable, type Result } from '../../core/result.ts';
import { hashOfBytes } from '../blob-store.ts';
import {
  BACKUP_TABLES,
  BACKUP_VERSION,
  blobPath,
  MANIFEST_PATH,
  manifestHash,
  manifestHeaderSchema,
  manifestSchema,
  recordSchemas,
  tablePath,
  type BackupManifest,
  type BackupRecord,
  type BackupTable,
} from './format.ts';
import { fileSource, type ByteSource } from './zip/byte-source.ts';
import type { ZipEntry } from './zip/zip-directory.ts';
import { ZipError } from './zip/zip-error.ts';
import { readZip, unpack } from './zip/zip-reader.ts';

/** Why a file is not restored. `message` is a plain sentence; `path` names the place in the file. */
export type BackupRefusal = {
  readonly reason:
    | 'not-a-backup'
    | 'newer-format'
    | 'truncated'
    | 'tampered'
    | 'record-invalid'
    | 'chain-broken'
    | 'held-by-this-page'
    | 'held-by-another-page';
  readonly message: string;
  readonly path?: string;
};

/** Thrown while a back-up is read, caught where the restore ends: the file is refused for `refusal`. */
export class BackupRefused extends Error {
  override readonly name = 'BackupRefused';
  readonly refusal: BackupRefusal;

  constructor(refusal: BackupRefusal, options: { cause?: unknown } = {}) {
    super(refusal.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.refusal = refusal;
  }
}

const MAX_MANIFEST_BYTES = 1 << 20;

/** The schemas again, typed so that a generic table finds its own. */
const SCHEMAS: { readonly [Table in BackupTable]: z.ZodType<BackupRecord<Table>> } = recordSchemas;

/** A back-up whose manifest holds and whose contents are the ones it names. */
export interface BackupReader {
  readonly manifest: BackupManifest;
  /**
   * The records of a table, each checked against its schema, in batches. Throws `BackupRefused` where
   * one does not fit, or at the end where the text is not what the manifest says.
   */
  records<Table extends BackupTable>(table: Table): AsyncGenerator<BackupRecord<Table>[]>;
  /** The bytes of an image. Throws `BackupRefused` where they are not those of its hash. */
  blob(record: BackupRecord<'blobs'>): Promise<Uint8Array<ArrayBuffer>>;
}

/** Opens a back-up: reads its directory and manifest, nothing else. */
export async function openBackup(blob: Blob): Promise<Result<BackupReader, BackupRefusal>> {
  const file = fileSource(blob);
  const zip = await openZip(file);
  if (!zip.ok) return zip;
  const entry = zip.value.get(MANIFEST_PATH);
  if (entry === undefined || entry.bytes > MAX_MANIFEST_BYTES) return foreign();
  const manifest = parseManifest(await readText(file, entry));
  if (!manifest.ok) return manifest;
  const expected = new Set([MANIFEST_PATH, ...BACKUP_TABLES.map(tablePath)]);
  for (const path of expected) if (!zip.value.has(path)) return tampered(path, 'it is missing');
  for (const path of zip.value.keys()) {
    if (!expected.has(path) && !path.startsWith(blobPath(''))) {
      return tampered(path, 'it does not belong there');
    }
  }
  const images = manifest.value.tables.find(({ table }) => table === 'blobs')?.rows ?? 0;
  if (zip.value.size !== expected.size + images) {
    return tampered('blobs', 'there are more or fewer images than it says');
  }
  return accept({
    manifest: manifest.value,
    records: (table) => readRecords(file, zip.value, manifest.value, table),
    blob: (record) => readBlob(file, zip.value, record),
  });
}

async function openZip(
  file: ByteSource,
): Promise<Result<ReadonlyMap<string, ZipEntry>, BackupRefusal>> {
  try {
    return accept(await readZip(file));
  } catch (error) {
    if (!(error instanceof ZipError)) throw error;
    const { fault, message, path } = error;
    switch (fault) {
      case 'not-a-zip':
        return refuse('not-a-backup', 'This file is not a Grove back-up: it is not a zip file.');
      case 'truncated':
        return refuse(
          'truncated',
          'This back-up was cut short: its end is missing. Copy or download it again.',
        );
      case 'damaged':
      case 'too-large':
        return tampered(path ?? 'its table of contents', message);
      default:
        return unreachable(fault);
    }
  }
}

function parseManifest(text: string | undefined): Result<BackupManifest, BackupRefusal> {
  const json = text === undefined ? undefined : parseJson(text);
  const header = manifestHeaderSchema.safeParse(json);
  if (!header.success) return foreign();
  if (header.data.formatVersion > BACKUP_VERSION) {
    return refuse(
      'newer-format',
      'This back-up was made by a newer Grove. Restore it with that Grove, or update this one.',
    );
  }
  const manifest = manifestSchema.safeParse(json);
  const names = new Set(manifest.data?.tables.map(({ table }) => table));
  if (!manifest.success || names.size !== BACKUP_TABLES.length) {
    return tampered(MANIFEST_PATH, 'it does not fit');
  }
  const { hash, ...body } = manifest.data;
  if (hash !== manifestHash(body)) return tampered(MANIFEST_PATH, 'its hash does not fit');
  return accept(manifest.data);
}

async function* readRecords<Table extends BackupTable>(
  file: ByteSource,
  zip: ReadonlyMap<string, ZipEntry>,
  manifest: BackupManifest,
  table: Table,
): AsyncGenerator<BackupRecord<Table>[]> {
  const path = tablePath(table);
  const said = manifest.tables.find((entry) => entry.table === table);
  const entry = zip.get(path);
  if (said === undefined || entry === undefined) throw broken(path, 'it is missing');
  const schema = SCHEMAS[table];
  const hash = sha256.create();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  let rows = 0;
  let rest = '';
  for await (const piece of pieces(file, entry)) {
    bytes += piece.byteLength;
    // Stops a small file that unpacks to a huge one.
    if (bytes > said.bytes) throw broken(path, 'it is longer than it says');
    hash.update(piece);
    const lines = (rest + decode(decoder, piece, path)).split('\n');
    rest = lines.pop() ?? '';
    const records = lines.map((line) => parseRecord(schema, line, `${path}:${(rows += 1)}`));
    if (records.length > 0) yield records;
  }
  const sound = rest === '' && bytes === said.bytes && rows === said.rows;
  if (!sound || bytesToHex(hash.digest()) !== said.hash) {
    throw broken(path, 'its text is not the one that was written');
  }
}

function parseRecord<T>(schema: z.ZodType<T>, line: string, path: string): T {
  const parsed = schema.safeParse(parseJson(line));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const place = [path, ...(issue?.path ?? [])].join('.');
  const message = `This back-up holds a record that does not fit, at ${place}: ${issue?.message ?? 'unknown'}.`;
  throw new BackupRefused(
    { reason: 'record-invalid', message, path: place },
    { cause: parsed.error },
  );
}

async function readBlob(
  file: ByteSource,
  zip: ReadonlyMap<string, ZipEntry>,
  record: BackupRecord<'blobs'>,
): Promise<Uint8Array<ArrayBuffer>> {
  const path = blobPath(record.hash);
  const entry = zip.get(path);
  // Images are stored as they are, so their size is known before any of it is read.
  if (entry?.method !== 'stored' || entry.compressedBytes !== record.byteLength) {
    throw broken(path, 'it is missing or of another size');
  }
  const bytes = new Uint8Array(record.byteLength);
  let at = 0;
  for await (const piece of pieces(file, entry)) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  if ((await hashOfBytes(bytes)) !== record.hash) throw broken(path, 'its bytes were changed');
  return bytes;
}

async function* pieces(file: ByteSource, entry: ZipEntry): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  try {
    yield* unpack(file, entry);
  } catch (error) {
    throw error instanceof ZipError ? broken(entry.path, error.message, error) : error;
  }
}

async function readText(file: ByteSource, entry: ZipEntry): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of pieces(file, entry)) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > MAX_MANIFEST_BYTES) return undefined;
  }
  return text;
}

function decode(decoder: TextDecoder, piece: Uint8Array, path: string): string {
  try {
    return decoder.decode(piece, { stream: true });
  } catch (cause) {
    throw broken(path, 'it is not text', cause);
  }
}

/** The value of a JSON text, undefined where it is none. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const foreign = () =>
  refuse('not-a-backup', 'This file is not a Grove back-up: it has no manifest of one.');

const tampered = (path: string, what: string) =>
  refuse('tampered', `This back-up was damaged or changed at ${path}: ${what}.`, path);

/** The refusal of a back-up whose contents are not what it says. */
export function broken(path: string, what: string, cause?: unknown): BackupRefused {
  return new BackupRefused(
    {
      reason: 'tampered',
      message: `This back-up was damaged or changed at ${path}: ${what}.`,
      path,
    },
    { cause },
  );
}
