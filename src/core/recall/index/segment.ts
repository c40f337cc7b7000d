import { enlarged8, enlarged16, enlarged32, roomFor } from './columns.ts';
import type { OpenPostings } from './open-postings.ts';
import type { PackedPostings } from './packed-postings.ts';

/** How many rows a segment takes. A power of two: a row's number is its segment's and its own. */
export const SEGMENT_ROWS = 8192;
/** `gone` of a row that is still current. */
export const STILL_THERE = 0xffffffff;
/** Of an entry: the word's number above, how often the row holds it below. */
export const COUNT_BITS = 8;
export const MOST_COUNT = 255;
export const MOST_WORDS = 2 ** 24;

/** A node as it was from one step until another. */
export interface Row {
  readonly id: Uint8Array;
  readonly idHash: number;
  /** Words, each as often as its field weighs. */
  readonly length: number;
  readonly born: number;
  /** Bit 0: trusted. Bits 1 and 2: rank. */
  readonly marks: number;
  readonly source: number;
  /** `word << 8 | count`, ascending. */
  readonly entries: Uint32Array;
}

/** What of a segment never changes once it is full. Column by column; ids and entries end to end. */
export interface SegmentColumns {
  idStarts: Uint32Array;
  ids: Uint8Array;
  idHashes: Uint32Array;
  lengths: Uint32Array;
  born: Uint32Array;
  marks: Uint8Array;
  sources: Uint16Array;
  entryStarts: Uint32Array;
  entries: Uint32Array;
}

/** Up to `SEGMENT_ROWS` rows with their postings: growing lists while it fills, packed once it is full. */
export class Segment {
  count: number;
  readonly columns: SegmentColumns;
  /** The first step at which the row no longer holds. */
  gone: Uint32Array;
  /** A bit for each row that is current. */
  readonly current = new Uint8Array(SEGMENT_ROWS / 8);
  /** The lists of an open segment are the index's own, and take rows by themselves. */
  postings: OpenPostings | PackedPostings;
  /** Counts changes, so that what was derived from this segment can tell whether it still holds. */
  version = 0;
  /** Bits of filters that were asked lately, by their key. */
  readonly filtered = new Map<string, { readonly version: number; readonly bits: Uint8Array }>();

  /** Empty, or with rows that are current unless `gone` says when they went. */
  constructor(
    postings: OpenPostings | PackedPostings,
    columns: SegmentColumns = emptyColumns(),
    gone: Uint32Array = new Uint32Array(0),
  ) {
    this.postings = postings;
    this.columns = columns;
    this.count = gone.length;
    this.gone = gone.slice();
    gone.forEach((step, at) => {
      if (step !== STILL_THERE) return;
      this.current[at >> 3] = (this.current[at >> 3] ?? 0) | (1 << (at & 7));
    });
  }

  /** Adds a current row; returns its place. The segment must not be full. */
  append(row: Row): number {
    const { columns } = this;
    const at = this.count;
    this.#makeRoom(row);
    const idStart = columns.idStarts[at] ?? 0;
    const entryStart = columns.entryStarts[at] ?? 0;
    columns.ids.set(row.id, idStart);
    columns.idStarts[at + 1] = idStart + row.id.length;
    columns.entries.set(row.entries, entryStart);
    columns.entryStarts[at + 1] = entryStart + row.entries.length;
    columns.idHashes[at] = row.idHash;
    columns.lengths[at] = row.length;
    columns.born[at] = row.born;
    columns.marks[at] = row.marks;
    columns.sources[at] = row.source;
    this.gone[at] = STILL_THERE;
    this.count = at + 1;
    this.version += 1;
    this.current[at >> 3] = (this.current[at >> 3] ?? 0) | (1 << (at & 7));
    return at;
  }

  /** From `step` on, the row no longer holds. */
  close(at: number, step: number): void {
    this.gone[at] = step;
    this.version += 1;
    this.current[at >> 3] = (this.current[at >> 3] ?? 0) & ~(1 << (at & 7));
  }

  isCurrent(at: number): boolean {
    return this.gone[at] === STILL_THERE;
  }

  idOf(at: number): Uint8Array {
    const { ids, idStarts } = this.columns;
    return ids.subarray(idStarts[at] ?? 0, idStarts[at + 1] ?? 0);
  }

  entriesOf(at: number): Uint32Array {
    const { entries, entryStarts } = this.columns;
    return entries.subarray(entryStarts[at] ?? 0, entryStarts[at + 1] ?? 0);
  }

  #makeRoom(row: Row): void {
    const { columns, count } = this;
    const ids = (columns.idStarts[count] ?? 0) + row.id.length;
    if (ids > columns.ids.length)
      columns.ids = enlarged8(columns.ids, roomFor(ids, columns.ids.length));
    const entries = (columns.entryStarts[count] ?? 0) + row.entries.length;
    if (entries > columns.entries.length) {
      columns.entries = enlarged32(columns.entries, roomFor(entries, columns.entries.length));
    }
    if (count < columns.born.length) return;
    const rows = Math.min(SEGMENT_ROWS, roomFor(count + 1, count));
    columns.idStarts = enlarged32(columns.idStarts, rows + 1);
    columns.entryStarts = enlarged32(columns.entryStarts, rows + 1);
    columns.idHashes = enlarged32(columns.idHashes, rows);
    columns.lengths = enlarged32(columns.lengths, rows);
    columns.born = enlarged32(columns.born, rows);
    columns.marks = enlarged8(columns.marks, rows);
    columns.sources = enlarged16(columns.sources, rows);
    this.gone = enlarged32(this.gone, rows);
  }
}

function emptyColumns(): SegmentColumns {
  return {
    idStarts: new Uint32Array(1),
    ids: new Uint8Array(0),
    idHashes: new Uint32Array(0),
    lengths: new Uint32Array(0),
    born: new Uint32Array(0),
    marks: new Uint8Array(0),
    sources: new Uint16Array(0),
    entryStarts: new Uint32Array(1),
    entries: new Uint32Array(0),
  };
}
