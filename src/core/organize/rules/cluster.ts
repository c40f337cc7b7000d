import { cosine, type WordVector } from '../similarity.ts';

/** How alike things are, by their numbers from 0: symmetric, 0 (nothing in common) to 1. */
export interface Likenesses {
  readonly count: number;
  of(first: number, second: number): number;
}

/** Parts of the numbers 0 … count − 1, each ascending, in the order of their first members. */
export type Parts = readonly (readonly number[])[];

/** Cosines of vectors of length 1, worked out once. */
export function likenessesOf(vectors: readonly WordVector[]): Likenesses {
  const rows = vectors.map((first, at) =>
    vectors.slice(0, at).map((second) => cosine(first, second)),
  );
  return {
    count: vectors.length,
    of: (first, second) =>
      first === second ? 1 : (rows[Math.max(first, second)]?.[Math.min(first, second)] ?? 0),
  };
}

/** The mean likeness of one thing to others. */
export function meanOf(likenesses: Likenesses, member: number, others: readonly number[]): number {
  return others.reduce((sum, other) => sum + likenesses.of(member, other), 0) / others.length;
}

/** How alike things are on the whole: the mean over all pairs; 1 for fewer than two. */
export function meanLikeness({ count, of }: Likenesses): number {
  let sum = 0;
  for (let first = 0; first < count; first += 1) {
    for (let second = 0; second < first; second += 1) sum += of(first, second);
  }
  return count < 2 ? 1 : sum / ((count * (count - 1)) / 2);
}

/**
 * Agglomerative clustering by average linkage: the two parts most alike are joined while they are at
 * least `threshold` alike and hold no more than `mostSize` together. Ties go to the lower numbers, so
 * the same likenesses give the same parts.
 */
export function agglomerate(
  likenesses: Likenesses,
  { threshold, mostSize }: { readonly threshold: number; readonly mostSize: number },
): Parts {
  let parts = alone(likenesses);
  for (const joined of joinings(likenesses, mostSize)) {
    if (joined.likeness < threshold) break;
    ({ parts } = joined);
  }
  return parts;
}

/** Every partition that average linkage passes through, from one join to the last that is allowed. */
export function* joinings(
  likenesses: Likenesses,
  mostSize = Infinity,
): Generator<{ readonly parts: Parts; readonly likeness: number }, void> {
  const parts = alone(likenesses).map((part) => [...part]);
  const links = parts.map((_, first) => parts.map((_part, second) => likenesses.of(first, second)));
  for (;;) {
    const pair = mostAlike(parts, links, mostSize);
    if (pair === null) return;
    const { into, from, likeness } = pair;
    join(parts, links, { into, from });
    yield { parts: parts.filter(({ length }) => length > 0), likeness };
  }
}

function alone({ count }: Likenesses): Parts {
  return Array.from({ length: count }, (_, at) => [at]);
}

interface Pair {
  readonly into: number;
  readonly from: number;
}

function mostAlike(
  parts: Parts,
  links: readonly (readonly number[])[],
  mostSize: number,
): (Pair & { readonly likeness: number }) | null {
  let best: (Pair & { readonly likeness: number }) | null = null;
  for (const [into, first] of parts.entries()) {
    if (first.length === 0) continue;
    for (let from = into + 1; from < parts.length; from += 1) {
      const size = parts[from]?.length ?? 0;
      const likeness = links[into]?.[from] ?? 0;
      if (size === 0 || first.length + size > mostSize) continue;
      if (best === null || likeness > best.likeness) best = { into, from, likeness };
    }
  }
  return best;
}

/** Joins two parts; the links of the whole are the means of theirs, by size. */
function join(parts: number[][], links: number[][], { into, from }: Pair): void {
  const [kept, gone] = [parts[into] ?? [], parts[from] ?? []];
  for (const [other, row] of links.entries()) {
    const own = row[into] ?? 0;
    const mean = (own * kept.length + (row[from] ?? 0) * gone.length) / (kept.length + gone.length);
    row[into] = mean;
    const mirror = links[into];
    if (mirror !== undefined) mirror[other] = mean;
  }
  parts[into] = [...kept, ...gone].sort((first, second) => first - second);
  parts[from] = [];
}
