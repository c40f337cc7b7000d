import type { Lesson } from '../../../src/core/bank/node.ts';
import { emptyTree, lineageOf, type Tree } from '../../../src/core/bank/tree.ts';
import type { QuestionForm } from '../../../src/core/metro/question-form.ts';
import type { MetroQuestion } from '../../../src/core/metro/questions.ts';
import { seededRandom } from '../../../src/core/metro/random.ts';
import { acceptDraft } from '../../../src/core/organize/accept-draft.ts';
import { lessonContentHash } from '../../../src/core/bank/node.ts';
import { manifestOf } from '../bank/material.ts';
import { runQuestion } from '../metro/metro-bench.ts';
import { organize } from '../recall/metro-bank.ts';

/** Lessons come in batches of this many. */
const BATCH = 20;
export const SEEDS = [1, 2, 3, 4, 5];

/** A lesson, and apart from it the kind of its question, which no organizer is given. */
export interface Labelled {
  readonly lesson: Lesson;
  readonly kind: QuestionForm['kind'];
}

/**
 * The lessons that the metro world's own loop leaves: each question is run whole (team, simulated
 * solver, rules controller, feedback `reference`), and what the run drafted is accepted as it is. The
 * label is the question's kind. It is never in a lesson by that name, but the simulated critic has one
 * wording for each kind, so that lessons of one kind differ in their anchor and crop alone, and words
 * such as “loop” or “changes” give a kind away. `varied` takes that ease out.
 */
export async function labelledLessons(
  questions: readonly MetroQuestion[],
): Promise<readonly Labelled[]> {
  const runs = questions.map(async (question): Promise<readonly Labelled[]> => {
    const events = await runQuestion(question, {
      runId: question.id,
      config: { feedback: 'reference', lessons: 'accept', bankId: 'bank', retrieve: false },
    });
    return events.flatMap((event) =>
      event.type === 'lesson-draft'
        ? [{ lesson: acceptDraft(event.draft, `lesson-${question.id}`), kind: question.form.kind }]
        : [],
    );
  });
  return (await Promise.all(runs)).flat();
}

/** The lessons with a share of the words of each dropped by a seed, so that no two are worded alike. */
export function varied(
  labelled: readonly Labelled[],
  { percent, seed }: { readonly percent: number; readonly seed: number },
): readonly Labelled[] {
  const random = seededRandom(seed);
  const thin = (text: string) =>
    text
      .split(' ')
      .filter(() => random.below(100) >= percent)
      .join(' ') || text;
  return labelled.map(({ lesson, kind }) => {
    const { title, guidance, appliesWhen, topic, scope } = lesson.content;
    const content = {
      ...lesson.content,
      title: thin(title),
      guidance: thin(guidance),
      appliesWhen: thin(appliesWhen),
      topic: thin(topic),
      scope: thin(scope),
    };
    return { kind, lesson: { ...lesson, content, contentHash: lessonContentHash(content) } };
  });
}

export interface Grouping {
  /** Of the subjects: the groups that stand below the root, whatever lies below them. */
  readonly subjects: number;
  /** Of the groups that lessons hang from. */
  readonly leaves: number;
  readonly tree: Tree;
}

/**
 * How well the rules organizer's groups agree with question kinds, which it never sees: the adjusted
 * Rand index (Hubert and Arabie 1985) of the partition of all lessons by group, lessons taken in by
 * batches in an order drawn by the seed.
 *
 * The partition that counts is by subject: the group just below the root that a lesson lies under, the
 * level a person sees first. The group that a lesson hangs from cannot agree with kinds once a kind has
 * more lessons than a group has room (12): 77 lessons of a kind lie in seven groups or more, however
 * well they are placed, and the index of a faultless tree of 387 lessons is about 0.2. It is given
 * beside the other, for what it is.
 */
export async function grouping(labelled: readonly Labelled[], seed: number): Promise<Grouping> {
  const order = seededRandom(seed).shuffle(labelled);
  let tree = emptyTree(manifestOf());
  for (let from = 0; from < order.length; from += BATCH) {
    const batch = order.slice(from, from + BATCH).map(({ lesson }) => lesson);
    ({ tree } = await organize(tree, batch));
  }
  const kinds = order.map(({ kind }) => kind);
  const lineages = order.map(({ lesson }) => lineageOf(tree, lesson.id));
  return {
    subjects: adjustedRandIndex(
      lineages.map(([subject]) => subject?.id ?? 'none'),
      kinds,
    ),
    leaves: adjustedRandIndex(
      lineages.map((lineage) => lineage.at(-2)?.id ?? 'none'),
      kinds,
    ),
    tree,
  };
}

/** Agreement of two partitions of the same things: 1 for the same one, 0 for what chance gives. */
export function adjustedRandIndex(first: readonly string[], second: readonly string[]): number {
  const both = first.map((label, at) => `${label}\n${second[at] ?? ''}`);
  const [inBoth, inFirst, inSecond] = [both, first, second].map(pairsWithin);
  const all = (first.length * (first.length - 1)) / 2;
  const expected = ((inFirst ?? 0) * (inSecond ?? 0)) / all;
  const most = ((inFirst ?? 0) + (inSecond ?? 0)) / 2;
  return most === expected ? 1 : ((inBoth ?? 0) - expected) / (most - expected);
}

/** How many pairs have the same label. */
function pairsWithin(labels: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum + (count * (count - 1)) / 2, 0);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
