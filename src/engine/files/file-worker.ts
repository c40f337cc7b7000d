/**
 * Brings one file of a model in, piece by piece to the disk, so that a broken download goes on where it
 * stopped and no file is ever whole in memory; or hashes one that is there. One order after the other.
 */
import { fileMessageSchema, TAG, WHOLE, type BringOrder, type FileOrder } from './file-protocol.ts';
import {
  BringError,
  exclusive,
  hashOf,
  readText,
  report,
  teller,
  writeAll,
  writeText,
} from './file-writing.ts';
import { modelFile, modelFolder, newModelFile } from './model-folder.ts';

type Server = Extract<BringOrder['from'], { type: 'server' }>;
/** A file on its way to the disk. */
interface Coming {
  readonly folder: FileSystemDirectoryHandle;
  readonly access: FileSystemSyncAccessHandle;
  readonly order: BringOrder;
  /** The tag of what is there; null: nothing that can be gone on from. */
  readonly known: string | null;
}

/** Stops the order that is being followed. */
let stopping = new AbortController();

async function bring(order: BringOrder): Promise<void> {
  const { modelId, path, from } = order;
  const folder = await modelFolder(modelId, { create: true });
  if (folder === undefined) throw new Error('it was just made');
  const handle = await newModelFile(folder, path);
  const known = order.resume ? await readText(folder, path + TAG) : null;
  if (known?.startsWith(WHOLE) === true) {
    const { size } = await handle.getFile();
    report({ type: 'done', bytes: size, sha256: known.slice(WHOLE.length) });
    return;
  }
  const access = await exclusive(handle);
  try {
    const coming = { folder, access, order, known };
    if (from.type === 'server') await download(coming, from);
    else {
      access.truncate(0);
      await write(coming, from.file.stream(), 0);
    }
    access.flush();
  } finally {
    access.close();
  }
  const file = await handle.getFile();
  const sha256 = await hashOf(file, stopping.signal);
  await writeText(folder, path + TAG, WHOLE + sha256);
  report({ type: 'done', bytes: file.size, sha256 });
}

async function check({ modelId, path }: Extract<FileOrder, { type: 'check' }>): Promise<void> {
  const folder = await modelFolder(modelId);
  const handle = folder && (await modelFile(folder, path));
  if (handle === undefined) throw new BringError('failed', `${path} is not here.`);
  const file = await handle.getFile();
  const sha256 = await hashOf(file, stopping.signal, teller(0));
  report({ type: 'done', bytes: file.size, sha256 });
}

async function download(coming: Coming, server: Server): Promise<void> {
  const { access, folder, known, order } = coming;
  const had = known === null || known === '' ? 0 : access.getSize();
  // It came whole, and its worker ended while it hashed.
  if (had > 0 && had === order.bytes) return;
  let response = await ask(server, had);
  if (response === 'whole') return;
  // Another version, or a server that knows no ranges: from the beginning.
  const goesOn =
    response.status === 206 && known === tagOf(response) && startOf(response, had) === had;
  if (response.status === 206 && !goesOn) {
    await response.body?.cancel();
    response = await ask(server, 0);
    if (response === 'whole') return;
  }
  const at = goesOn ? had : 0;
  access.truncate(at);
  await writeText(folder, order.path + TAG, tagOf(response));
  if (response.body === null) throw new BringError('failed', 'The server sent nothing.');
  const length = response.headers.get('content-length');
  const least = length === null ? order.bytes : at + Number(length);
  try {
    await write(coming, response.body, at);
  } catch (cause) {
    if (cause instanceof BringError || stopping.signal.aborted) throw cause;
    throw brokenOff(cause);
  }
  if (least !== null && access.getSize() < least) throw brokenOff();
}

function brokenOff(cause?: unknown): BringError {
  const message = 'The connection broke off. What came is kept: go on.';
  return new BringError('not-reached', message, { cause });
}

/** By what a server tells versions of a file apart; empty where it does not. */
function tagOf({ headers }: Response): string {
  return headers.get('etag') ?? headers.get('last-modified') ?? '';
}

/** `whole`: there is nothing after `from`. */
async function ask({ url, headers }: Server, from: number): Promise<Response | 'whole'> {
  const range: Record<string, string> = from === 0 ? {} : { range: `bytes=${from}-` };
  const { host, pathname } = new URL(url);
  let response: Response;
  try {
    response = await fetch(url, {
      headers: { ...headers, ...range },
      cache: 'no-store',
      signal: stopping.signal,
    });
  } catch (cause) {
    stopping.signal.throwIfAborted();
    const message = `${host} was not reached. Look at the connection and go on: what came is kept.`;
    throw new BringError('not-reached', message, { cause });
  }
  if (response.ok) return response;
  await response.body?.cancel();
  if (response.status === 416 && from > 0) {
    const length = /\/(\d+)$/u.exec(response.headers.get('content-range') ?? '')?.[1];
    // Otherwise it is shorter than what is here: another version.
    return Number(length) === from ? 'whole' : ask({ type: 'server', url, headers }, 0);
  }
  throw new BringError(
    'refused',
    `${host} answered ${response.status} for ${pathname}.${adviceFor(response.status)}`,
  );
}

function adviceFor(status: number): string {
  switch (status) {
    case 401:
    case 403:
      return ' It gives this file only to people it knows: download the model’s folder there, and add it from the folder.';
    case 404:
      return ' The file is not there any more: look at the model’s page, or add the model from a folder.';
    case 429:
      return ' It asks for patience: go on in some minutes.';
    default:
      return ' Try again later: what came is kept.';
  }
}

/** Where the part that came begins; `asked` where the server lets no page read what it says of that. */
function startOf({ headers }: Response, asked: number): number {
  const said = /^bytes (\d+)-/u.exec(headers.get('content-range') ?? '')?.[1];
  return said === undefined ? asked : Number(said);
}

async function write(
  { access, order }: Coming,
  body: ReadableStream<Uint8Array>,
  at: number,
): Promise<void> {
  const tell = teller(at);
  let end = at;
  tell(end);
  for (const reader = body.getReader(); ;) {
    const { done, value } = await reader.read();
    stopping.signal.throwIfAborted();
    if (done) break;
    if (order.bytes !== null && end + value.byteLength > order.bytes) {
      void reader.cancel();
      const message = `${order.path} is longer than the file that was asked for.`;
      throw new BringError('not-the-file', message);
    }
    writeAll(access, value, end);
    end += value.byteLength;
    tell(end);
  }
}

function follow(order: FileOrder): Promise<void> {
  return order.type === 'bring' ? bring(order) : check(order);
}

addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  const message = fileMessageSchema.parse(data);
  if (message.type === 'stop') {
    stopping.abort();
    return;
  }
  stopping = new AbortController();
  follow(message).catch((error: unknown) => {
    const code = error instanceof BringError ? error.code : 'failed';
    report({
      type: 'failure',
      code: stopping.signal.aborted ? 'stopped' : code,
      message: error instanceof Error ? error.message : `${error}`,
    });
  });
});
