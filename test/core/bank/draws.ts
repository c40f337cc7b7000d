import fc from 'fast-check';
import { lessonContentHash, type Lesson, type Node } from '../../../src/core/bank/node.ts';
import { defaultManifest, type Operation } from '../../../src/core/bank/operation.ts';
import { childrenOf, type Tree } from '../../../src/core/bank/tree.ts';

/** A narrow, shallow bank: its limits are met early. */
export const manifest = {
  ...defaultManifest({ id: 'bank', name: 'Bank', createdAt: '2026-01-01T00:00:00.000Z' }),
  maxChildren: 4,
  maxDepth: 4,
};
export const person = { kind: 'person', name: 'Ada' } as const;

/** What to do next, before the tree is known. */
export interface Draw {
  readonly kind: number;
  readonly picks: readonly number[];
}

const draw = fc.record({
  kind: fc.nat(12),
  picks: fc.array(fc.nat(999), { minLength: 5, maxLength: 5 }),
});

export const draws = fc.array(draw, { minLength: 5, maxLength: 60 });
/** Enough for a history to keep trees along the way. */
export const longDraws = fc.array(draw, { minLength: 20, maxLength: 150, size: 'max' });

function lessonOf(id: string, revises: string | null): Lesson {
  const content = {
    title: id,
    guidance: `Do ${id}.`,
    appliesWhen: '',
    cautions: [],
    topic: '',
    scope: '',
    anchor: '',
    crop: null,
  };
  const contentHash = lessonContentHash(content);
  return {
    kind: 'lesson',
    id,
    parent: null,
    content,
    contentHash,
    evidence: [],
    status: 'active',
    trust: 'trusted',
    revises,
  };
}

/** What a draw asks of the tree as it stands: often valid, sometimes not. */
export function operationOf(tree: Tree, { kind, picks }: Draw, turn: number | string): Operation {
  const nodes = [...tree.nodes.entries()].map(([, node]) => node);
  const pick = (of: readonly Node[], at: number) => of[(picks[at] ?? 0) % of.length]?.id ?? 'none';
  const lessons = nodes.filter((node) => node.kind === 'lesson');
  const groups = nodes.filter((node) => node.kind === 'group');
  const [lesson, other] = [pick(lessons, 0), pick(lessons, 3)];
  const [group, second] = [pick(groups, 1), pick(groups, 2)];
  const fresh = `n${turn}`;
  const text = { title: fresh, scope: '' };
  switch (kind) {
    case 0:
    case 1:
      return { type: 'add-lesson', lesson: lessonOf(fresh, null) };
    case 2:
      return { type: 'revise-lesson', predecessor: lesson, lesson: lessonOf(fresh, lesson) };
    case 3:
      return { type: 'retire-lesson', lesson, reason: 'old' };
    case 4:
      return { type: 'place', groups: [], assignments: [{ lesson, under: group }] };
    case 5:
      return {
        type: 'place',
        groups: [{ id: fresh, parent: group, ...text }],
        assignments: [{ lesson, under: fresh }],
      };
    case 6:
      return { type: 'merge', groups: [group, second], into: fresh, ...text };
    case 7: {
      const children = childrenOf(tree, group);
      const cut = 1 + ((picks[4] ?? 0) % Math.max(1, children.length - 1));
      const parts = [children.slice(0, cut), children.slice(cut)].map((part, index) => ({
        id: `${fresh}-${index}`,
        ...text,
        children: part,
      }));
      return { type: 'split', group, parts, lift: (picks[0] ?? 0) % 2 === 0, forced: false };
    }
    case 8:
    case 9: {
      const conflicts = [
        { lessons: [lesson, other] as [string, string], about: 'x', settled: null },
      ];
      const summary = { text: fresh, procedure: [], conditions: '', supportedBy: [lesson] };
      return {
        type: 'consolidate',
        group,
        summary: { ...summary, conflicts: kind === 8 ? [] : conflicts },
      };
    }
    case 10: {
      const outcome = {
        retrievalId: fresh,
        nodeId: group,
        taskId: 't',
        strength: 'judged',
      } as const;
      return { type: 'record-outcome', outcome: { ...outcome, result: 'success' } };
    }
    case 11:
      return { type: 'erase', lessons: [lesson], entries: [], reason: 'asked' };
    default:
      return tree.frozen ? { type: 'unfreeze', reason: '' } : { type: 'freeze', reason: '' };
  }
}
