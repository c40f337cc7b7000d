import { applyOperation } from '../../../src/core/bank/apply.ts';
import {
  lessonContentHash,
  type Evidence,
  type Lesson,
  type LessonContent,
} from '../../../src/core/bank/node.ts';
import { defaultManifest, type BankManifest } from '../../../src/core/bank/operation.ts';
import { emptyTree, type Tree } from '../../../src/core/bank/tree.ts';
import type { Caller } from '../../../src/core/harness/harness.ts';
import type { MaintainEvent, MaintainInput } from '../../../src/core/organize/maintain.ts';
import { maintain } from '../../../src/core/organize/maintain.ts';
import { rulesOrganizer } from '../../../src/core/organize/rules-organizer.ts';

/** A run of the rules makes no model call. */
export const noCaller: Caller = {
  async *call() {
    throw new Error('the rules call no model');
  },
};

export function evidenceOf(task: string, options: Partial<Evidence> = {}): Evidence {
  return {
    taskId: task,
    runId: `run-${task}`,
    attempt: 1,
    harness: 'team',
    backbone: 'simulated',
    model: 'm',
    tool: 'grove',
    at: '2026-01-01T00:00:00.000Z',
    feedback: 'reference',
    strength: 'verified',
    supports: true,
    ...options,
  };
}

export function lessonOf(
  id: string,
  content: Partial<LessonContent> & { readonly guidance: string },
  options: Partial<Lesson> = {},
): Lesson {
  const whole: LessonContent = {
    title: content.guidance.slice(0, 60),
    appliesWhen: '',
    cautions: [],
    topic: '',
    scope: content.appliesWhen ?? '',
    anchor: '',
    crop: null,
    ...content,
  };
  return {
    kind: 'lesson',
    id,
    parent: null,
    content: whole,
    contentHash: lessonContentHash(whole),
    evidence: [evidenceOf(`task-${id}`)],
    status: 'active',
    trust: 'trusted',
    revises: null,
    ...options,
  };
}

export function treeOf(options: Partial<BankManifest> = {}): Tree {
  const bank = { id: 'bank', name: 'Bank', createdAt: '2026-01-01T00:00:00.000Z' };
  return emptyTree({ ...defaultManifest(bank), ...options });
}

/** Ids that sort in the order they are taken: `g00001`, `g00002` … */
export function groupIds(prefix = 'g'): () => string {
  let taken = 0;
  return () => `${prefix}${`${(taken += 1)}`.padStart(5, '0')}`;
}

/** Runs a maintenance step to its end, with everything that it told. */
export async function maintained(
  input: Pick<MaintainInput, 'tree' | 'lessons'> & Partial<MaintainInput>,
) {
  const step = maintain({
    organizer: rulesOrganizer,
    caller: noCaller,
    nextId: groupIds(),
    ...input,
  });
  const events: MaintainEvent[] = [];
  for (;;) {
    const next = await step.next();
    if (next.done === true) return { ...next.value, events };
    events.push(next.value);
  }
}

/** The tree that these operations make of `tree`. */
export function replayed(tree: Tree, steps: Awaited<ReturnType<typeof maintained>>['steps']): Tree {
  return steps.reduce((at, { operation, by }) => {
    const applied = applyOperation(at, operation, by);
    if (!applied.ok) throw new Error(applied.refusal.message);
    return applied.value.tree;
  }, tree);
}

const COUNTING = 'When counting stops between two stations on a transit line';
const LOOP = 'When a circle loop runs one way, shown by arrows';

/** Three lessons on counting stops and two on one-way loops. */
export const FIVE_LESSONS: readonly Lesson[] = [
  lessonOf('count-1', {
    guidance: 'Count the stops after the origin station. Do not count the origin itself.',
    appliesWhen: COUNTING,
  }),
  lessonOf('count-2', {
    guidance: 'Start counting stops at the first station after the origin of the line.',
    appliesWhen: COUNTING,
  }),
  lessonOf('count-3', {
    guidance: 'When you count stops, the origin station is number zero on the line.',
    appliesWhen: COUNTING,
  }),
  lessonOf('loop-1', {
    guidance: 'Follow the arrows around the circle: trains run one way only.',
    appliesWhen: LOOP,
  }),
  lessonOf('loop-2', {
    guidance: 'Read the arrows of the circle before choosing a direction around it.',
    appliesWhen: LOOP,
  }),
];
