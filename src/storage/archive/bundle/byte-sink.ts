import { newWrittenFile, removeWrittenFile } from '../../written-files.ts';
import { blobParts, type BlobParts } from '../zip/blob-parts.ts';

/** Where a file goes, part by part, in order. */
export interface ByteSink {
  write(part: Uint8Array<ArrayBuffer> | Blob): Promise<void>;
  /** What is still held back goes out; nothing may follow. */
  close(): Promise<void>;
}

/** A sink whose parts become a file. */
export interface FileSink {
  readonly sink: ByteSink;
  /** The file, once the sink is closed. */
  file(): Promise<Blob>;
  /** Leaves nothing of it behind. */
  discard(): Promise<void>;
}

/** A file in the browser's memory. */
export function memorySink(type: string): FileSink {
  const parts = blobParts();
  return {
    sink: {
      write: async (part) => parts.push(part),
      close: async () => undefined,
    },
    file: async () => new Blob([...parts.parts()], { type }),
    discard: async () => undefined,
  };
}

/**
 * A file on the disk, so that memory does not grow with it; what the disk has no room for stays in
 * memory, as does all of it where the browser writes no files (outside a worker, or in some private
 * windows).
 */
export async function diskSink(type: string): Promise<FileSink> {
  const handle = await newWrittenFile();
  if (handle === undefined) return memorySink(type);
  const access = await openForWriting(handle);
  if (access === undefined) {
    await removeWrittenFile(handle);
    return memorySink(type);
  }
  /** What came once the disk was full. */
  let overflow: BlobParts | undefined;
  let size = 0;
  const close = async () => access.close();
  return {
    sink: {
      async write(part) {
        if (overflow !== undefined) {
          overflow.push(part);
          return;
        }
        const bytes = part instanceof Blob ? new Uint8Array(await part.arrayBuffer()) : part;
        if (wasWritten(access, bytes, size)) size += bytes.byteLength;
        else (overflow = blobParts()).push(bytes);
      },
      close,
    },
    async file() {
      const onDisk = (await handle.getFile()).slice(0, size);
      return new Blob([onDisk, ...(overflow?.parts() ?? [])], { type });
    },
    async discard() {
      await close();
      await removeWrittenFile(handle);
    },
  };
}

async function openForWriting(
  handle: FileSystemFileHandle,
): Promise<FileSystemSyncAccessHandle | undefined> {
  // Only a worker has it.
  if (!('createSyncAccessHandle' in handle)) return undefined;
  try {
    return await handle.createSyncAccessHandle();
  } catch {
    return undefined;
  }
}

/** Writes all of these bytes; false where there was no room for them. */
function wasWritten(
  access: FileSystemSyncAccessHandle,
  bytes: Uint8Array<ArrayBuffer>,
  at: number,
): boolean {
  try {
    return access.write(bytes, { at }) === bytes.byteLength;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'QuotaExceededError') return false;
    throw error;
  }
}
