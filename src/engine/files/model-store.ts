import type { ModelEntry } from '../../core/models/model-entry.ts';
import {
  ModelFileError,
  type DamagedFile,
  type DamagedModel,
  type FileWorkOptions,
  type HeldFile,
  type HeldModel,
  type ModelSources,
  type ModelStore,
  type PartialModel,
} from '../../core/models/model-store.ts';
import { bringModelFile, sourceOf } from './bring-model-file.ts';
import { progressOver } from './file-progress.ts';
import { TAG, WHOLE } from './file-protocol.ts';
import { withFileWorker, type FileWork } from './file-work.ts';
import { modelFile, modelFolder, modelsFolder, removeFrom } from './model-folder.ts';
import { alone, busyModels } from './model-lock.ts';
import {
  begin,
  bytesOf,
  damageOf,
  endBegun,
  endRemoved,
  pathIn,
  readBegun,
  readRecord,
  recordRemoved,
  unremove,
  writeRecord,
  type ModelRecord,
} from './model-records.ts';

export interface ModelStorePorts {
  /** What a request to a server carries so that the gate knows what it is for. */
  readonly headers: Readonly<Record<string, string>>;
  /** The time, ISO 8601. */
  now(): string;
}

interface AddOrder extends FileWorkOptions {
  readonly entry: ModelEntry;
  readonly sources: ModelSources<Blob>;
  readonly resume?: boolean;
}

interface RepairOrder extends FileWorkOptions {
  readonly id: string;
  readonly sources: ModelSources<Blob>;
}

/** Models in this browser's own file system. */
export function modelStore({ headers, now }: ModelStorePorts): ModelStore<Blob> {
  async function add(
    work: FileWork,
    { entry, sources, resume = sources === 'download', ...options }: AddOrder,
  ): Promise<HeldModel> {
    const place = await begin(entry, sources === 'download' ? 'download' : 'folder', resume);
    const progress = progressOver(entry, options.onProgress);
    const files: HeldFile[] = [];
    for (const file of entry.files) {
      const from = sourceOf(sources, headers, { entry, file });
      const wanted = { entry, place, file, from, resume };
      const { signal } = options;
      files.push(await bringModelFile(wanted, { files: work, progress, signal }));
    }
    const at = now();
    const record: ModelRecord = {
      ...{ entry, files, addedAt: at, checkedAt: at, in: place.in, damaged: [] },
    };
    await writeRecord(record);
    await endBegun(entry.id);
    return heldOf(record);
  }

  async function repair(
    files: FileWork,
    { id, sources, ...options }: RepairOrder,
  ): Promise<HeldModel> {
    let record = await recordOf(id);
    const { entry } = record;
    const bad = await damageOf(record);
    const broken = record.files.filter(({ path }) => bad.some((file) => file.path === path));
    const known = (path: string) => entry.files.find((file) => file.path === path);
    const wanted = broken.map((file) => ({ ...known(file.path), ...file }));
    const progress = progressOver({ ...entry, files: wanted }, options.onProgress);
    for (const file of wanted) {
      const from = sourceOf(sources, headers, { entry, file });
      await dropWhole(id, pathIn(record, file.path));
      const one = { entry, place: record, file, from, resume: true };
      await bringModelFile(one, { files, progress, signal: options.signal });
      await removeFrom(id, pathIn(record, file.path) + TAG);
      record = { ...record, damaged: record.damaged.filter(({ path }) => path !== file.path) };
      await writeRecord(record);
    }
    return heldOf(record);
  }

  async function verify(
    files: FileWork,
    { id, ...options }: FileWorkOptions & { readonly id: string },
  ): Promise<readonly DamagedFile[]> {
    const record = await recordOf(id);
    const damaged = [...(await damageOf({ ...record, damaged: [] }))];
    const there = record.files.filter(({ path }) => !damaged.some((file) => file.path === path));
    const progress = progressOver({ ...record.entry, files: there }, options.onProgress);
    for (const { path, sha256 } of there) {
      const order = { type: 'check', modelId: id, path: pathIn(record, path) } as const;
      const tell = progress.begin(path);
      const read = await files.run(order, options.signal, tell);
      progress.end(read.bytes);
      if (read.sha256 !== sha256) damaged.push({ path, why: 'hash' });
    }
    const checkedAt = damaged.length === 0 ? now() : record.checkedAt;
    await writeRecord({ ...record, damaged, checkedAt });
    return damaged;
  }

  return {
    async list() {
      return (await looked()).flatMap(({ model, damaged }) => (damaged.length === 0 ? model : []));
    },
    async damaged() {
      return (await looked()).filter(({ damaged }) => damaged.length > 0);
    },
    async get(id) {
      const record = await readRecord(id);
      if (record === undefined || (await damageOf(record)).length > 0) return undefined;
      return heldOf(record);
    },
    async partial() {
      const busy = await busyModels();
      const models: PartialModel[] = [];
      for (const id of await ids()) {
        const begun = await readBegun(id);
        if (begun === undefined) continue;
        const { entry, from } = begun;
        models.push({ entry, from, bytes: await bytesOf(begun), isBusy: busy.has(id) });
      }
      return models;
    },
    begin: (entry) => alone(entry.id, async () => void (await begin(entry, 'download', true))),
    add(entry, sources, options = {}) {
      options.signal?.throwIfAborted();
      const order = { ...options, entry, sources };
      return alone(entry.id, () => withFileWorker((files) => add(files, order)));
    },
    verify: (id, options = {}) =>
      alone(id, () => withFileWorker((files) => verify(files, { ...options, id }))),
    repair: (id, sources, options = {}) =>
      alone(id, () => withFileWorker((files) => repair(files, { ...options, id, sources }))),
    discard: (id) => alone(id, () => endBegun(id)),
    forget: (id) =>
      alone(id, async () => {
        const record = await readRecord(id);
        if (record !== undefined) await recordRemoved(record);
      }),
    putBack: (id) =>
      alone(id, async () => {
        const record = await unremove(id);
        return record !== undefined && (await damageOf(record)).length === 0;
      }),
    async sweep(only) {
      for (const id of only === undefined ? await ids() : [only]) {
        // What somebody works on is swept another time.
        if ((await busyModels()).has(id)) continue;
        await alone(id, () => endRemoved(id));
      }
    },
    async freeBytes() {
      const { quota, usage } = await navigator.storage.estimate();
      return quota === undefined || usage === undefined ? null : Math.max(0, quota - usage);
    },
  };
}

/** A note that a damaged file is all there would have it taken for what it is not. */
async function dropWhole(id: string, path: string): Promise<void> {
  const folder = await modelFolder(id);
  const handle = folder && (await modelFile(folder, path + TAG));
  const tag = await (await handle?.getFile())?.text();
  if (tag?.startsWith(WHOLE) === true) await removeFrom(id, path + TAG);
}

async function recordOf(id: string): Promise<ModelRecord> {
  const record = await readRecord(id);
  if (record === undefined) throw new ModelFileError('missing', 'This model is not here any more.');
  return record;
}

function heldOf({ entry, files, addedAt, checkedAt }: ModelRecord): HeldModel {
  return { entry, files, addedAt, checkedAt };
}

/** Every model that was brought in whole, by id, and what is damaged of it. */
async function looked(): Promise<readonly DamagedModel[]> {
  const models: DamagedModel[] = [];
  for (const id of await ids()) {
    const record = await readRecord(id);
    if (record === undefined) continue;
    models.push({ model: heldOf(record), damaged: await damageOf(record) });
  }
  return models;
}

async function ids(): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const id of (await modelsFolder()).keys()) found.push(id);
  return found.sort();
}
