/** A stream of pseudo-random whole numbers: the same seed gives the same numbers in every engine. */
export interface Random {
  /** A whole number from 0 up to, not including, `limit` (1 … 2³²). */
  below(limit: number): number;
  /** One of `items`, which must not be empty. */
  pick<T>(items: readonly T[]): T;
  /** The items in another order; the list given is left as it was. */
  shuffle<T>(items: readonly T[]): T[];
}

/** Mulberry32 over 32-bit integers only. Not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (limit: number): number => next() % limit;
  const pick = <T>(items: readonly T[]): T => {
    if (items.length === 0) throw new RangeError('nothing to pick from');
    return items[below(items.length)]!;
  };
  const shuffle = <T>(items: readonly T[]): T[] => {
    const order = [...items];
    for (let last = order.length - 1; last > 0; last--) {
      const other = below(last + 1);
      const held = order[last]!;
      order[last] = order[other]!;
      order[other] = held;
    }
    return order;
  };
  return { below, pick, shuffle };
}
