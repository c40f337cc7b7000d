import { tokenize } from '../../recall/tokenize.ts';
import type { CandidateView, SelectInput, Selection } from '../organizer.ts';
import { cosine, wordVector, type WordVector } from '../similarity.ts';

/** Two candidates this much alike say the same; the better one is enough. */
const SAME_THRESHOLD = 0.85;
/** A candidate below this share of the best score is not worth its room. */
const SELECT_SHARE = 0.45;
/** Fewer words in common than this is chance; this many are enough, however long the question. */
const SELECT_WORDS = 2;
const SELECT_WORDS_ENOUGH = 4;
/** The share of a question's own words that a candidate must hold, up to that many. */
const SELECT_COVER = 0.5;
const SELECT_MOST = 3;

/** What a selection depends on. */
export const SELECT_SETTINGS = {
  SELECT_SHARE,
  SELECT_WORDS,
  SELECT_WORDS_ENOUGH,
  SELECT_COVER,
  SELECT_MOST,
  SAME_THRESHOLD,
};

/**
 * Selection by score with diversity (DESIGN.md §4, `either`): rules where one applies, else concrete
 * experience, else nothing; none that says what a better one says.
 */
export function selectByScore({ task, candidates }: SelectInput): Selection {
  const best = Math.max(0, ...candidates.map(wordScore));
  const words = plainWords(task.question);
  const wanted = Math.min(
    SELECT_WORDS_ENOUGH,
    Math.max(SELECT_WORDS, Math.ceil(words.size * SELECT_COVER)),
  );
  const fit = candidates.filter(
    (candidate) =>
      sharedWords(candidate, words).length >= wanted && wordScore(candidate) >= best * SELECT_SHARE,
  );
  // `either`: rules where one applies, else concrete experience.
  const rules = fit.filter(({ kind }) => kind === 'rule');
  const chosen = diverse(rules.length > 0 ? rules : fit).slice(0, SELECT_MOST);
  const [first] = chosen;
  if (first === undefined) {
    return { nodeIds: [], reason: 'No candidate has enough in common with this question.' };
  }
  const shared = [...new Set(chosen.flatMap((one) => sharedWords(one, words)))].slice(0, 6);
  return {
    nodeIds: chosen.map(({ nodeId }) => nodeId),
    reason: `Chosen by rules, from text alone: they share “${shared.join('”, “')}” with the question.`,
  };
}

/** By words alone: fused ranks say nothing of how much better one is than another. */
function wordScore({ score, found }: CandidateView): number {
  return found === undefined ? score : (found.bm25Score ?? 0);
}

/** A question's words without those in capitals within a sentence: names that hold in its task alone. */
function plainWords(question: string): ReadonlySet<string> {
  return new Set(tokenize(question.replace(/(?<=[\p{L}\p{N},;:]\s+)\p{Lu}[\p{L}\p{M}’'-]*/gu, '')));
}

/**
 * What a candidate has in common with a question: words it is found by that say what is asked, not which
 * names it is asked of, unless they are taught; and words of the question that it teaches.
 */
function sharedWords(
  { matchedWords, text }: CandidateView,
  words: ReadonlySet<string>,
): readonly string[] {
  const taught = new Set(tokenize(text));
  const matched = matchedWords.filter((word) => words.has(word) || taught.has(word));
  return [...new Set([...matched, ...[...words].filter((word) => taught.has(word))])];
}

/** Candidates in their order, without those that say what a better one says. */
function diverse(candidates: readonly CandidateView[]): readonly CandidateView[] {
  const kept: { readonly candidate: CandidateView; readonly vector: WordVector }[] = [];
  for (const candidate of candidates) {
    const vector = wordVector(candidate.text, () => 1);
    const isNew = kept.every((other) => cosine(other.vector, vector) < SAME_THRESHOLD);
    if (isNew && tokenize(candidate.text).length > 0) kept.push({ candidate, vector });
  }
  return kept.map(({ candidate }) => candidate);
}
