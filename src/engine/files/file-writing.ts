/** What a file worker does to the disk. */
import { sha256 as hashing } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { FileReport } from './file-protocol.ts';
import { modelFile, newModelFile } from './model-folder.ts';

const TELL_EVERY_MS = 100;
/** Bytes read at a time for the hash. */
const PIECE = 1 << 22;

type FailureCode = Extract<FileReport, { type: 'failure' }>['code'];

/** Why a file did not come. */
export class BringError extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}

export function report(message: FileReport): void {
  postMessage(message);
}

/** Tells how far a file is, not more often than is good to look at. */
export function teller(before: number): (bytes: number) => void {
  let told = -Infinity;
  return (bytes) => {
    const now = performance.now();
    if (now - told < TELL_EVERY_MS) return;
    told = now;
    report({ type: 'progress', bytes, before });
  };
}

/** Throws `no-room`; what was written before stays. */
export function writeAll(
  access: Pick<FileSystemSyncAccessHandle, 'write'>,
  bytes: Uint8Array,
  at: number,
): void {
  let cause: unknown;
  try {
    if (access.write(bytes, { at }) === bytes.byteLength) return;
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'QuotaExceededError')) throw error;
    cause = error;
  }
  throw new BringError('no-room', 'The browser gives Grove no more room.', { cause });
}

/** SHA-256, read piece by piece. Throws the signal's reason. */
export async function hashOf(
  file: File,
  signal: AbortSignal,
  tell: (bytes: number) => void = () => undefined,
): Promise<string> {
  const hash = hashing.create();
  for (let at = 0; at < file.size; at += PIECE) {
    signal.throwIfAborted();
    tell(at);
    hash.update(new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer()));
  }
  return bytesToHex(hash.digest());
}

/** Throws `busy` where something else writes to it. */
export async function exclusive(handle: FileSystemFileHandle): Promise<FileSystemSyncAccessHandle> {
  try {
    return await handle.createSyncAccessHandle();
  } catch (cause) {
    const isTaken = cause instanceof DOMException && cause.name === 'NoModificationAllowedError';
    if (!isTaken) throw cause;
    throw new BringError('busy', 'Another tab of Grove is bringing this file in.', { cause });
  }
}

export async function readText(
  folder: FileSystemDirectoryHandle,
  path: string,
): Promise<string | null> {
  const handle = await modelFile(folder, path);
  return handle === undefined ? null : (await handle.getFile()).text();
}

export async function writeText(
  folder: FileSystemDirectoryHandle,
  path: string,
  text: string,
): Promise<void> {
  const access = await exclusive(await newModelFile(folder, path));
  try {
    access.truncate(0);
    writeAll(access, new TextEncoder().encode(text), 0);
  } finally {
    access.close();
  }
}
