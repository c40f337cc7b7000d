/** One document's words, in any order; `id` is what a result names. */
export interface Document {
  readonly id: string;
  readonly words: readonly string[];
}

export interface Hit {
  readonly id: string;
  readonly score: number;
  /** Words of the query that the document holds, in the query's order. */
  readonly matchedWords: readonly string[];
}

/** Exact BM25 over documents that stay as they are. */
export interface Bm25Index {
  readonly size: number;
  /** The `limit` best, best first, ties by id; documents that share no word are left out. */
  search(words: readonly string[], limit: number): readonly Hit[];
}

/** Saturation and length normalisation, as Robertson and Zaragoza give them. */
export const BM25_SETTINGS = { k1: 1.2, b: 0.75 };
const { k1: K1, b: B } = BM25_SETTINGS;

interface Posting {
  readonly documents: Uint32Array;
  readonly counts: Uint32Array;
}

/** Builds the index: Robertson–Sparck Jones with the +1 that keeps idf positive, k1 1.2, b 0.75. */
export function makeBm25(documents: readonly Document[]): Bm25Index {
  const lengths = Float64Array.from(documents, ({ words }) => words.length);
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, documents.length);
  const postings = collect(documents);
  const norms = lengths.map((length) => K1 * (1 - B + (B * length) / Math.max(1, average)));
  const idf = ({ documents: holding }: Posting) =>
    Math.log(1 + (documents.length - holding.length + 0.5) / (holding.length + 0.5));
  return {
    size: documents.length,
    search(words, limit) {
      const wanted = [...new Set(words)].flatMap((word) => {
        const posting = postings.get(word);
        return posting === undefined ? [] : [{ word, posting, weight: idf(posting) }];
      });
      const scores = new Float64Array(documents.length);
      for (const { posting, weight } of wanted) {
        posting.documents.forEach((at, index) => {
          const count = posting.counts[index] ?? 0;
          const norm = norms[at] ?? 0;
          scores[at] = (scores[at] ?? 0) + (weight * count * (K1 + 1)) / (count + norm);
        });
      }
      return best(documents, scores, limit).map(({ at, id, score }) => ({
        id,
        score,
        matchedWords: wanted
          .filter(({ posting }) => holds(posting.documents, at))
          .map(({ word }) => word),
      }));
    },
  };
}

function collect(documents: readonly Document[]): ReadonlyMap<string, Posting> {
  const counts = new Map<string, { at: number[]; count: number[] }>();
  documents.forEach(({ words }, at) => {
    const own = new Map<string, number>();
    for (const word of words) own.set(word, (own.get(word) ?? 0) + 1);
    for (const [word, count] of own) {
      const list = counts.get(word) ?? { at: [], count: [] };
      list.at.push(at);
      list.count.push(count);
      counts.set(word, list);
    }
  });
  return new Map(
    [...counts].map(([word, list]) => [
      word,
      { documents: Uint32Array.from(list.at), counts: Uint32Array.from(list.count) },
    ]),
  );
}

interface Scored {
  readonly at: number;
  readonly id: string;
  readonly score: number;
}

/** The best by one pass that keeps `limit` of them in order. */
function best(
  documents: readonly Document[],
  scores: Float64Array,
  limit: number,
): readonly Scored[] {
  const kept: Scored[] = [];
  const before = (first: Scored, second: Scored) =>
    first.score > second.score || (first.score === second.score && first.id < second.id);
  documents.forEach(({ id }, at) => {
    const score = scores[at] ?? 0;
    if (score <= 0 || limit < 1) return;
    const candidate = { at, id, score };
    const last = kept.at(-1);
    if (kept.length >= limit && last !== undefined && !before(candidate, last)) return;
    const place = kept.findIndex((other) => before(candidate, other));
    kept.splice(place < 0 ? kept.length : place, 0, candidate);
    if (kept.length > limit) kept.pop();
  });
  return kept;
}

function holds(sorted: Uint32Array, at: number): boolean {
  let low = 0;
  let high = sorted.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const value = sorted[middle] ?? 0;
    if (value === at) return true;
    if (value < at) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
