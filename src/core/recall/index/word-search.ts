import { filterBits, presenceOf, type RowFilter } from './filter-bits.ts';
import { KERNEL_LAYOUT } from './kernel.ts';
import type { RowStore } from './row-store.ts';
import { rarity, scoringOf, wordScore, type Scoring } from './scoring.ts';
import { SEGMENT_ROWS, type Segment } from './segment.ts';
import { TopRows, type ScoredRow } from './top-rows.ts';

/** The least score there is, and twice the most by which rounding changes what a word adds. */
const PART = 2 ** -28;
/**
 * Lists are added until what the others could add is so small a part of the floor: below that, looking a
 * few more rows up is cheaper than adding the longest lists.
 */
const SMALL_PART = 0.1;

/** A word of the query that some row holds. */
interface QueryWord {
  readonly number: number;
  weight: number;
}

/** A query's word in one segment: its list, and the most it adds to a row there. */
interface Term {
  readonly list: number;
  readonly weight: number;
  readonly bound: number;
}

/**
 * Exact BM25 over a store's rows. Segment by segment, the words that could still lift a row among the
 * best are added up list by list, rarest first (MaxScore), in float32; the rows that may be among the best
 * by that are scored by the one formula. What is skipped could not have been among them.
 */
export class WordSearch {
  readonly #store: RowStore;
  readonly #top = new TopRows();
  /** By word: its place in the query, from 1; 0 between queries. */
  #places = new Int32Array(0);
  /** By place in the query: what the word weighs. */
  #weights = new Float64Array(1);

  constructor(store: RowStore) {
    this.#store = store;
  }

  /** The `limit` best of the rows that pass and share a word with the query; ties by node id. */
  search(words: Iterable<string>, filter: RowFilter, limit: number): readonly ScoredRow[] {
    const { query, scoring } = this.#weigh(words, filter);
    const top = this.#top;
    top.begin(limit);
    if (this.#places.length < this.#store.dictionary.size) {
      this.#places = new Int32Array(this.#store.dictionary.size * 2);
    }
    this.#weights = new Float64Array(query.length + 1);
    query.forEach(({ number, weight }, at) => {
      this.#places[number] = at + 1;
      this.#weights[at + 1] = weight;
    });
    // Backwards: the last segment is the smallest, and so the cheapest way to a first floor.
    this.#store.segments.toReversed().forEach((segment, back, { length }) => {
      const at = length - 1 - back;
      this.#searchSegment({ segment, first: at * SEGMENT_ROWS, query, scoring, filter, top });
    });
    const best = top.best((row) => this.#score(row, scoring), this.#store.isBefore);
    for (const { number } of query) this.#places[number] = 0;
    return best;
  }

  /** The words with what they weigh among the rows there were: counted now, or as of a step. */
  #weigh(words: Iterable<string>, filter: RowFilter) {
    const { dictionary, segments, settings } = this.#store;
    const numbers = [...new Set(words)]
      .map((word) => dictionary.find(word))
      .filter((at) => at >= 0);
    const presence = presenceOf(filter);
    if (presence.key === '') {
      const { totals } = this.#store;
      const query = numbers.map((number) => ({
        number,
        weight: rarity(totals.rows, dictionary.holding(number)),
      }));
      return { query, scoring: scoringOf(settings, totals) };
    }
    const there = segments.map((segment) => filterBits(segment, presence));
    const totals = totalsOf(segments, there);
    const query = numbers.map((number): QueryWord => {
      const holding = segments.reduce((sum, { postings }, at) => {
        const list = postings.find(number);
        return list < 0 ? sum : sum + postings.countAmong(list, there[at] ?? new Uint8Array(0));
      }, 0);
      return { number, weight: rarity(totals.rows, holding) };
    });
    return { query, scoring: scoringOf(settings, totals) };
  }

  #searchSegment({ segment, first, query, scoring, filter, top }: SegmentSearch): void {
    const terms = termsOf(segment, query, scoring);
    const rests = restsOf(terms);
    const { floor } = top;
    if (terms.length === 0 || (rests[0] ?? 0) < floor) return;
    const { kernel } = this.#store;
    const { postings, count } = segment;
    const bits = filterBits(segment, filter);
    new Uint8Array(kernel.memory(), KERNEL_LAYOUT.bits, bits.length).set(bits);
    const to = Math.ceil(count / 4) * 4;
    kernel.begin(postings.lengths, to, scoring);
    let added = 0;
    for (const { list, weight } of terms) {
      if ((rests[added] ?? 0) < floor * SMALL_PART) break;
      postings.accumulate(list, weight, scoring);
      added += 1;
    }
    const missing = rests[added] ?? 0;
    // The kernel's sums are rounded otherwise than scores: they are so far off at most.
    const relative = (terms.length + 8) * 2 ** -22;
    const absolute = terms.length * PART;
    const least = (floor - missing) * (1 - relative) - absolute;
    const found = kernel.collect(to, Math.max(PART / 4, least));
    const scores = new Float32Array(kernel.memory(), KERNEL_LAYOUT.scores, SEGMENT_ROWS);
    const rows = new Uint16Array(kernel.memory(), KERNEL_LAYOUT.collected, SEGMENT_ROWS);
    for (let at = 0; at < found; at += 1) {
      const row = rows[at] ?? 0;
      const sum = scores[row] ?? 0;
      const most = sum * (1 + relative) + absolute + missing;
      top.offer(first + row, sum * (1 - relative) - absolute, most);
    }
    top.settle();
  }

  /** A row's score by the one formula. */
  #score(row: number, scoring: Scoring): number {
    const places = this.#places;
    const weights = this.#weights;
    const segment = this.#store.segments[Math.floor(row / SEGMENT_ROWS)];
    if (segment === undefined) return 0;
    const { entries, entryStarts, lengths } = segment.columns;
    const own = row % SEGMENT_ROWS;
    const end = entryStarts[own + 1] ?? 0;
    const length = lengths[own] ?? 0;
    let score = 0;
    for (let at = entryStarts[own] ?? 0; at < end; at += 1) {
      const entry = entries[at] ?? 0;
      const place = places[entry >>> 8] ?? 0;
      if (place === 0) continue;
      score += wordScore(weights[place] ?? 0, entry & 255, { scoring, length });
    }
    return score;
  }
}

