import { z } from 'zod';
import { EngineError } from '../../core/models/engine.ts';
import type { ModelEntry } from '../../core/models/model-entry.ts';

/** The files of models, in this browser's own file system: `models/<id>/<in>/<path>`. */
const ROOT = 'models';
/** Written in a model's folder when all of its files are there: it says which, and where. */
export const RECORD = 'grove.json';

/** Files of an older Grove lie beside the record. */
const placeSchema = z.object({ in: z.string().default('') });

/** The folder of a model; undefined where there is none. Throws DOMException where the browser keeps no files. */
export async function modelFolder(
  id: string,
  { create = false } = {},
): Promise<FileSystemDirectoryHandle | undefined> {
  const all = await modelsFolder();
  return create ? all.getDirectoryHandle(id, { create }) : found(() => all.getDirectoryHandle(id));
}

export async function modelsFolder(): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory();
  return root.getDirectoryHandle(ROOT, { create: true });
}

/** Whether any model's folder is here. */
export async function hasModels(): Promise<boolean> {
  try {
    const root = await navigator.storage.getDirectory();
    const all = await found(() => root.getDirectoryHandle(ROOT));
    for await (const name of all?.keys() ?? []) return name !== '';
    return false;
  } catch (error) {
    // A browser that keeps no files keeps no models.
    if (error instanceof DOMException) return false;
    throw error;
  }
}

/** Removes every model's files. */
export async function removeAllModels(): Promise<void> {
  const root = await found(() => navigator.storage.getDirectory());
  await found(async () => root?.removeEntry(ROOT, { recursive: true }));
}

/** A file of a model; undefined where it is not there. */
export async function modelFile(
  folder: FileSystemDirectoryHandle,
  path: string,
): Promise<FileSystemFileHandle | undefined> {
  return found(() => fileAt(folder, path, { create: false }));
}

/** A model's files as they lie here, by their paths. Throws EngineError `missing-file`. */
export async function filesOf({ id, name, files }: ModelEntry): Promise<ReadonlyMap<string, File>> {
  const folder = await modelFolder(id);
  const place = placeSchema.safeParse(await readJson(id, RECORD)).data?.in ?? '';
  const found = new Map<string, File>();
  for (const { path } of files) {
    const handle = folder && (await modelFile(folder, place === '' ? path : `${place}/${path}`));
    if (handle === undefined) {
      throw new EngineError(
        'missing-file',
        `${name} lacks its file ${path} on this device. Add or download it again.`,
      );
    }
    found.set(path, await handle.getFile());
  }
  return found;
}

/** The same, made where it is not there. */
export function newModelFile(
  folder: FileSystemDirectoryHandle,
  path: string,
): Promise<FileSystemFileHandle> {
  return fileAt(folder, path, { create: true });
}

/** What a note in a model's folder says; undefined where it is not there or is no JSON. */
export async function readJson(id: string, path: string): Promise<unknown> {
  const folder = await modelFolder(id);
  const handle = folder && (await modelFile(folder, path));
  if (handle === undefined) return undefined;
  try {
    return JSON.parse(await (await handle.getFile()).text());
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Writes a note whole or not at all. */
export async function writeJson(id: string, path: string, value: unknown): Promise<void> {
  const folder = await modelFolder(id, { create: true });
  if (folder === undefined) throw new Error('it was just made');
  const writable = await (await newModelFile(folder, path)).createWritable();
  await writable.write(JSON.stringify(value));
  await writable.close();
}

/** Nothing where it is not there. */
export async function removeFrom(id: string, path: string): Promise<void> {
  const names = path.split('/');
  const name = names.pop() ?? '';
  await found(async () => {
    let folder = await modelFolder(id);
    for (const part of names) folder = await folder?.getDirectoryHandle(part);
    await folder?.removeEntry(name);
  });
}

export async function removeModelFolder(id: string): Promise<void> {
  const models = await modelsFolder();
  await found(() => models.removeEntry(id, { recursive: true }));
}

async function fileAt(
  folder: FileSystemDirectoryHandle,
  path: string,
  options: { readonly create: boolean },
): Promise<FileSystemFileHandle> {
  const names = path.split('/');
  const name = names.pop() ?? '';
  let inside = folder;
  for (const part of names) inside = await inside.getDirectoryHandle(part, options);
  return inside.getFileHandle(name, options);
}

async function found<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotFoundError') return undefined;
    throw error;
  }
}
