/** Where files wait until the browser has saved them: on the disk, private to this origin. */
const FOLDER = 'written-files';
/** A download reads its file while it lasts; after this long none is still going on. */
const KEPT_MS = 3_600_000;

/**
 * A new file in the folder of written files; undefined where the browser keeps none for this page.
 * `sweepWrittenFiles` removes it in time.
 */
export async function newWrittenFile(): Promise<FileSystemFileHandle | undefined> {
  try {
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle(FOLDER, { create: true });
    return await folder.getFileHandle(crypto.randomUUID(), { create: true });
  } catch {
    return undefined;
  }
}

/** Removes one written file, as far as nothing holds it open. */
export async function removeWrittenFile({ name }: FileSystemFileHandle): Promise<void> {
  const folder = await openFolder();
  await folder?.removeEntry(name).catch(() => undefined);
}

/** Removes written files that no download can need any more, or all of them; what cannot go stays. */
export async function sweepWrittenFiles({ all = false } = {}): Promise<void> {
  const folder = await openFolder();
  if (folder === undefined) return;
  for await (const name of folder.keys()) {
    try {
      const { lastModified } = await (await folder.getFileHandle(name)).getFile();
      if (all || Date.now() - lastModified > KEPT_MS) await folder.removeEntry(name);
    } catch {
      // Open in another tab, or gone meanwhile: a later sweep finds it.
    }
  }
}

async function openFolder(): Promise<FileSystemDirectoryHandle | undefined> {
  try {
    return await (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER);
  } catch {
    return undefined;
  }
}
