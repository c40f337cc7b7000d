import { RECALL_SETTINGS } from '../../../src/core/recall/index/recall-types.ts';
import { ENCODER, idOf, WORDS, type Corpus, type DrawnQuery } from './recall-corpus.ts';

/** Fused recall over every node, as it is written down; the ids of the 10 best, best first. */
export function bruteForce(corpus: Corpus, query: DrawnQuery): readonly string[] {
  const { depth, fusion } = RECALL_SETTINGS;
  const fused = new Map<number, number>();
  for (const scores of [cosines(corpus, query), bm25(corpus, query)]) {
    best(scores, depth).forEach((node, at) => {
      fused.set(node, (fused.get(node) ?? 0) + 1 / (fusion + at + 1));
    });
  }
  return [...fused]
    .sort(([one, less], [other, more]) => more - less || one - other)
    .slice(0, 10)
    .map(([node]) => idOf(node));
}

/** Ids rise with the nodes' numbers, so ties by id are ties by number. */
function best(scores: Float64Array, limit: number): readonly number[] {
  const least = Math.max(Float64Array.from(scores).sort()[scores.length - limit] ?? 0, 0);
  return Array.from(scores.keys())
    .filter((node) => (scores[node] ?? 0) >= least && (scores[node] ?? 0) > 0)
    .sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0) || one - other)
    .slice(0, limit);
}

function cosines({ size, vectors, scales }: Corpus, { vector }: DrawnQuery): Float64Array {
  const { dimension } = ENCODER;
  return Float64Array.from({ length: size }, (_, node) => {
    let dot = 0;
    for (let at = 0; at < dimension; at += 1) {
      dot += (vectors[node * dimension + at] ?? 0) * (vector.values[at] ?? 0);
    }
    return dot * (scales[node] ?? 0) * vector.scale;
  });
}

function bm25({ size, words }: Corpus, query: DrawnQuery): Float64Array {
  const { k1, b, weights } = RECALL_SETTINGS;
  const scores = new Float64Array(size);
  const counts = new Uint8Array(size);
  // All nodes are of the same length, which is the average.
  const length = weights.anchor * WORDS;
  const norm = k1 * (1 - b) + ((k1 * b) / length) * length;
  for (const word of new Set(query.words)) {
    counts.fill(0);
    for (let at = 0; at < words.length; at += 1) {
      if (words[at] !== word) continue;
      const node = Math.floor(at / WORDS);
      counts[node] = (counts[node] ?? 0) + weights.anchor;
    }
    const holding = counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0);
    const weight = Math.log(1 + (size - holding + 0.5) / (holding + 0.5));
    for (let node = 0; node < size; node += 1) {
      const count = counts[node] ?? 0;
      const share = (weight * (k1 + 1) * count) / (count + norm);
      scores[node] = (scores[node] ?? 0) + Math.round(share * 2 ** 28) / 2 ** 28;
    }
  }
  return scores;
}
