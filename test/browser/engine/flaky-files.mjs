/**
 * Serves made-up files of models to browser tests, in the ways that servers fail, under
 * `/flaky/<manner>/<bytes>-<drops>-<name>/resolve/<revision>/<path>`. The first `drops` answers for a name
 * break off at a drawn byte. `/flaky/asked/<name>` tells what was asked for. Manners:
 *
 * - `plain`: ranges are answered, and `revision` is the file's tag;
 * - `no-ranges`: every answer is the whole file;
 * - `changing`: once it broke off, the file is another one, with another tag;
 * - `silent`: it breaks off as if that were the end, and says no length;
 * - `slow`: it takes its time.
 *
 * @returns {import('vite').Plugin}
 */
export function flakyFiles() {
  /** @type {Map<string, string[]>} */
  const asked = new Map();
  return {
    name: 'grove-flaky-files',
    configureServer({ middlewares }) {
      middlewares.use('/flaky/asked/', (request, response) => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(asked.get((request.url ?? '').slice(1)) ?? []));
      });
      middlewares.use('/flaky', (request, response) => {
        const { pathname } = new URL(request.url ?? '/', 'http://here');
        const order = ORDER.exec(pathname)?.groups;
        if (order === undefined) return void response.writeHead(404).end();
        const { manner = '', bytes = '', drops = '', name = '', path = '' } = order;
        const before = asked.get(name) ?? [];
        const range = request.headers.range ?? '';
        asked.set(name, [...before, range === '' ? path : `${path} ${range}`]);
        const isOther = manner === 'changing' && before.length > 0;
        const whole = flakyBytes(Number(bytes), isOther ? 1 : 0);
        const from = manner === 'no-ranges' ? 0 : Number(/^bytes=(\d+)-$/u.exec(range)?.[1] ?? 0);
        const rest = whole.subarray(from);
        const shape = { manner, from, of: whole.length };
        response.writeHead(rest.length === 0 ? 416 : from === 0 ? 200 : 206, {
          etag: `"${order['revision'] ?? ''}${isOther ? '-other' : ''}"`,
          ...headersOf(rest, shape),
        });
        const isCut = before.length < Number(drops);
        const sent = isCut ? rest.subarray(0, drawn(before.length, rest.length)) : rest;
        if (manner === 'slow') return void sendSlowly(response, sent);
        if (!isCut || manner === 'silent') return void response.end(sent);
        // What is still on its way when a connection breaks off is lost with it.
        response.write(sent, () => setTimeout(() => response.destroy(), 30));
      });
    },
  };
}

const ORDER =
  /^\/(?<manner>[a-z-]+)\/(?<bytes>\d+)-(?<drops>\d+)-(?<name>[\w-]+)\/resolve\/(?<revision>[\w-]+)\/(?<path>.+)$/u;

/**
 * @param {Uint8Array} rest
 * @param {{ manner: string, from: number, of: number }} shape
 * @returns {Record<string, string | number>}
 */
function headersOf(rest, { manner, from, of }) {
  const type = { 'content-type': 'application/octet-stream' };
  if (manner === 'silent') return { ...type, connection: 'close' };
  return {
    ...type,
    'content-length': rest.length,
    'content-range': rest.length === 0 ? `bytes */${of}` : `bytes ${from}-${of - 1}/${of}`,
  };
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {Uint8Array} bytes
 */
async function sendSlowly(response, bytes) {
  for (let at = 0; at < bytes.length && !response.destroyed; at += 1 << 16) {
    response.write(bytes.subarray(at, at + (1 << 16)));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  response.end();
}

/** @type {Map<string, Uint8Array<ArrayBuffer>>} */
const made = new Map();

/**
 * What a file of this many bytes holds.
 *
 * @param {number} bytes
 * @param {number} [version]
 */
export function flakyBytes(bytes, version = 0) {
  const key = `${bytes} ${version}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const values = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at += 1) values[at] = Math.imul(at + version + 1, 0x9e3779b1) >>> 16;
  made.set(key, values);
  return values;
}

/**
 * Where an answer breaks off: the same for the same drop.
 *
 * @param {number} drop
 * @param {number} length
 */
function drawn(drop, length) {
  return (Math.imul(drop + 7, 0x85ebca6b) >>> 8) % length;
}
