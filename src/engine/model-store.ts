import { z } from 'zod';
import { ModelFileError, type HeldModel, type ModelStore } from '../core/models/model-store.ts';
import { modelEntrySchema, type ModelEntry } from '../core/models/model-entry.ts';
import { bringReportSchema, TAG, type BringOrder } from './file-protocol.ts';
import { modelFile, modelFolder, modelsFolder, newModelFile } from './model-folder.ts';

/** Written when all of a model's files are there: it says which. */
const RECORD = 'grove.json';
/** Written when a model was removed, until its files are. */
const REMOVED = 'removed';

const recordSchema = z.object({
  entry: modelEntrySchema,
  files: z.array(z.object({ path: z.string(), bytes: z.number(), sha256: z.string() })),
  addedAt: z.string(),
});

export interface ModelStorePorts {
  /** What a request to a server carries so that the gate knows what it is for. */
  readonly headers: Readonly<Record<string, string>>;
  /** The time, ISO 8601. */
  now(): string;
}

/** Models in this browser's own file system. */
export function modelStore({ headers, now }: ModelStorePorts): ModelStore<Blob> {
  return {
    async list() {
      const models: HeldModel[] = [];
      for await (const id of (await modelsFolder()).keys()) {
        const held = await readRecord(id);
        if (held !== undefined) models.push(held);
      }
      return models.sort((first, second) => (first.entry.id < second.entry.id ? -1 : 1));
    },
    get: readRecord,
    async add(entry, sources, { signal, onProgress } = {}) {
      signal?.throwIfAborted();
      await removeFile(entry.id, RECORD);
      await removeFile(entry.id, REMOVED);
      const files: HeldModel['files'][number][] = [];
      let before = 0;
      for (const { path, bytes, sha256 } of entry.files) {
        const given = sources === 'download' ? null : sources.get(path);
        if (given === undefined) throw new ModelFileError('missing', `${path} is missing.`);
        const from: BringOrder['from'] =
          given === null
            ? { type: 'server', url: addressOf(entry, path), headers: { ...headers }, resume: true }
            : { type: 'file', file: given };
        const done = before;
        const brought = await bring({ modelId: entry.id, path, from }, signal, (now) => {
          onProgress?.({ path, bytes: done + now });
        });
        if (
          (bytes ?? brought.bytes) !== brought.bytes ||
          (sha256 ?? brought.sha256) !== brought.sha256
        ) {
          await removeFile(entry.id, path);
          await removeFile(entry.id, path + TAG);
          throw new ModelFileError(
            'not-the-file',
            `${path} is not the file that ${entry.name} needs: its ${bytes !== null && bytes !== brought.bytes ? 'size' : 'hash'} is another. It was removed; try again.`,
          );
        }
        files.push({ path, ...brought });
        before += brought.bytes;
      }
      const held: HeldModel = { entry, files, addedAt: now() };
      await writeRecord(held);
      for (const { path } of files) await removeFile(entry.id, path + TAG);
      return held;
    },
    async forget(id) {
      await writeText(id, REMOVED, '');
      await removeFile(id, RECORD);
    },
    async putBack(held) {
      await writeRecord(held);
      await removeFile(held.entry.id, REMOVED);
    },
    async sweep() {
      const models = await modelsFolder();
      for await (const id of models.keys()) {
        const folder = await modelFolder(id);
        if (folder === undefined || (await modelFile(folder, REMOVED)) === undefined) continue;
        await models.removeEntry(id, { recursive: true });
      }
    },
  };
}

function addressOf({ source, name }: ModelEntry, path: string): string {
  if (source === null) throw new ModelFileError('missing', `${name} is downloaded from nowhere.`);
  const { host, repository, revision } = source;
  return `${host}/${repository}/resolve/${revision}/${path}`;
}

/** Brings one file in, in a worker that ends with it. Throws ModelFileError; the signal's reason. */
async function bring(
  order: BringOrder,
  signal: AbortSignal | undefined,
  tell: (bytes: number) => void,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const worker = new Worker(new URL('./file-worker.ts', import.meta.url), { type: 'module' });
  const ended = Promise.withResolvers<{ readonly bytes: number; readonly sha256: string }>();
  worker.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const report = bringReportSchema.parse(data);
    if (report.type === 'progress') tell(report.bytes);
    else if (report.type === 'failure') {
      ended.reject(new ModelFileError(report.code, report.message));
    } else ended.resolve({ bytes: report.bytes, sha256: report.sha256 });
  });
  worker.addEventListener('error', ({ message }) => {
    ended.reject(new ModelFileError('failed', `Bringing the file in stopped: ${message}.`));
  });
  // What came stays on the disk, and the next try goes on from there.
  const stop = () => ended.reject(signal?.reason);
  signal?.addEventListener('abort', stop);
  try {
    worker.postMessage(order);
    return await ended.promise;
  } finally {
    signal?.removeEventListener('abort', stop);
    worker.terminate();
  }
}

async function readRecord(id: string): Promise<HeldModel | undefined> {
  const folder = await modelFolder(id);
  const handle = folder && (await modelFile(folder, RECORD));
  if (folder === undefined || handle === undefined) return undefined;
  const text = await (await handle.getFile()).text();
  const record = recordSchema.safeParse(parseJson(text)).data;
  if (record === undefined || record.entry.id !== id) return undefined;
  // A browser that cleared a part of it leaves no model.
  for (const { path, bytes } of record.files) {
    const file = await modelFile(folder, path);
    if ((await file?.getFile())?.size !== bytes) return undefined;
  }
  return record;
}

function writeRecord(held: HeldModel): Promise<void> {
  return writeText(held.entry.id, RECORD, JSON.stringify(held));
}

async function writeText(id: string, path: string, text: string): Promise<void> {
  const folder = await modelFolder(id, { create: true });
  if (folder === undefined) throw new Error('it was just made');
  const writable = await (await newModelFile(folder, path)).createWritable();
  await writable.write(text);
  await writable.close();
}

async function removeFile(id: string, path: string): Promise<void> {
  const names = path.split('/');
  const name = names.pop() ?? '';
  let folder = await modelFolder(id);
  try {
    for (const part of names) folder = await folder?.getDirectoryHandle(part);
    await folder?.removeEntry(name);
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'NotFoundError')) throw error;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
