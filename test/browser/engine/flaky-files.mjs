/**
 * Serves made-up files of models to browser tests, by a connection that drops: under
 * `/flaky/<bytes>-<drops>-<name>/resolve/<revision>/<path>`. The first `drops` answers for a name break
 * off at a drawn byte; ranges are answered, and `revision` is the file's tag.
 *
 * @returns {import('vite').Plugin}
 */
export function flakyFiles() {
  /** @type {Map<string, number>} */
  const dropped = new Map();
  return {
    name: 'grove-flaky-files',
    configureServer({ middlewares }) {
      middlewares.use('/flaky', (request, response) => {
        const { pathname } = new URL(request.url ?? '/', 'http://here');
        const asked = /^\/(\d+)-(\d+)-([\w-]+)\/resolve\/([\w-]+)\//u.exec(pathname);
        if (asked === null) return void response.writeHead(404).end();
        const [, bytes = '', drops = '', name = '', tag = ''] = asked;
        const whole = flakyBytes(Number(bytes));
        const from = Number(/^bytes=(\d+)-$/u.exec(request.headers.range ?? '')?.[1] ?? 0);
        if (from >= whole.length) return void response.writeHead(416).end();
        const rest = whole.subarray(from);
        response.writeHead(from === 0 ? 200 : 206, {
          'content-type': 'application/octet-stream',
          'content-length': rest.length,
          'content-range': `bytes ${from}-${whole.length - 1}/${whole.length}`,
          etag: `"${tag}"`,
        });
        const before = dropped.get(name) ?? 0;
        if (before >= Number(drops)) return void response.end(rest);
        dropped.set(name, before + 1);
        const sent = rest.subarray(0, drawn(before, rest.length));
        response.write(sent, () => response.destroy());
      });
    },
  };
}

/**
 * What a file of this many bytes holds.
 *
 * @param {number} bytes
 */
export function flakyBytes(bytes) {
  return Uint8Array.from(
    { length: bytes },
    (_, at) => (Math.imul(at + 1, 0x9e3779b1) >>> 16) & 255,
  );
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
