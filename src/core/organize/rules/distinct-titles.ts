import { shorten } from './group-title.ts';

const MOST_CHARS = 54;
const NUMBER = / \((\d+)\)$/u;

/** The titles, with a number where one is empty or taken: “Stops on a line (2)”. At most 60 characters. */
export function distinctTitles(
  titles: readonly string[],
  taken: readonly string[],
): readonly string[] {
  const used = new Set(taken);
  return titles.map((title) => {
    const base = shorten(title.replace(NUMBER, '') || 'Lessons', MOST_CHARS);
    let distinct = base;
    for (let number = 2; used.has(distinct); number += 1) distinct = `${base} (${number})`;
    used.add(distinct);
    return distinct;
  });
}
