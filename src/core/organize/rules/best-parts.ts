import { joinings, meanOf, type Likenesses, type Parts } from './cluster.ts';

/** Parts that things fall into, and how clearly. */
export interface Separation {
  readonly parts: Parts;
  /** Mean silhouette (Rousseeuw 1987): −1 to 1; 0 where the parts are no better than none. */
  readonly silhouette: number;
  /** The mean likeness of the two parts that are most alike. */
  readonly between: number;
}

/**
 * The partition by average linkage with the clearest parts; members of parts below `leastSize` go to
 * the part they are most like. null where no partition has two parts of that size.
 */
export function bestParts(likenesses: Likenesses, leastSize: number): Separation | null {
  let best: Separation | null = null;
  for (const { parts } of joinings(likenesses)) {
    const whole = absorb(likenesses, parts, leastSize);
    if (whole === null) continue;
    const silhouette = silhouetteOf(likenesses, whole);
    if (best === null || silhouette > best.silhouette) {
      best = { parts: whole, silhouette, between: betweenOf(likenesses, whole) };
    }
  }
  return best;
}

function absorb(likenesses: Likenesses, parts: Parts, leastSize: number): Parts | null {
  const large = parts.filter(({ length }) => length >= leastSize);
  if (large.length < 2) return null;
  const grown = large.map((part) => [...part]);
  for (const member of parts.filter(({ length }) => length < leastSize).flat()) {
    const likes = large.map((part) => meanOf(likenesses, member, part));
    grown[likes.indexOf(Math.max(...likes))]?.push(member);
  }
  return grown.map((part) => part.toSorted((first, second) => first - second));
}

/** The mean silhouette of all members: 0 for one that is alone in its part. */
export function silhouetteOf(likenesses: Likenesses, parts: Parts): number {
  const values = parts.flatMap((part, at) =>
    part.map((member) => {
      if (part.length < 2) return 0;
      const others = part.filter((other) => other !== member);
      const inside = 1 - meanOf(likenesses, member, others);
      const outside =
        1 - Math.max(...parts.toSpliced(at, 1).map((other) => meanOf(likenesses, member, other)));
      const larger = Math.max(inside, outside);
      return larger < 1e-9 ? 0 : (outside - inside) / larger;
    }),
  );
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The mean likeness over the members of the two parts that are most alike. */
export function betweenOf(likenesses: Likenesses, parts: Parts): number {
  const pairs = parts.flatMap((part, at) =>
    parts
      .slice(at + 1)
      .map(
        (other) =>
          part.reduce((sum, member) => sum + meanOf(likenesses, member, other), 0) / part.length,
      ),
  );
  return Math.max(...pairs);
}
