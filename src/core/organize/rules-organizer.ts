import type { Lesson } from '../bank/node.ts';
import type { Operation } from '../bank/operation.ts';
import { lessonIndexText } from '../recall/index-text.ts';
import { tokenize } from '../recall/tokenize.ts';
import type { CandidateView, GroupView, Organizer, PlaceInput, SelectInput } from './organizer.ts';
import { groupTitle } from './rules/group-title.ts';
import { summarise } from './rules/summarise.ts';
import { centroid, cosine, inverseFrequency, wordVector, type WordVector } from './similarity.ts';

/** How like a group a lesson must be to go under it, as a cosine. */
const PLACE_THRESHOLD = 0.34;
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

/**
 * The organizer without a model: placement by likeness to groups, extractive consolidation, selection
 * by score with diversity. The same input gives the same proposal.
 */
export const rulesOrganizer: Organizer = {
  id: 'rules',
  label: 'Rules: no model',
  settings: {
    SELECT_SHARE,
    SELECT_WORDS,
    SELECT_WORDS_ENOUGH,
    SELECT_COVER,
    SELECT_MOST,
    SAME_THRESHOLD,
  },
  async *place(input) {
    return { operation: placeBatch(input), reason: 'Each lesson goes to the group most like it.' };
  },
  async *consolidate({ group, lessons, budgetChars }) {
    return {
      operation: { type: 'consolidate', group: group.id, summary: summarise(lessons, budgetChars) },
      reason: `The sentences that represent ${lessons.length} lessons, and the conditions they share.`,
    };
  },
  async *select(input) {
    return select(input);
  },
};

/** A group that lessons can go under, old or new. */
interface Target {
  readonly id: string;
  readonly vectors: WordVector[];
  room: number;
}

function placeBatch(input: PlaceInput): Extract<Operation, { type: 'place' }> {
  const { lessons, groups, maxChildren, maxDepth, newIds } = input;
  const known = groups.filter(({ depth }) => depth > 0 && depth < maxDepth);
  const root = groups.find(({ depth }) => depth === 0);
  const weight = inverseFrequency([
    ...lessons.map(textOf),
    ...known.flatMap((view) => view.lessons.map(textOf)),
  ]);
  const targets = known.map((view): Target => ({
    id: view.group.id,
    vectors: vectorsOf(view, weight),
    room: maxChildren - view.childCount,
  }));
  let rootRoom = root === undefined ? 0 : maxChildren - root.childCount;
  const made: Extract<Operation, { type: 'place' }>['groups'] = [];
  const assignments: Extract<Operation, { type: 'place' }>['assignments'] = [];
  for (const lesson of lessons.toSorted((first, second) => (first.id < second.id ? -1 : 1))) {
    const vector = wordVector(textOf(lesson), weight);
    const nearest = nearestOf(targets, vector);
    const id = newIds[made.length];
    const isLikeNone = nearest === null || nearest.likeness < PLACE_THRESHOLD;
    if (isLikeNone && root !== undefined && rootRoom > 0 && id !== undefined) {
      made.push({
        id,
        parent: root.group.id,
        title: groupTitle(lesson.content),
        scope: lesson.content.scope,
      });
      targets.push({ id, vectors: [vector], room: maxChildren - 1 });
      rootRoom -= 1;
      assignments.push({ lesson: lesson.id, under: id });
    } else if (nearest !== null) {
      nearest.target.vectors.push(vector);
      nearest.target.room -= 1;
      assignments.push({ lesson: lesson.id, under: nearest.target.id });
    }
  }
  return { type: 'place', groups: made, assignments };
}

function vectorsOf({ group, lessons }: GroupView, weight: (word: string) => number): WordVector[] {
  return [`${group.title}\n${group.scope}`, ...lessons.map(textOf)].map((text) =>
    wordVector(text, weight),
  );
}

function nearestOf(
  targets: readonly Target[],
  vector: WordVector,
): { readonly target: Target; readonly likeness: number } | null {
  const open = targets
    .filter(({ room }) => room > 0)
    .map((target) => ({ target, likeness: cosine(centroid(target.vectors), vector) }));
  return open.reduce<(typeof open)[number] | null>(
    (best, one) => (best === null || one.likeness > best.likeness ? one : best),
    null,
  );
}

/** What a lesson is placed by: what it says and when it holds, not the one question it came from. */
function textOf({ content }: Lesson): string {
  return lessonIndexText({ ...content, anchor: '' });
}

function select({ task, candidates }: SelectInput) {
  const [best] = candidates;
  const words = plainWords(task.question);
  const wanted = Math.min(
    SELECT_WORDS_ENOUGH,
    Math.max(SELECT_WORDS, Math.ceil(words.size * SELECT_COVER)),
  );
  const fit = candidates.filter(
    (candidate) =>
      sharedWords(candidate, words).length >= wanted &&
      candidate.score >= (best?.score ?? 0) * SELECT_SHARE,
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

/** A question's words without those in capitals within a sentence: names that hold in its task alone. */
function plainWords(question: string): ReadonlySet<string> {
  return new Set(tokenize(question.replace(/(?<=[\p{L}\p{N},;:]\s+)\p{Lu}[\p{L}\p{M}’'-]*/gu, '')));
}

/** Matched words that say what a question asks, not which names it asks it of, unless they are taught. */
function sharedWords(
  { matchedWords, text }: CandidateView,
  words: ReadonlySet<string>,
): readonly string[] {
  const taught = new Set(tokenize(text));
  return matchedWords.filter((word) => words.has(word) || taught.has(word));
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
