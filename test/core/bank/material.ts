import { applyOperation } from '../../../src/core/bank/apply.ts';
import {
  lessonContentHash,
  type Evidence,
  type Lesson,
  type LessonContent,
  type Summary,
} from '../../../src/core/bank/node.ts';
import {
  defaultManifest,
  type Actor,
  type BankManifest,
  type Operation,
} from '../../../src/core/bank/operation.ts';
import { emptyTree, type Tree } from '../../../src/core/bank/tree.ts';
import { canonicalJson } from '../../../src/core/canonical.ts';

export const PERSON: Actor = { kind: 'person', name: 'Ada' };
export const HARNESS: Actor = { kind: 'harness', name: 'grove' };
export const AT = '2026-01-01T00:00:00.000Z';

export function manifestOf(over: Partial<BankManifest> = {}): BankManifest {
  return { ...defaultManifest({ id: 'bank', name: 'Bank', createdAt: AT }), ...over };
}

export function evidenceOf(taskId: string, over: Partial<Evidence> = {}): Evidence {
  return {
    taskId,
    runId: `run-${taskId}`,
    attempt: 1,
    harness: 'team',
    backbone: 'simulated',
    model: 'metro-simulator',
    tool: 'none',
    at: AT,
    feedback: 'none',
    strength: 'unverified',
    supports: true,
    ...over,
  };
}

/** A lesson whose text is its id, but for what is given. */
export function lessonOf(
  id: string,
  content: Partial<LessonContent> = {},
  over: Partial<Lesson> = {},
): Lesson {
  const whole: LessonContent = {
    title: `Title ${id}`,
    guidance: `Do ${id}.`,
    appliesWhen: '',
    cautions: [],
    topic: '',
    scope: '',
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
    ...over,
  };
}

export function summaryOf(supportedBy: readonly string[], over: Partial<Summary> = {}): Summary {
  return {
    text: 'Count the stops.',
    procedure: [],
    conditions: '',
    conflicts: [],
    supportedBy: [...supportedBy],
    ...over,
  };
}

/** Groups (`g: parent`) and lessons under them, in one place operation. */
export function placing(
  groups: Readonly<Record<string, string>>,
  assignments: Readonly<Record<string, string>>,
): Operation {
  return {
    type: 'place',
    groups: Object.entries(groups).map(([id, parent]) => ({
      id,
      parent,
      title: `Group ${id}`,
      scope: '',
    })),
    assignments: Object.entries(assignments).map(([lesson, under]) => ({ lesson, under })),
  };
}

export function adding(...ids: readonly string[]): readonly Operation[] {
  return ids.map((id) => ({ type: 'add-lesson', lesson: lessonOf(id) }));
}

/** Applies what must be valid. */
export function grow(tree: Tree, operations: readonly Operation[], by: Actor = PERSON): Tree {
  let grown = tree;
  for (const operation of operations) {
    const applied = applyOperation(grown, operation, by);
    if (!applied.ok) throw new Error(`${operation.type}: ${applied.refusal.message}`);
    grown = applied.value.tree;
  }
  return grown;
}

/** A bank of `operations`. */
export function treeOf(operations: readonly Operation[], over: Partial<BankManifest> = {}): Tree {
  return grow(emptyTree(manifestOf(over)), operations);
}

/** Everything a tree records and derives, as one text: equal where the trees are. */
export function canonicalTree(tree: Tree): string {
  const { manifest, frozen, nodes, aliases, outcomes } = tree;
  const { activeLessons, ...maps } = tree.index;
  const all = { nodes, aliases, outcomes, ...maps };
  return canonicalJson({
    manifest,
    frozen,
    activeLessons,
    maps: Object.fromEntries(
      Object.entries(all).map(([name, map]) => [name, Object.fromEntries<unknown>(map.entries())]),
    ),
  });
}
