import type { GivenFile } from '../../state/models/model-standing.ts';

/** What a person dropped: one folder with its name, or loose files. */
export type Dropped =
  | { readonly type: 'folder'; readonly name: string; readonly files: readonly GivenFile[] }
  | { readonly type: 'files'; readonly files: readonly GivenFile[] };

/** Reads what was dropped; folders to their depths. null where nothing of it is a file. */
export async function droppedFiles(items: DataTransferItemList): Promise<Dropped | null> {
  // What was dropped is gone once the event is over, so it is taken before anything is waited for.
  const taken = [...items].map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  const entries = taken.filter((one) => one !== null);
  const [only] = entries;
  if (only === undefined) return null;
  if (entries.length === 1 && !(only instanceof File) && isFolder(only)) {
    return { type: 'folder', name: only.name, files: await filesBelow(only, '') };
  }
  const files = await Promise.all(entries.map((entry) => filesAt(entry, '')));
  return { type: 'files', files: files.flat() };
}

/** The files of a folder that was picked in an input, with the folder's name. */
export function pickedFolder(input: HTMLInputElement): Extract<Dropped, { type: 'folder' }> | null {
  const files = [...(input.files ?? [])];
  const [first] = files;
  if (first === undefined) return null;
  const [name = 'model'] = first.webkitRelativePath.split('/');
  const given = files.map((file) => ({
    path: file.webkitRelativePath.slice(name.length + 1),
    file,
  }));
  return { type: 'folder', name, files: given };
}

async function filesAt(
  entry: FileSystemEntry | File,
  above: string,
): Promise<readonly GivenFile[]> {
  if (entry instanceof File) return [{ path: entry.name, file: entry }];
  const path = above + entry.name;
  if (isFolder(entry)) return filesBelow(entry, `${path}/`);
  if (!isFile(entry)) return [];
  const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
  return [{ path, file }];
}

async function filesBelow(
  folder: FileSystemDirectoryEntry,
  above: string,
): Promise<readonly GivenFile[]> {
  const reader = folder.createReader();
  const found: GivenFile[] = [];
  for (;;) {
    // A part at a time; an empty one is the end.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0) return found;
    for (const entry of part) found.push(...(await filesAt(entry, above)));
  }
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}
