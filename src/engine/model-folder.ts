/** The files of models, in this browser's own file system: `models/<id>/<path>`. */
const ROOT = 'models';

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

/** The same, made where it is not there. */
export function newModelFile(
  folder: FileSystemDirectoryHandle,
  path: string,
): Promise<FileSystemFileHandle> {
  return fileAt(folder, path, { create: true });
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
