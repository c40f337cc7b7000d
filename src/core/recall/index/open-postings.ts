import { enlarged32, roomFor } from './columns.ts';
import type { RecallKernel } from './kernel.ts';
import type { Scoring } from './scoring.ts';
import { SEGMENT_ROWS } from './segment.ts';

/** Rows that a word's first chunk takes; each further one takes twice the one before. */
const FIRST_CHUNK = 2;
const FIRST_POOL = 2 ** 15;

interface Views {
  readonly memory: ArrayBuffer;
  readonly rows: Uint16Array;
  readonly counts: Uint8Array;
  readonly lengths: Float32Array;
}

/**
 * The rows of each word of the segment that fills: chunks that double, so that adding a row is a few
 * writes and a common word's rows still lie together. In the kernel's memory; one for all segments of an
 * index, emptied when a segment is full. A list is named by its word's number.
 */
export class OpenPostings {
  readonly #kernel: RecallKernel;
  /** Addresses. */
  #rows = 0;
  #counts = 0;
  #lengths = 0;
  /** How many postings there is room for, and how many chunks take up. */
  #room = 0;
  #used = 0;
  /** By word: its first and its latest chunk, plus 1; 0 for none. */
  #first = new Uint32Array(0);
  #latest = new Uint32Array(0);
  /** By chunk: where it begins, what it takes, what it holds, and the next one, plus 1. */
  #starts = new Uint32Array(0);
  #takes = new Uint32Array(0);
  #holds = new Uint32Array(0);
  #next = new Uint32Array(0);
  #chunks = 0;
  #words: number[] = [];

  /** Views of the pools, and the memory that they are views of. */
  #views: Views | null = null;

  constructor(kernel: RecallKernel) {
    this.#kernel = kernel;
  }

  add(row: number, length: number, entries: Uint32Array): void {
    if (this.#lengths === 0) this.#lengths = this.#kernel.reserve(SEGMENT_ROWS * 4);
    const highest = (entries.at(-1) ?? 0) >>> 8;
    if (highest >= this.#first.length) {
      const room = roomFor(highest + 1, this.#first.length);
      this.#first = enlarged32(this.#first, room);
      this.#latest = enlarged32(this.#latest, room);
    }
    const places = new Uint32Array(entries.length);
    for (let at = 0; at < entries.length; at += 1)
      places[at] = this.#place((entries[at] ?? 0) >>> 8);
    const { rows, counts, lengths } = this.#pools();
    for (let at = 0; at < entries.length; at += 1) {
      rows[places[at] ?? 0] = row;
      counts[places[at] ?? 0] = (entries[at] ?? 0) & 255;
    }
    lengths[row] = length;
  }

  /** Forgets every list. */
  clear(): void {
    for (const word of this.#words) {
      this.#first[word] = 0;
      this.#latest[word] = 0;
    }
    this.#words = [];
    this.#chunks = 0;
    this.#used = 0;
  }

  /** The list of a word; −1 where no row holds it. */
  find(word: number): number {
    return (this.#first[word] ?? 0) === 0 ? -1 : word;
  }

  /** The most a word can add for each of its weight: no closer bound is kept for what still changes. */
  boundOf(_list: number, { k1 }: Scoring): number {
    return k1 + 1;
  }

  /** Adds each row's share of a word that weighs `weight` to its score in the kernel. */
  accumulate(list: number, weight: number, { k1 }: Scoring): void {
    for (let chunk = this.#first[list] ?? 0; chunk !== 0; chunk = this.#next[chunk - 1] ?? 0) {
      const start = this.#starts[chunk - 1] ?? 0;
      const size = this.#holds[chunk - 1] ?? 0;
      const rows = this.#rows + 2 * start;
      this.#kernel.accumulate({ rows, counts: this.#counts + start, size }, weight * (k1 + 1));
    }
  }

  /** Where the kernel finds the rows' lengths. */
  get lengths(): number {
    return this.#lengths;
  }

  /** How many of the rows that hold the word are among `bits`. */
  countAmong(list: number, bits: Uint8Array): number {
    let sum = 0;
    this.walk(list, (row) => {
      sum += ((bits[row >> 3] ?? 0) >> (row & 7)) & 1;
    });
    return sum;
  }

  /** The words that some row holds, ascending. */
  words(): Uint32Array {
    return Uint32Array.from(this.#words).sort();
  }

  /** A word's rows, ascending, and how often each holds it. */
  walk(list: number, visit: (row: number, count: number) => void): void {
    const { rows, counts } = this.#pools();
    for (let chunk = this.#first[list] ?? 0; chunk !== 0; chunk = this.#next[chunk - 1] ?? 0) {
      const start = this.#starts[chunk - 1] ?? 0;
      const end = start + (this.#holds[chunk - 1] ?? 0);
      for (let at = start; at < end; at += 1) visit(rows[at] ?? 0, counts[at] ?? 0);
    }
  }

  /** Where a word's next posting goes. */
  #place(word: number): number {
    let chunk = (this.#latest[word] ?? 0) - 1;
    const holds = chunk < 0 ? 0 : (this.#holds[chunk] ?? 0);
    if (chunk < 0 || holds === this.#takes[chunk]) chunk = this.#startChunk(word, chunk, 2 * holds);
    const held = this.#holds[chunk] ?? 0;
    this.#holds[chunk] = held + 1;
    return (this.#starts[chunk] ?? 0) + held;
  }

  #startChunk(word: number, former: number, wanted: number): number {
    const takes = Math.max(FIRST_CHUNK, wanted);
    const chunk = this.#chunks;
    if (chunk === this.#starts.length) {
      const room = roomFor(chunk + 1, chunk);
      this.#starts = enlarged32(this.#starts, room);
      this.#takes = enlarged32(this.#takes, room);
      this.#holds = enlarged32(this.#holds, room);
      this.#next = enlarged32(this.#next, room);
    }
    if (this.#used + takes > this.#room) this.#enlarge(this.#used + takes);
    this.#starts[chunk] = this.#used;
    this.#takes[chunk] = takes;
    this.#holds[chunk] = 0;
    this.#next[chunk] = 0;
    this.#used += takes;
    this.#chunks += 1;
    if (former < 0) {
      this.#first[word] = chunk + 1;
      this.#words.push(word);
    } else this.#next[former] = chunk + 1;
    this.#latest[word] = chunk + 1;
    return chunk;
  }

  /** Making views takes longer than using them for one word. */
  #pools(): Views {
    const memory = this.#kernel.memory();
    if (this.#views?.memory !== memory || this.#views.rows.length !== this.#room) {
      this.#views = {
        memory,
        rows: new Uint16Array(memory, this.#rows, this.#room),
        counts: new Uint8Array(memory, this.#counts, this.#room),
        lengths: new Float32Array(memory, this.#lengths, SEGMENT_ROWS),
      };
    }
    return this.#views;
  }

  #enlarge(needed: number): void {
    const room = roomFor(needed, Math.max(FIRST_POOL, this.#room));
    const rows = this.#kernel.reserve(room * 2);
    const counts = this.#kernel.reserve(room);
    const memory = this.#kernel.memory();
    new Uint16Array(memory, rows, this.#used).set(new Uint16Array(memory, this.#rows, this.#used));
    new Uint8Array(memory, counts, this.#used).set(
      new Uint8Array(memory, this.#counts, this.#used),
    );
    this.#rows = rows;
    this.#counts = counts;
    this.#room = room;
  }
}
