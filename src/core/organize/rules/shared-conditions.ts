import { sentenceKey } from '../../evolve/rules/sentences.ts';

/** How a lesson's conditions are joined (“a; or b”). */
const JOINT = /;\s*(?:or\s+)?/iu;

/**
 * The conditions that at least half of the lessons that state any share, the most stated first, joined
 * as lessons join theirs; where no single one is shared so widely, the one most of them state (a tie
 * goes to the shorter). Stays within `mostChars`; empty where nothing is stated.
 */
export function sharedConditions(stated: readonly string[], mostChars: number): string {
  const counts = new Map<string, { readonly text: string; count: number }>();
  const all = stated.filter((conditions) => conditions !== '');
  for (const conditions of all) {
    const clauses = conditions.split(JOINT).map((clause) => clause.trim());
    for (const [key, text] of new Map(clauses.map((clause) => [sentenceKey(clause), clause]))) {
      if (key === '' || [...text].length > mostChars) continue;
      const known = counts.get(key) ?? { text, count: 0 };
      known.count += 1;
      counts.set(key, known);
    }
  }
  const ranked = [...counts.values()].toSorted(
    (first, second) =>
      second.count - first.count || [...first.text].length - [...second.text].length,
  );
  const shared = ranked.filter(({ count }) => count * 2 >= all.length);
  const [most] = ranked;
  if (shared.length === 0) return most?.text ?? '';
  let joined = '';
  for (const { text } of shared) {
    const longer = joined === '' ? text : `${joined}; or ${text}`;
    if ([...longer].length <= mostChars) joined = longer;
  }
  return joined;
}
