import { Dictionary } from './dictionary.ts';
import { decodeId, encodeId, IdTable, isIdBefore } from './id-table.ts';
import type { RecallKernel } from './kernel.ts';
import { packPostings, type PackedPostings } from './packed-postings.ts';
import { OpenPostings } from './open-postings.ts';
import { scoringOf, type Totals } from './scoring.ts';
import { Segment, SEGMENT_ROWS, type Row, type SegmentColumns } from './segment.ts';
import type { RecallSettings } from './recall-types.ts';

const SHIFT = Math.log2(SEGMENT_ROWS);
const MASK = SEGMENT_ROWS - 1;

/** A segment as it was stored. */
export interface StoredSegment {
  readonly columns: SegmentColumns;
  /** null while it was filling. */
  readonly postings: PackedPostings | null;
  readonly gone: Uint32Array;
}

/** What a node is from a step on, cut into words already. */
export type RowContent = Omit<Row, 'id' | 'idHash'>;

/**
 * Every row of an index, with its words. A row is a node as it was from one step until another; rows are
 * added at the end and closed, never moved, so that a row's number stays.
 */
export class RowStore {
  readonly settings: RecallSettings;
  readonly kernel: RecallKernel;
  readonly dictionary = new Dictionary();
  readonly segments: Segment[] = [];
  readonly #ids = new IdTable({
    hashOf: (row) => this.segments[row >> SHIFT]?.columns.idHashes[row & MASK] ?? 0,
    idOf: (row) => this.idBytes(row),
  });
  readonly #open: OpenPostings;
  #rows = 0;
  #length = 0;

  constructor(settings: RecallSettings, kernel: RecallKernel) {
    this.settings = settings;
    this.kernel = kernel;
    this.#open = new OpenPostings(kernel);
  }

  /** Of the current rows. */
  get totals(): Totals {
    return { rows: this.#rows, length: this.#length };
  }

  get rowCount(): number {
    const last = this.segments.at(-1);
    return last === undefined ? 0 : (this.segments.length - 1) * SEGMENT_ROWS + last.count;
  }

  /** Makes this what the node is; what it was before is closed. Returns the row's number. */
  put(id: string, content: RowContent): number {
    const { bytes, hash } = encodeId(id);
    this.#close(this.#ids.find(bytes, hash), content.born);
    const row = this.#append({ ...content, id: bytes, idHash: hash });
    this.#ids.set(bytes, hash, row);
    return row;
  }

  /** Closes what the node is; false where there is none. */
  remove(id: string, step: number): boolean {
    const { bytes, hash } = encodeId(id);
    return this.#close(this.#ids.find(bytes, hash), step);
  }

  /** The node's current row; −1 where it has none. */
  find(id: string): number {
    const { bytes, hash } = encodeId(id);
    const row = this.#ids.find(bytes, hash);
    return row >= 0 && (this.segments[row >> SHIFT]?.isCurrent(row & MASK) ?? false) ? row : -1;
  }

  /** Takes in a stored segment, with its counts. Only the last one may be without packed postings. */
  adopt({ columns, postings, gone }: StoredSegment): void {
    const segment = new Segment(postings ?? this.#open, columns, gone);
    const first = this.segments.length * SEGMENT_ROWS;
    this.segments.push(segment);
    for (let at = 0; at < segment.count; at += 1) {
      this.#ids.set(segment.idOf(at), columns.idHashes[at] ?? 0, first + at);
      if (postings === null) this.#open.add(at, columns.lengths[at] ?? 0, segment.entriesOf(at));
      if (segment.isCurrent(at)) this.#count(segment, at, 1);
    }
  }

  idBytes(row: number): Uint8Array {
    return this.segments[row >> SHIFT]?.idOf(row & MASK) ?? new Uint8Array(0);
  }

  idOf(row: number): string {
    return decodeId(this.idBytes(row));
  }

  entriesOf(row: number): Uint32Array {
    return this.segments[row >> SHIFT]?.entriesOf(row & MASK) ?? new Uint32Array(0);
  }

  /** The order of rows that score the same. */
  readonly isBefore = (first: number, second: number): boolean =>
    isIdBefore(this.idBytes(first), this.idBytes(second));

  #append(row: Row): number {
    let segment = this.segments.at(-1);
    if (segment === undefined || segment.count === SEGMENT_ROWS) {
      if (segment !== undefined) this.#pack(segment);
      segment = new Segment(this.#open);
      this.segments.push(segment);
    }
    const at = segment.append(row);
    this.#open.add(at, row.length, row.entries);
    this.#count(segment, at, 1);
    return (this.segments.length - 1) * SEGMENT_ROWS + at;
  }

  #close(row: number, step: number): boolean {
    const segment = this.segments[row >> SHIFT];
    const at = row & MASK;
    if (row < 0 || segment === undefined || !segment.isCurrent(at)) return false;
    this.#count(segment, at, -1);
    segment.close(at, step);
    return true;
  }

  #count(segment: Segment, at: number, change: 1 | -1): void {
    this.dictionary.count(segment.entriesOf(at), change);
    this.#rows += change;
    this.#length += change * (segment.columns.lengths[at] ?? 0);
  }

  #pack(segment: Segment): void {
    if (segment.postings !== this.#open) return;
    const { columns, count } = segment;
    columns.ids = columns.ids.slice(0, columns.idStarts[count]);
    columns.entries = columns.entries.slice(0, columns.entryStarts[count]);
    const scoring = scoringOf(this.settings, this.totals);
    segment.postings = packPostings(this.#open, columns, { kernel: this.kernel, scoring });
    this.#open.clear();
  }
}
