import type { RecallKernel } from './kernel.ts';
import type { OpenPostings } from './open-postings.ts';
import { wordScore, type Scoring } from './scoring.ts';

/** What a full segment's postings consist of. */
export interface PackedColumns {
  /** Numbers of the words that some row holds, ascending. */
  readonly words: Uint32Array;
  /** Where each word's rows begin, and after the last one where they end. */
  readonly starts: Uint32Array;
  /** The most that a word adds to a row, of 255 parts of k1 + 1, rounded up. */
  readonly bounds: Uint8Array;
  readonly rows: Uint16Array;
  readonly counts: Uint8Array;
}

/**
 * The rows of each word of a full segment, end to end, in the kernel's memory. A list is named by its
 * place among the words.
 */
export class PackedPostings {
  /** The average length that the bounds were taken at. */
  readonly average: number;
  readonly #kernel: RecallKernel;
  readonly #columns: Pick<PackedColumns, 'words' | 'starts' | 'bounds'>;
  readonly #size: number;
  /** Addresses. */
  readonly #rows: number;
  readonly #counts: number;
  readonly #lengths: number;

  /** Copies rows, counts and the lengths of all rows into the kernel. */
  constructor(
    kernel: RecallKernel,
    columns: PackedColumns,
    { lengths, average }: { readonly lengths: Uint32Array; readonly average: number },
  ) {
    const { rows, counts } = columns;
    this.average = average;
    this.#kernel = kernel;
    this.#columns = { words: columns.words, starts: columns.starts, bounds: columns.bounds };
    this.#size = rows.length;
    this.#rows = kernel.reserve(rows.byteLength);
    this.#counts = kernel.reserve(counts.byteLength);
    this.#lengths = kernel.reserve(lengths.length * 4);
    const memory = kernel.memory();
    new Uint16Array(memory, this.#rows, rows.length).set(rows);
    new Uint8Array(memory, this.#counts, counts.length).set(counts);
    new Float32Array(memory, this.#lengths, lengths.length).set(lengths);
  }

  /** As they are stored. Rows and counts are views of memory that may be replaced. */
  get columns(): PackedColumns {
    const memory = this.#kernel.memory();
    return {
      ...this.#columns,
      rows: new Uint16Array(memory, this.#rows, this.#size),
      counts: new Uint8Array(memory, this.#counts, this.#size),
    };
  }

  find(word: number): number {
    const { words } = this.#columns;
    let low = 0;
    let high = words.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const value = words[middle] ?? 0;
      if (value === word) return middle;
      if (value < word) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  /**
   * The most a word can add for each of its weight. Where the average has grown since the bound was
   * taken, norms have shrunk by no more than it has grown, and shares have grown by no more.
   */
  boundOf(list: number, { k1, average }: Scoring): number {
    const part = ((this.#columns.bounds[list] ?? 255) / 255) * Math.max(1, average / this.average);
    return Math.min(1, part) * (k1 + 1);
  }

  /** Adds each row's share of a word that weighs `weight` to its score in the kernel. */
  accumulate(list: number, weight: number, { k1 }: Scoring): void {
    const { starts } = this.#columns;
    const start = starts[list] ?? 0;
    const size = (starts[list + 1] ?? 0) - start;
    const rows = this.#rows + 2 * start;
    this.#kernel.accumulate({ rows, counts: this.#counts + start, size }, weight * (k1 + 1));
  }

  /** Where the kernel finds the rows' lengths. */
  get lengths(): number {
    return this.#lengths;
  }

  /** How many of the rows that hold the word are among `bits`. */
  countAmong(list: number, bits: Uint8Array): number {
    const { starts } = this.#columns;
    const start = starts[list] ?? 0;
    const size = (starts[list + 1] ?? 0) - start;
    const rows = new Uint16Array(this.#kernel.memory(), this.#rows + 2 * start, size);
    let sum = 0;
    for (let at = 0; at < size; at += 1) {
      const row = rows[at] ?? 0;
      sum += ((bits[row >> 3] ?? 0) >> (row & 7)) & 1;
    }
    return sum;
  }
}

/** Packs the lists of a segment with these entries and lengths. */
export function packPostings(
  open: OpenPostings,
  { entries, lengths }: { readonly entries: Uint32Array; readonly lengths: Uint32Array },
  { kernel, scoring }: { readonly kernel: RecallKernel; readonly scoring: Scoring },
): PackedPostings {
  const words = open.words();
  const starts = new Uint32Array(words.length + 1);
  const bounds = new Uint8Array(words.length);
  const rows = new Uint16Array(entries.length);
  const counts = new Uint8Array(entries.length);
  let at = 0;
  words.forEach((word, list) => {
    let most = 0;
    open.walk(word, (row, count) => {
      rows[at] = row;
      counts[at] = count;
      at += 1;
      most = Math.max(most, wordScore(1, count, { scoring, length: lengths[row] ?? 0 }));
    });
    bounds[list] = Math.min(255, Math.ceil((most / (scoring.k1 + 1)) * 255 * (1 + 1e-9)));
    starts[list + 1] = at;
  });
  const { average } = scoring;
  return new PackedPostings(kernel, { words, starts, bounds, rows, counts }, { lengths, average });
}
