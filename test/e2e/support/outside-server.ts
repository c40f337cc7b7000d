import { createSocket } from 'node:dgram';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';

/** One request that arrived. */
export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** A server that is “the outside”: open to all origins, and keeping what reaches it. */
export interface OutsideServer {
  readonly origin: string;
  /** All requests, WebSocket handshakes included, preflights not; oldest first. */
  readonly arrivals: readonly Arrival[];
  /**
   * The bytes that came at all. A bare connection has none: Chromium opens one ahead of a frame's
   * navigation, before it asks the policy that then stops the request.
   */
  bytes(): { readonly tcp: number; readonly udp: number };
  close(): Promise<void>;
}

/**
 * `/redirect?to=URL` answers with a redirect, and so does `/led/PORT/…`, to the same path at that port;
 * `/hang` sends a first piece and no end.
 */
export async function startOutside(): Promise<OutsideServer> {
  const arrivals: Arrival[] = [];
  const sockets: Socket[] = [];
  let udp = 0;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://outside');
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', '*');
    request.resume();
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    const { method = '', headers } = request;
    arrivals.push({ method, path: url.pathname, headers });
    if (url.pathname === '/redirect') {
      return void response.writeHead(307, { location: url.searchParams.get('to') ?? '/' }).end();
    }
    const [, port, rest] = /^\/led\/(\d+)(\/.*)$/u.exec(url.pathname) ?? [];
    if (port !== undefined) {
      const location = `http://127.0.0.1:${port}${rest}`;
      return void response.writeHead(302, { location }).end();
    }
    if (url.pathname === '/hang') return void response.writeHead(200).write('first');
    response.writeHead(200, { 'content-type': 'text/plain' }).end('outside');
  });
  server.on('connection', (socket) => sockets.push(socket));
  server.on('upgrade', (request, socket) => {
    const { method = '', url = '', headers } = request;
    arrivals.push({ method, path: url, headers });
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const packets = createSocket('udp4', ({ length }) => {
    udp += length;
  });
  await new Promise<void>((resolve) => packets.bind(address.port, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${address.port}`,
    arrivals,
    bytes: () => ({ tcp: sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0), udp }),
    close: () =>
      new Promise((resolve) => {
        packets.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
