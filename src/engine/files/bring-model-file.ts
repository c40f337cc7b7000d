import { byteSize } from '../../core/models/byte-size.ts';
import type { ModelEntry, ModelFile } from '../../core/models/model-entry.ts';
import {
  ModelFileError,
  type FileWorkOptions,
  type HeldFile,
  type ModelSources,
} from '../../core/models/model-store.ts';
import type { ProgressOver } from './file-progress.ts';
import { TAG, type BringOrder } from './file-protocol.ts';
import type { FileWork } from './file-work.ts';
import { removeFrom } from './model-folder.ts';
import { pathIn } from './model-records.ts';

/** What a file has to be, where it comes from, and where it goes. */
export interface WantedFile {
  readonly entry: ModelEntry;
  readonly place: { readonly in: string };
  readonly file: ModelFile;
  readonly from: BringOrder['from'];
  readonly resume: boolean;
}

/** By whom it is brought in, and whom to tell. */
export interface BringBy {
  readonly files: FileWork;
  readonly progress: ProgressOver;
  readonly signal: FileWorkOptions['signal'];
}

/** Where a file comes from. Throws ModelFileError `missing`. */
export function sourceOf(
  sources: ModelSources<Blob>,
  headers: Readonly<Record<string, string>>,
  { entry, file }: Pick<WantedFile, 'entry' | 'file'>,
): BringOrder['from'] {
  if (sources === 'download') {
    return { type: 'server', url: addressOf(entry, file), headers: { ...headers } };
  }
  const given = sources.get(file.path);
  if (given === undefined) {
    throw new ModelFileError(
      'missing',
      `${file.path} is missing: ${entry.name} needs it. Add a folder that has it.`,
    );
  }
  return { type: 'file', file: given };
}

/** Brings one file in and checks that it is the one. Throws ModelFileError; the signal's reason. */
export async function bringModelFile(
  wanted: WantedFile,
  { files, progress, signal }: BringBy,
): Promise<HeldFile> {
  const { entry, file, from, resume } = wanted;
  const path = pathIn(wanted.place, file.path);
  const tell = progress.begin(file.path);
  const order = { modelId: entry.id, path, bytes: file.bytes, resume, from };
  let other: 'size' | 'hash' | null;
  try {
    const brought = await files.run({ type: 'bring', ...order }, signal, tell);
    other = otherThan(file, brought);
    if (other === null) {
      progress.end(brought.bytes);
      return { path: file.path, ...brought };
    }
  } catch (error) {
    if (!(error instanceof ModelFileError)) throw error;
    if (error.code === 'no-room') throw noRoom(error, entry, progress.left());
    if (error.code !== 'not-the-file') throw error;
    other = 'size';
  }
  // Kept, it would be taken for what came in an earlier try.
  await removeFrom(entry.id, path);
  await removeFrom(entry.id, path + TAG);
  throw notTheFile(wanted, other);
}

function otherThan(
  { bytes, sha256 }: ModelFile,
  brought: Pick<HeldFile, 'bytes' | 'sha256'>,
): 'size' | 'hash' | null {
  if ((bytes ?? brought.bytes) !== brought.bytes) return 'size';
  return (sha256 ?? brought.sha256) === brought.sha256 ? null : 'hash';
}

function notTheFile({ entry, file, from }: WantedFile, other: 'size' | 'hash'): ModelFileError {
  const advice =
    from.type === 'server'
      ? 'Try again; where that does not help, its source has another version now.'
      : 'Give the one from where the model’s other files are.';
  return new ModelFileError(
    'not-the-file',
    `${file.path} is not the file that ${entry.name} needs: its ${other} is another. It was not kept. ${advice}`,
  );
}

/** The failure with how much is missing. */
function noRoom(error: ModelFileError, { name }: ModelEntry, left: number | null): ModelFileError {
  const missing = left === null ? '' : ` About ${byteSize(left)} of ${name} have yet to come.`;
  return new ModelFileError(
    'no-room',
    `${error.message}${missing} Remove another model, or make room on this disk, and go on: what came is kept.`,
    { cause: error },
  );
}

function addressOf({ source, name }: ModelEntry, { path, url }: ModelFile): string {
  if (url !== undefined) return url;
  if (source === null) {
    throw new ModelFileError(
      'missing',
      `${name} is downloaded from nowhere: add it from a folder.`,
    );
  }
  const { host, repository, revision } = source;
  return `${host}/${repository}/resolve/${encodeURIComponent(revision)}/${path}`;
}
