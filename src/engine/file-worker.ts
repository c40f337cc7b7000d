/**
 * Brings one file of a model in, piece by piece to the disk, so that a broken download goes on where it
 * stopped and no file is ever whole in memory. One order, then it ends.
 */
import { sha256 as hashing } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { bringOrderSchema, TAG, type BringOrder, type BringReport } from './file-protocol.ts';
import { modelFile, modelFolder, newModelFile } from './model-folder.ts';

/** A tag of a file that is all there: this, and its hash. */
const WHOLE = 'whole ';
const TELL_EVERY_MS = 100;
/** Bytes read at a time for the hash. */
const PIECE = 1 << 22;

type ServerOrder = Extract<BringOrder['from'], { type: 'server' }>;
type FailureCode = Extract<BringReport, { type: 'failure' }>['code'];

/** Why a file did not come. */
class BringError extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}

function report(message: BringReport): void {
  postMessage(message);
}

function teller(): (bytes: number, total: number | null) => void {
  let told = -Infinity;
  return (bytes, total) => {
    const now = performance.now();
    if (now - told < TELL_EVERY_MS && bytes !== total) return;
    told = now;
    report({ type: 'progress', bytes, total });
  };
}

async function bring({ modelId, path, from }: BringOrder): Promise<void> {
  const folder = await modelFolder(modelId, { create: true });
  if (folder === undefined) throw new Error('it was just made');
  const handle = await newModelFile(folder, path);
  const known = from.type === 'server' && from.resume ? await readText(folder, path + TAG) : null;
  if (known?.startsWith(WHOLE) === true) {
    const { size } = await handle.getFile();
    report({ type: 'done', bytes: size, sha256: known.slice(WHOLE.length) });
    return;
  }
  const access = await exclusive(handle);
  try {
    if (from.type === 'file') {
      access.truncate(0);
      await write(access, { body: from.file.stream(), at: 0, total: from.file.size });
    } else {
      await download(folder, access, { ...from, path, known });
    }
    access.flush();
  } finally {
    access.close();
  }
  const file = await handle.getFile();
  const sha256 = await hashOf(file);
  await writeText(folder, path + TAG, WHOLE + sha256);
  report({ type: 'done', bytes: file.size, sha256 });
}

async function download(
  folder: FileSystemDirectoryHandle,
  access: FileSystemSyncAccessHandle,
  asked: ServerOrder & Pick<BringOrder, 'path'> & { readonly known: string | null },
): Promise<void> {
  const { known } = asked;
  const had = known === null ? 0 : access.getSize();
  let response = await ask(asked, had);
  const tag = response.headers.get('etag') ?? '';
  // Another version, or a server that knows no ranges: from the beginning.
  const goesOn =
    response.status === 206 && tag !== '' && known === tag && startOf(response, had) === had;
  if (response.status === 206 && !goesOn) {
    await response.body?.cancel();
    response = await ask(asked, 0);
  }
  const at = goesOn ? had : 0;
  access.truncate(at);
  await writeText(folder, asked.path + TAG, response.headers.get('etag') ?? '');
  const length = Number(response.headers.get('content-length') ?? NaN);
  const total = Number.isFinite(length) ? at + length : null;
  if (response.body === null) throw new BringError('failed', 'The server sent nothing.');
  try {
    await write(access, { body: response.body, at, total });
  } catch (cause) {
    if (cause instanceof BringError) throw cause;
    throw new BringError('not-reached', 'The connection broke off. What came is kept: go on.', {
      cause,
    });
  }
  if (total !== null && access.getSize() < total) {
    throw new BringError('not-reached', 'The connection broke off. What came is kept: go on.');
  }
}

async function ask({ url, headers }: ServerOrder, from: number): Promise<Response> {
  const range: Record<string, string> = from === 0 ? {} : { range: `bytes=${from}-` };
  let response: Response;
  try {
    response = await fetch(url, { headers: { ...headers, ...range }, cache: 'no-store' });
  } catch (cause) {
    const { host } = new URL(url);
    throw new BringError('not-reached', `${host} was not reached. Look at the connection.`, {
      cause,
    });
  }
  if (response.ok) return response;
  // It is shorter than what is here.
  if (response.status === 416 && from > 0) {
    return ask({ type: 'server', url, headers, resume: false }, 0);
  }
  const { host, pathname } = new URL(url);
  throw new BringError('refused', `${host} answered ${response.status} for ${pathname}.`);
}

/** Where the part that came begins; `asked` where the server lets no page read what it says of that. */
function startOf({ headers }: Response, asked: number): number {
  const said = /^bytes (\d+)-/u.exec(headers.get('content-range') ?? '')?.[1];
  return said === undefined ? asked : Number(said);
}

async function write(
  access: FileSystemSyncAccessHandle,
  { body, at, total }: { body: ReadableStream<Uint8Array>; at: number; total: number | null },
): Promise<void> {
  const tell = teller();
  let end = at;
  for (const reader = body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    writeAll(access, value, end);
    end += value.byteLength;
    tell(end, total);
  }
}

function writeAll(access: FileSystemSyncAccessHandle, bytes: Uint8Array, at: number): void {
  try {
    if (access.write(bytes, { at }) === bytes.byteLength) return;
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'QuotaExceededError')) throw error;
  }
  throw new BringError(
    'no-room',
    'The browser gives Grove no more room. Free some in Settings, or on this disk; what came is kept.',
  );
}

async function hashOf(file: File): Promise<string> {
  const hash = hashing.create();
  for (let at = 0; at < file.size; at += PIECE) {
    hash.update(new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer()));
  }
  return bytesToHex(hash.digest());
}

/** Throws `busy` where another tab writes to it. */
async function exclusive(handle: FileSystemFileHandle): Promise<FileSystemSyncAccessHandle> {
  try {
    return await handle.createSyncAccessHandle();
  } catch (cause) {
    throw new BringError('busy', 'Another tab of Grove is bringing this file in.', { cause });
  }
}

async function readText(folder: FileSystemDirectoryHandle, path: string): Promise<string | null> {
  const handle = await modelFile(folder, path);
  return handle === undefined ? null : (await handle.getFile()).text();
}

async function writeText(
  folder: FileSystemDirectoryHandle,
  path: string,
  text: string,
): Promise<void> {
  const handle = await newModelFile(folder, path);
  const access = await exclusive(handle);
  access.truncate(0);
  access.write(new TextEncoder().encode(text), { at: 0 });
  access.close();
}

addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  bring(bringOrderSchema.parse(data)).catch((error: unknown) => {
    const code = error instanceof BringError ? error.code : 'failed';
    report({ type: 'failure', code, message: error instanceof Error ? error.message : `${error}` });
  });
});
