/**
 * Where in a kernel's memory things lie, in bytes. Rows are those of one segment: 8,192 at most, and
 * numbered from 0.
 */
export const KERNEL_LAYOUT = {
  /** The query's vector, as `setQuery` lays it out. */
  query: 64,
  /** A bit for each row that may be found. */
  bits: 4096,
  /** How many hits there are (int32), then from 8 on the hits, each a row and a dot product (int32). */
  hits: 8192,
  mostHits: 1024,
  /** What each row scores so far (float32). */
  scores: 24576,
  /** What each row's counts are divided by, besides themselves (float32). */
  norms: 57344,
  /** The rows that were collected (uint16). */
  collected: 90112,
  /** What is reserved begins here. */
  free: 106496,
};

/** Vectors end to end, each of `stride` int8; one float32 scale a vector. Addresses are multiples of 16. */
export interface VectorBlock {
  readonly vectors: number;
  readonly scales: number;
  /** A multiple of 16. */
  readonly stride: number;
}

export interface ScanRange {
  /** Rows, multiples of 4. */
  readonly from: number;
  readonly to: number;
  /** float32. */
  readonly threshold: number;
}

/** A word's rows: addresses of their numbers (uint16) and of how often each holds it (uint8). */
export interface WordList {
  readonly rows: number;
  readonly counts: number;
  readonly size: number;
}

/** A row's norm is base + perLength × length. */
export interface NormFormula {
  readonly base: number;
  readonly perLength: number;
}

/** Memory for vectors and postings, and the loops over them that recall spends its time in. */
export interface RecallKernel {
  /** The memory as it is now: `reserve` may replace it. */
  memory(): ArrayBuffer;
  /** Zeroed bytes, at a multiple of 16. Throws `RangeError` where there is no more memory. */
  reserve(bytes: number): number;
  /** Lays out what `scan` compares with. No value is −128. */
  setQuery(values: Int8Array): void;
  /**
   * Writes, in order, each row of the range whose bit is set and for which
   * fround(dot(row, query) × scale) ≥ threshold to `hits`; returns the row it came to, which is before
   * `to` where the hits are full.
   */
  scan(block: VectorBlock, range: ScanRange): number;
  /** Sets `norms` of the rows below `to` (a multiple of 4) from lengths (float32), and `scores` to 0. */
  begin(lengths: number, to: number, formula: NormFormula): void;
  /** Adds factor × count ÷ (count + norm) to `scores`, in float32: right to a few parts in 2²³. */
  accumulate(list: WordList, factor: number): void;
  /** Writes the rows below `to` (a multiple of 4) whose bit is set and that score `least` to `collected`. */
  collect(to: number, least: number): number;
}

export function strideOf(dimension: number): number {
  return Math.ceil(dimension / 16) * 16;
}

/** The loops without WebAssembly: the same hits, some twenty times slower. */
export function plainKernel(): RecallKernel {
  let memory = new ArrayBuffer(KERNEL_LAYOUT.free);
  let used = KERNEL_LAYOUT.free;
  return {
    memory: () => memory,
    reserve(bytes) {
      const at = used;
      used = Math.ceil((used + bytes) / 16) * 16;
      if (used > memory.byteLength) {
        const larger = new ArrayBuffer(Math.max(used, memory.byteLength * 2));
        new Uint8Array(larger).set(new Uint8Array(memory));
        memory = larger;
      }
      return at;
    },
    setQuery: (values) => widenQuery(memory, values),
    scan: (block, range) => plainScan(memory, block, range),
    begin: (lengths, to, formula) => plainBegin(memory, { lengths, to }, formula),
    accumulate: (list, factor) => plainAccumulate(memory, list, factor),
    collect: (to, least) => plainCollect(memory, to, least),
  };
}

/** The query as int16, padded with zeros. */
export function widenQuery(memory: ArrayBuffer, values: Int8Array): void {
  const widened = new Int16Array(memory, KERNEL_LAYOUT.query, strideOf(values.length));
  widened.fill(0);
  widened.set(values);
}

function plainScan(
  memory: ArrayBuffer,
  { vectors, scales, stride }: VectorBlock,
  { from, to, threshold }: ScanRange,
): number {
  const values = new Int8Array(memory, vectors);
  const query = new Int16Array(memory, KERNEL_LAYOUT.query, stride);
  const scale = new Float32Array(memory, scales);
  const bits = new Uint8Array(memory, KERNEL_LAYOUT.bits);
  const hits = new Int32Array(memory, KERNEL_LAYOUT.hits);
  let found = 0;
  let row = from;
  for (; row < to && found <= KERNEL_LAYOUT.mostHits - 4; row += 4) {
    for (let one = row; one < row + 4; one += 1) {
      if ((((bits[one >> 3] ?? 0) >> (one & 7)) & 1) === 0) continue;
      const start = one * stride;
      let dot = 0;
      for (let at = 0; at < stride; at += 1) dot += (values[start + at] ?? 0) * (query[at] ?? 0);
      if (Math.fround(dot * (scale[one] ?? 0)) < threshold) continue;
      hits[2 + 2 * found] = one;
      hits[3 + 2 * found] = dot;
      found += 1;
    }
  }
  hits[0] = found;
  return row;
}

function plainBegin(
  memory: ArrayBuffer,
  { lengths, to }: { readonly lengths: number; readonly to: number },
  { base, perLength }: NormFormula,
): void {
  new Float32Array(memory, KERNEL_LAYOUT.scores, to).fill(0);
  const norms = new Float32Array(memory, KERNEL_LAYOUT.norms, to);
  new Float32Array(memory, lengths, to).forEach((length, row) => {
    norms[row] = base + perLength * length;
  });
}

function plainAccumulate(memory: ArrayBuffer, list: WordList, factor: number): void {
  const rows = new Uint16Array(memory, list.rows, list.size);
  const counts = new Uint8Array(memory, list.counts, list.size);
  const norms = new Float32Array(memory, KERNEL_LAYOUT.norms);
  const scores = new Float32Array(memory, KERNEL_LAYOUT.scores);
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] ?? 0;
    const count = counts[at] ?? 0;
    scores[row] = (scores[row] ?? 0) + (factor * count) / (count + (norms[row] ?? 0));
  }
}

function plainCollect(memory: ArrayBuffer, to: number, least: number): number {
  const scores = new Float32Array(memory, KERNEL_LAYOUT.scores, to);
  const bits = new Uint8Array(memory, KERNEL_LAYOUT.bits);
  const collected = new Uint16Array(memory, KERNEL_LAYOUT.collected);
  let count = 0;
  for (let row = 0; row < to; row += 1) {
    if ((scores[row] ?? 0) < least || (((bits[row >> 3] ?? 0) >> (row & 7)) & 1) === 0) continue;
    collected[count] = row;
    count += 1;
  }
  return count;
}
