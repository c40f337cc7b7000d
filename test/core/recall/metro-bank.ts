import type { Lesson } from '../../../src/core/bank/node.ts';
import { emptyTree, type Tree } from '../../../src/core/bank/tree.ts';
import type { Caller } from '../../../src/core/harness/harness.ts';
import { SAMPLE_STORY, storyQuestion } from '../../../src/core/metro/sample-story.ts';
import { acceptDraft } from '../../../src/core/organize/accept-draft.ts';
import type { MaintainEvent } from '../../../src/core/organize/maintain-event.ts';
import { maintain } from '../../../src/core/organize/maintain.ts';
import type { Organizer } from '../../../src/core/organize/organizer.ts';
import { rulesOrganizer } from '../../../src/core/organize/rules-organizer.ts';
import { makeRetrieve } from '../../../src/core/recall/retrieve.ts';
import { DEFAULT_RUN_CONFIG, type RetrievalRecord } from '../../../src/core/run.ts';
import { makeTask } from '../../../src/core/task.ts';
import { manifestOf } from '../bank/material.ts';
import { recallOf } from './recall-of.ts';
import { runQuestion } from '../metro/metro-bench.ts';

/** The rules call no model: one that is called fails the test. */
export const NO_CALLER: Caller = {
  async *call() {
    throw new Error('a model was called');
  },
};

/** A maintenance step over lessons, with ids of groups that count up. */
export async function organize(
  tree: Tree,
  lessons: readonly Lesson[],
  organizer: Organizer = rulesOrganizer,
) {
  let made = tree.nodes.size;
  const nextId = (): string => {
    const id = `group-${String((made += 1)).padStart(5, '0')}`;
    return tree.nodes.has(id) || tree.aliases.has(id) ? nextId() : id;
  };
  const flow = maintain({ tree, lessons, organizer, caller: NO_CALLER, nextId });
  const events: MaintainEvent[] = [];
  for (;;) {
    const next = await flow.next();
    if (next.done === true) return { ...next.value, events };
    events.push(next.value);
  }
}

/** What a bank gives to a question, by rules where no organizer is given. */
export async function retrieveFrom(
  tree: Tree,
  question: string,
  organizer: Organizer = rulesOrganizer,
  { isRemote = false }: { readonly isRemote?: boolean } = {},
): Promise<RetrievalRecord> {
  const retrieve = makeRetrieve({
    recall: recallOf(tree),
    organizer: () => organizer,
  });
  const task = makeTask({ question, images: [], publicInformation: '' });
  const { signal } = new AbortController();
  const config = DEFAULT_RUN_CONFIG;
  const input = { task, bankId: 'bank', retrievalId: 'r', config, signal, isRemote };
  const flow = retrieve(input, NO_CALLER);
  for (;;) {
    const next = await flow.next();
    if (next.done === true) return next.value;
  }
}

/** The lessons of the metro sample, made by its own runs. */
export async function metroLessons(): Promise<readonly Lesson[]> {
  const runs = SAMPLE_STORY.build.map(storyQuestion).map((question, at) =>
    runQuestion(question, {
      runId: `build-${at}`,
      config: { feedback: 'reference', lessons: 'accept', bankId: 'bank', retrieve: false },
    }),
  );
  const drafts = (await Promise.all(runs)).flatMap((events) =>
    events.flatMap((event) => (event.type === 'lesson-draft' ? [event.draft] : [])),
  );
  return drafts.map((draft, at) => acceptDraft(draft, `lesson-${at}`));
}

/** The bank of the metro sample: each lesson organized as its run ends. */
export async function metroBank(): Promise<Tree> {
  let tree = emptyTree(manifestOf());
  for (const lesson of await metroLessons()) ({ tree } = await organize(tree, [lesson]));
  return tree;
}
