import type { RecallKernel } from './kernel.ts';
import { asUint16, asUint32, packArrays, unpackArrays } from './packed-arrays.ts';
import { PackedPostings } from './packed-postings.ts';
import type { StoredSegment } from './row-store.ts';
import type { Segment, SegmentColumns } from './segment.ts';

const ROW_ARRAYS = 9;
const POSTING_ARRAYS = 6;

/** A segment but for when its rows went: once it is full, these bytes stay the same. */
export function packSegment({ columns, count, postings }: Segment): Uint8Array<ArrayBuffer> {
  const rows = [
    columns.idStarts.subarray(0, count + 1),
    columns.ids.subarray(0, columns.idStarts[count]),
    columns.idHashes.subarray(0, count),
    columns.lengths.subarray(0, count),
    columns.born.subarray(0, count),
    columns.marks.subarray(0, count),
    columns.sources.subarray(0, count),
    columns.entryStarts.subarray(0, count + 1),
    columns.entries.subarray(0, columns.entryStarts[count]),
  ];
  if (!(postings instanceof PackedPostings)) return packArrays(rows);
  const { words, starts, bounds, rows: listed, counts } = postings.columns;
  const average = Float64Array.of(postings.average);
  return packArrays([...rows, words, starts, bounds, listed, counts, average]);
}

/** The segment again, over views of the bytes; null where they do not fit together. */
export function unpackSegment(
  bytes: Uint8Array,
  gone: Uint32Array,
  kernel: RecallKernel,
): StoredSegment | null {
  const packed = unpackArrays(bytes, ROW_ARRAYS + POSTING_ARRAYS);
  const arrays = packed ?? unpackArrays(bytes, ROW_ARRAYS);
  if (arrays === null) return null;
  const columns = columnsOf(arrays);
  const count = gone.length;
  if (columns.born.length !== count || columns.entryStarts.length !== count + 1) return null;
  const postings = packed === null ? null : packedOf(packed.slice(ROW_ARRAYS), columns, kernel);
  return { columns, postings, gone };
}

function columnsOf(arrays: readonly Uint8Array[]): SegmentColumns {
  const [idStarts, ids, idHashes, lengths, born, marks, sources, entryStarts, entries] = arrays;
  return {
    idStarts: asUint32(idStarts),
    ids: ids ?? new Uint8Array(0),
    idHashes: asUint32(idHashes),
    lengths: asUint32(lengths),
    born: asUint32(born),
    marks: marks ?? new Uint8Array(0),
    sources: asUint16(sources),
    entryStarts: asUint32(entryStarts),
    entries: asUint32(entries),
  };
}

function packedOf(
  [words, starts, bounds, rows, counts, average]: readonly Uint8Array[],
  { lengths }: SegmentColumns,
  kernel: RecallKernel,
): PackedPostings {
  const columns = {
    words: asUint32(words),
    starts: asUint32(starts),
    bounds: bounds ?? new Uint8Array(0),
    rows: asUint16(rows),
    counts: counts ?? new Uint8Array(0),
  };
  const at = new DataView(new ArrayBuffer(8));
  average?.subarray(0, 8).forEach((byte, index) => at.setUint8(index, byte));
  return new PackedPostings(kernel, columns, { lengths, average: at.getFloat64(0, true) });
}
