import { filterBits, type RowFilter } from './filter-bits.ts';
import { KERNEL_LAYOUT, strideOf, type RecallKernel, type VectorBlock } from './kernel.ts';
import type { RowStore } from './row-store.ts';
import { SEGMENT_ROWS } from './segment.ts';
import { TopRows, type ScoredRow } from './top-rows.ts';
import type { EncoderId, QuantisedVector } from './recall-types.ts';

/** The least similarity there is above 0, as float32. */
const ABOVE_ZERO = 2 ** -149;

/** The vectors of a store's rows, all of one encoder, and the exact search among them. */
export class VectorIndex {
  readonly encoder: EncoderId;
  readonly #kernel: RecallKernel;
  readonly #stride: number;
  readonly #store: RowStore;
  readonly #top = new TopRows();
  readonly #blocks: VectorBlock[] = [];

  constructor(encoder: EncoderId, store: RowStore) {
    this.encoder = encoder;
    this.#kernel = store.kernel;
    this.#stride = strideOf(encoder.dimension);
    this.#store = store;
  }

  /** Sets a row's vector. Throws `RangeError` where its dimension is not the encoder's. */
  set(row: number, { values, scale }: QuantisedVector): void {
    if (values.length !== this.encoder.dimension) {
      throw new RangeError(`a vector of ${values.length} in an index of ${this.encoder.dimension}`);
    }
    const block = this.#blockAt(Math.floor(row / SEGMENT_ROWS));
    const at = row % SEGMENT_ROWS;
    const stride = this.#stride;
    const memory = this.#kernel.memory();
    new Int8Array(memory, block.vectors + at * stride, stride).set(values);
    new Float32Array(memory, block.scales + at * 4, 1)[0] = scale;
  }

  /** A row's vector; null where it has none. */
  get(row: number): QuantisedVector | null {
    const block = this.#blocks[Math.floor(row / SEGMENT_ROWS)];
    if (block === undefined) return null;
    const at = row % SEGMENT_ROWS;
    const stride = this.#stride;
    const memory = this.#kernel.memory();
    const scale = new Float32Array(memory, block.scales + at * 4, 1)[0] ?? 0;
    if (scale === 0) return null;
    const values = new Int8Array(memory, block.vectors + at * stride, this.encoder.dimension);
    return { values: values.slice(), scale };
  }

  /** The `limit` most similar of the rows that pass, above 0; ties by node id. */
  search(query: QuantisedVector, filter: RowFilter, limit: number): readonly ScoredRow[] {
    const top = this.#top;
    top.begin(limit);
    this.#kernel.setQuery(query.values);
    this.#blocks.forEach((block, at) => {
      const segment = this.#store.segments[at];
      if (segment === undefined) return;
      const bits = filterBits(segment, filter);
      new Uint8Array(this.#kernel.memory(), KERNEL_LAYOUT.bits, bits.length).set(bits);
      this.#scanBlock(block, { first: at * SEGMENT_ROWS, rows: segment.count, top });
    });
    const best = top.best((_row, score) => score, this.#store.isBefore);
    return best.map(({ row, score }) => ({ row, score: score * query.scale }));
  }

  /** A segment's vectors and scales as they lie in memory, to be stored; none where it has no vector. */
  blockOf(segment: number): { readonly vectors: Int8Array; readonly scales: Float32Array } | null {
    const block = this.#blocks[segment];
    const rows = this.#store.segments[segment]?.count ?? 0;
    if (block === undefined) return null;
    const memory = this.#kernel.memory();
    return {
      vectors: new Int8Array(memory, block.vectors, rows * this.#stride),
      scales: new Float32Array(memory, block.scales, rows),
    };
  }

  /** Takes in a segment's stored vectors. */
  adopt(segment: number, vectors: Int8Array, scales: Float32Array): void {
    const block = this.#blockAt(segment);
    const memory = this.#kernel.memory();
    new Int8Array(memory, block.vectors, vectors.length).set(vectors);
    new Float32Array(memory, block.scales, scales.length).set(scales);
  }

  #blockAt(segment: number): VectorBlock {
    while (this.#blocks.length <= segment) {
      const vectors = this.#kernel.reserve(SEGMENT_ROWS * this.#stride);
      const scales = this.#kernel.reserve(SEGMENT_ROWS * 4);
      this.#blocks.push({ vectors, scales, stride: this.#stride });
    }
    return this.#blocks[segment] ?? { vectors: 0, scales: 0, stride: 0 };
  }

  /**
   * A dot product is below 2²⁴ and a scale has 24 bits, so their product is exact in a double; and as
   * rounding keeps the order, a row that the rounded comparison leaves out is below the floor.
   */
  #scanBlock(
    block: VectorBlock,
    { first, rows, top }: { readonly first: number; readonly rows: number; readonly top: TopRows },
  ): void {
    const memory = this.#kernel.memory();
    const hits = new Int32Array(memory, KERNEL_LAYOUT.hits, 2 + 2 * KERNEL_LAYOUT.mostHits);
    const scales = new Float32Array(memory, block.scales, SEGMENT_ROWS);
    const to = Math.ceil(rows / 4) * 4;
    for (let from = 0; from < to;) {
      const threshold = Math.max(ABOVE_ZERO, Math.fround(top.floor));
      from = this.#kernel.scan(block, { from, to, threshold });
      const found = hits[0] ?? 0;
      for (let at = 0; at < found; at += 1) {
        const row = hits[2 + 2 * at] ?? 0;
        const score = (hits[3 + 2 * at] ?? 0) * (scales[row] ?? 0);
        top.offer(first + row, score, score);
      }
      top.settle();
    }
  }
}