interface SegmentSearch {
  readonly segment: Segment;
  /** The number of the segment's first row. */
  readonly first: number;
  readonly query: readonly QueryWord[];
  readonly scoring: Scoring;
  readonly filter: RowFilter;
  readonly top: TopRows;
}

/** The query's words that the segment holds, the ones that can add most first. */
function termsOf(
  { postings }: Segment,
  query: readonly QueryWord[],
  scoring: Scoring,
): readonly Term[] {
  const terms: Term[] = [];
  query.forEach(({ number, weight }) => {
    const list = postings.find(number);
    if (list < 0) return;
    const bound = weight * postings.boundOf(list, scoring) + PART;
    terms.push({ list, weight, bound });
  });
  return terms.sort((first, second) => second.bound - first.bound);
}

/** What the terms from each place on can add together, at most; 0 at the end. */
function restsOf(terms: readonly Term[]): Float64Array {
  const rests = new Float64Array(terms.length + 1);
  for (let at = terms.length - 1; at >= 0; at -= 1) {
    rests[at] = (rests[at + 1] ?? 0) + (terms[at]?.bound ?? 0);
  }
  return rests;
}

function totalsOf(segments: readonly Segment[], bits: readonly Uint8Array[]) {
  let rows = 0;
  let length = 0;
  segments.forEach(({ count, columns: { lengths } }, at) => {
    const own = bits[at] ?? new Uint8Array(0);
    for (let row = 0; row < count; row += 1) {
      if ((((own[row >> 3] ?? 0) >> (row & 7)) & 1) === 0) continue;
      rows += 1;
      length += lengths[row] ?? 0;
    }
  });
  return { rows, length };
}
