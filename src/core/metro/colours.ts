import type { Random } from './random.ts';

/** Pairs of colours that a hurried reader takes for each other. */
const LOOK_ALIKES: readonly (readonly [string, string])[] = [
  ['#007f86', '#1fa3a0'],
  ['#b0122f', '#d6333a'],
  ['#5b2a86', '#7d47a8'],
  ['#2f6b2f', '#55913f'],
  ['#123f8c', '#2f62b5'],
];

/** Colours that stand apart from each other and from every pair. */
const DISTINCT = ['#f0a202', '#7a4a21', '#e667a5', '#5d6871', '#5bb8e8'];

/** Colours for one map: `pairs` look-alike pairs, then `others` that stand apart. */
export function mapColours(
  random: Random,
  pairs: number,
  others: number,
): { readonly pairs: readonly (readonly [string, string])[]; readonly others: readonly string[] } {
  const chosen = random.shuffle(LOOK_ALIKES).slice(0, pairs);
  return {
    pairs: chosen.map(([a, b]) => (random.below(2) === 0 ? [a, b] : [b, a])),
    others: random.shuffle(DISTINCT).slice(0, others),
  };
}
