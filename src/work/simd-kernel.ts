import {
  KERNEL_LAYOUT,
  plainKernel,
  strideOf,
  widenQuery,
  type RecallKernel,
} from '../core/recall/index/kernel.ts';
import bytes from './recall.wat';
import relaxedBytes from './relaxed-scan.wat';

const PAGE = 65536;
/** 4 GiB, which is what 32-bit addresses reach. */
const MOST_PAGES = 65536;

/**
 * Memory grows by as much again, up to 64 MiB at a time: growing is a call into the browser that empties
 * every view. What is not touched takes no memory.
 */
const MOST_AHEAD = 1024;

/** Fresh memory with the loops in WebAssembly: relaxed SIMD, else SIMD, else plain JavaScript. */
export function makeKernel(): RecallKernel {
  if (!WebAssembly.validate(bytes)) return plainKernel();
  return simdKernel(WebAssembly.validate(relaxedBytes) ? 'relaxed' : 'strict');
}

/** Throws `WebAssembly.CompileError` where this kind of SIMD is missing. Both find the same. */
export function simdKernel(kind: 'relaxed' | 'strict'): RecallKernel {
  const memory = new WebAssembly.Memory({ initial: 2, maximum: MOST_PAGES });
  const { begin, accumulate, collect, ...strict } = exportsOf(bytes, memory);
  const isRelaxed = kind === 'relaxed';
  const scan = isRelaxed ? exportsOf(relaxedBytes, memory)['scan'] : strict['scan'];
  if (
    typeof scan !== 'function' ||
    typeof begin !== 'function' ||
    typeof accumulate !== 'function' ||
    typeof collect !== 'function'
  ) {
    throw new TypeError('a kernel lacks an export');
  }
  const { query, bits, hits, mostHits, scores, norms, collected, free } = KERNEL_LAYOUT;
  const chunk = isRelaxed ? 16 : 8;
  let used = free;
  return {
    memory: () => memory.buffer,
    reserve(size) {
      const at = used;
      const end = Math.ceil((used + size) / 16) * 16;
      const missing = Math.ceil(end / PAGE) - memory.buffer.byteLength / PAGE;
      if (missing > 0) {
        const pages = memory.buffer.byteLength / PAGE;
        const ahead = Math.min(pages, MOST_AHEAD, MOST_PAGES - pages);
        memory.grow(Math.max(missing, ahead));
      }
      used = end;
      return at;
    },
    setQuery: (values) =>
      isRelaxed ? splitQuery(memory.buffer, values) : widenQuery(memory.buffer, values),
    scan: ({ vectors, scales, stride }, { from, to, threshold }) =>
      Number(
        scan(vectors, scales, bits, query, stride / chunk, from, to, threshold, hits, mostHits),
      ),
    begin(lengths, to, { base, perLength }) {
      begin(lengths, norms, scores, to, base, perLength);
    },
    accumulate({ rows, counts, size }, factor) {
      accumulate(rows, counts, size, factor);
    },
    collect: (to, least) => Number(collect(scores, bits, to, least, collected)),
  };
}

function exportsOf(module: Uint8Array<ArrayBuffer>, memory: WebAssembly.Memory) {
  return new WebAssembly.Instance(new WebAssembly.Module(module), { grove: { memory } }).exports;
}

/** Sixteen values' parts above 0, then their parts below 0, and so on; padded with zeros. */
function splitQuery(memory: ArrayBuffer, values: Int8Array): void {
  const split = new Int8Array(memory, KERNEL_LAYOUT.query, 2 * strideOf(values.length));
  split.fill(0);
  values.forEach((value, at) => {
    const place = (at >> 4) * 32 + (at & 15);
    split[value > 0 ? place : place + 16] = Math.abs(value);
  });
}
