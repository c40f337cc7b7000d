import { NODE_RANKS, type RecallFilter } from './recall-types.ts';
import { SEGMENT_ROWS, STILL_THERE, type Segment } from './segment.ts';

/** How many filters' bits a segment keeps. */
const KEPT = 6;

/** A filter as segments are asked for it: which marks and sources pass, and when. */
export interface RowFilter {
  /** What a segment keeps the bits under; '' asks for every current row. */
  readonly key: string;
  readonly trustedOnly: boolean;
  /** A bit for each rank's code; null: any. */
  readonly ranks: number | null;
  readonly sources: ReadonlySet<number> | null;
  readonly asOfStep: number | null;
}

export const CURRENT_ROWS: RowFilter = {
  key: '',
  trustedOnly: false,
  ranks: null,
  sources: null,
  asOfStep: null,
};

/** Names become numbers; a source that no node came from is none. */
export function rowFilterOf(
  { trustedOnly, ranks, sources, asOfStep }: RecallFilter,
  sourceNumbers: ReadonlyMap<string, number>,
): RowFilter {
  const numbers = sources?.flatMap((source) => sourceNumbers.get(source) ?? []).sort() ?? null;
  const codes = ranks?.reduce((bits, rank) => bits | (1 << NODE_RANKS.indexOf(rank)), 0) ?? null;
  const asksNothing = !trustedOnly && codes === null && numbers === null && asOfStep === null;
  return {
    key: asksNothing ? '' : JSON.stringify([trustedOnly, codes, numbers, asOfStep]),
    trustedOnly,
    ranks: codes,
    sources: numbers === null ? null : new Set(numbers),
    asOfStep,
  };
}

/** The filter that says which rows there were, apart from which are wanted. */
export function presenceOf({ asOfStep }: RowFilter): RowFilter {
  return asOfStep === null
    ? CURRENT_ROWS
    : { ...CURRENT_ROWS, key: JSON.stringify([asOfStep]), asOfStep };
}

/** A bit for each row of the segment that passes. */
export function filterBits(segment: Segment, filter: RowFilter): Uint8Array {
  if (filter.key === '') return segment.current;
  const kept = segment.filtered.get(filter.key);
  if (kept?.version === segment.version) return kept.bits;
  const bits = new Uint8Array(SEGMENT_ROWS / 8);
  for (let at = 0; at < segment.count; at += 1) {
    if (passes(segment, at, filter)) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
  }
  segment.filtered.delete(filter.key);
  const [oldest] = segment.filtered.keys();
  if (segment.filtered.size >= KEPT && oldest !== undefined) segment.filtered.delete(oldest);
  segment.filtered.set(filter.key, { version: segment.version, bits });
  return bits;
}

function passes({ columns, gone }: Segment, at: number, filter: RowFilter): boolean {
  const marks = columns.marks[at] ?? 0;
  if (filter.trustedOnly && (marks & 1) === 0) return false;
  if (filter.ranks !== null && ((filter.ranks >> (marks >> 1)) & 1) === 0) return false;
  if (filter.sources !== null && !filter.sources.has(columns.sources[at] ?? 0)) return false;
  if (filter.asOfStep === null) return gone[at] === STILL_THERE;
  return (columns.born[at] ?? 0) <= filter.asOfStep && filter.asOfStep < (gone[at] ?? 0);
}
