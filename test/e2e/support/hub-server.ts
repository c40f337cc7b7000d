import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A hub that has one model, `owner/NAME`, and lets its files trickle until it is let go. */
export interface HubServer {
  readonly origin: string;
  /** Ranges that were asked for, by path. */
  readonly ranges: readonly { readonly path: string; readonly from: number }[];
  /** From now on files come at full speed. */
  hurry(): void;
  close(): Promise<void>;
}

const PIECE = 16_384;
const PIECE_MS = 120;

/** Starts it on a free port of this machine, open to all origins as hubs are. */
export async function startHub(
  name: string,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<HubServer> {
  const ranges: { path: string; from: number }[] = [];
  const sockets = new Set<Socket>();
  let hurries = false;

  async function send(response: ServerResponse, bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.byteLength && !response.destroyed; at += PIECE) {
      response.write(bytes.subarray(at, at + PIECE));
      if (!hurries) await new Promise((resolve) => setTimeout(resolve, PIECE_MS));
    }
    response.end();
  }

  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://hub');
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', '*');
    response.setHeader('access-control-expose-headers', 'etag, content-range, link');
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    if (pathname === `/api/models/owner/${name}/tree/main`) {
      response.setHeader('content-type', 'application/json');
      return void response.end(
        JSON.stringify([...files].map(([path, bytes]) => line(path, bytes))),
      );
    }
    const path = pathname.replace(`/owner/${name}/resolve/main/`, '');
    const bytes = files.get(path);
    if (bytes === undefined) return void response.writeHead(404).end();
    const from = Number(/^bytes=(\d+)-$/u.exec(request.headers.range ?? '')?.[1] ?? 0);
    if (from > 0) ranges.push({ path, from });
    response.writeHead(from === 0 ? 200 : 206, {
      'content-length': bytes.byteLength - from,
      etag: '"main"',
      ...(from === 0
        ? {}
        : { 'content-range': `bytes ${from}-${bytes.byteLength - 1}/${bytes.byteLength}` }),
    });
    void send(response, bytes.subarray(from));
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    ranges,
    hurry: () => (hurries = true),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** As a hub's list has it: large files with their SHA-256. */
function line(path: string, bytes: Uint8Array) {
  const oid = createHash('sha256').update(bytes).digest('hex');
  const lfs = path.endsWith('.onnx') ? { lfs: { oid, size: bytes.byteLength } } : {};
  return { type: 'file', path, size: bytes.byteLength, ...lfs };
}
