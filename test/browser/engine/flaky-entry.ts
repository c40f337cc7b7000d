import { hashBytes } from '../../../src/core/canonical.ts';
import type { EncoderEntry, ModelFile } from '../../../src/core/models/model-entry.ts';
import { modelFile, modelFolder } from '../../../src/engine/files/model-folder.ts';
import { pathIn, readBegun, readRecord } from '../../../src/engine/files/model-records.ts';
import { flakyBytes } from './flaky-files.mjs';

export const SIZE = 1_000_000;
export const HASH = hashBytes(flakyBytes(SIZE));

export interface Flaky {
  readonly drops?: number;
  readonly manner?: 'plain' | 'no-ranges' | 'changing' | 'silent' | 'slow';
  readonly paths?: readonly string[];
  readonly over?: Partial<ModelFile>;
}

let made = 0;

/** A model whose files are downloaded from `flaky-files.mjs`. */
export function flakyEntry({
  drops = 0,
  manner = 'plain',
  paths = ['onnx/model.onnx'],
  over = {},
}: Flaky = {}): EncoderEntry {
  made += 1;
  const name = `m${made}-${crypto.randomUUID().slice(0, 8)}`;
  return {
    id: `flaky-${name}`,
    name: `Flaky ${name}`,
    roles: ['encoder'],
    runtime: 'transformers',
    source: {
      host: `${location.origin}/flaky/${manner}`,
      repository: `${SIZE}-${drops}-${name}`,
      revision: 'main',
    },
    dtype: 'fp32',
    files: paths.map((path) => ({ path, bytes: SIZE, sha256: HASH, ...over })),
    approximateBytes: SIZE * paths.length,
    encoder: { dimension: 32, pooling: 'mean', queryPrefix: '', passagePrefix: '', context: 128 },
    licence: 'none',
    notes: '',
  };
}

/** What its server was asked for, in order: paths, with the range where one was asked for. */
export async function askedFor({ id }: EncoderEntry): Promise<readonly string[]> {
  return (await fetch(`/flaky/asked/${id.slice('flaky-'.length)}`)).json();
}

/** A model's file as it lies here, whole or coming; undefined where it does not. */
export async function fileOf(
  { id }: EncoderEntry,
  path = 'onnx/model.onnx',
): Promise<FileSystemFileHandle | undefined> {
  const folder = await modelFolder(id);
  const place = (await readBegun(id)) ?? (await readRecord(id)) ?? { in: '' };
  return folder && modelFile(folder, pathIn(place, path));
}

export async function bytesOf(entry: EncoderEntry, path?: string): Promise<Uint8Array> {
  const handle = await fileOf(entry, path);
  return new Uint8Array((await (await handle?.getFile())?.arrayBuffer()) ?? new ArrayBuffer());
}

/** Damages a file behind the store's back: cut short, or one byte changed. */
export async function damage(
  entry: EncoderEntry,
  how: 'cut' | 'change',
  path?: string,
): Promise<void> {
  const handle = await fileOf(entry, path);
  const writable = await handle?.createWritable({ keepExistingData: true });
  if (how === 'cut') await writable?.truncate(SIZE / 2);
  else await writable?.write({ type: 'write', position: 1000, data: new Uint8Array([1, 2, 3, 4]) });
  await writable?.close();
}
