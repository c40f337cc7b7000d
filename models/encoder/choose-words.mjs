import { dot } from './directions.mjs';

/** How many words of the package the asset keeps. */
const KEPT = 42_000;
/** Words as frequent as this are kept whatever they are about. */
const FREQUENT = 24_000;
/** Rarer words than this are mostly names and slips. */
const RAREST = 150_000;
/** A word is as close to an area as to this many of its nearest words. */
const NEAREST = 3;
/** Closeness halves at this rank. */
const HALF_RANK = 400_000;

/**
 * The words to keep, by frequency: all frequent ones; the words listed; then those closest to one of the
 * areas. Only what the tokenizer gives whole can be looked up: small letters and digits.
 *
 * @param {{ words: readonly string[], ranks: ReadonlyMap<string, number>, vectorOf: (rank: number) => Float64Array }} source
 * @param {{ areas: Record<string, string>, aliases: Record<string, string>, seen: readonly string[] }} lists
 * @returns {readonly string[]}
 */
export function chooseWords({ words, ranks, vectorOf }, { areas, aliases, seen }) {
  const usable = words.filter((word) => /^[a-z][a-z0-9]{1,23}$/u.test(word));
  const listed = [...Object.values(areas).flatMap((area) => area.split(' ')), ...seen];
  const said = Object.entries(aliases).flatMap(([alias, meaning]) => [
    alias,
    ...meaning.split(' '),
  ]);
  const kept = new Set([
    ...usable.filter((word) => rankOf(word) < FREQUENT),
    ...[...listed, ...said].filter((word) => ranks.has(word) && /^[a-z]/u.test(word)),
  ]);
  const seeds = Object.values(areas).map((area) =>
    area.split(' ').flatMap((word) => (ranks.has(word) ? [vectorOf(rankOf(word))] : [])),
  );
  const others = usable
    .filter((word) => rankOf(word) < RAREST && !kept.has(word))
    .map((word) => {
      const rank = rankOf(word);
      const closest = Math.max(...seeds.map((area) => closeness(vectorOf(rank), area)));
      return { word, rank, score: closest / (1 + rank / HALF_RANK) };
    })
    .toSorted((first, second) => second.score - first.score || first.rank - second.rank);
  for (const { word } of others.slice(0, KEPT - kept.size)) kept.add(word);
  return [...kept].toSorted((first, second) => rankOf(first) - rankOf(second));

  /** @param {string} word */
  function rankOf(word) {
    return ranks.get(word) ?? Infinity;
  }
}

/**
 * The mean cosine to the nearest of an area.
 *
 * @param {Float64Array} vector
 * @param {readonly Float64Array[]} area
 */
function closeness(vector, area) {
  const nearest = new Array(NEAREST).fill(-1);
  for (const seed of area) {
    let cosine = dot(vector, seed);
    for (let place = 0; place < NEAREST; place += 1) {
      if (cosine > nearest[place]) [nearest[place], cosine] = [cosine, nearest[place]];
    }
  }
  return nearest.reduce((sum, cosine) => sum + cosine, 0) / NEAREST;
}
