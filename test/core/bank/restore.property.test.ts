import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyOperation } from '../../../src/core/bank/apply.ts';
import { invertChanges, makeChanges, type Change } from '../../../src/core/bank/change.ts';
import { checkInvariants } from '../../../src/core/bank/invariants.ts';
import { ROOT_ID, type Node } from '../../../src/core/bank/node.ts';
import type { Tree } from '../../../src/core/bank/tree.ts';
import { isFull, LIMIT_MS, noteCounts } from '../full-counts.ts';
import { draws, manifest, person, type Draw } from './draws.ts';
import { drawnLog, treeOfLog } from './logs.ts';
import { canonicalTree } from './material.ts';

const numRuns = isFull ? 20_000 : 600;
const mutations = fc.array(
  fc.record({ kind: fc.nat(13), picks: fc.array(fc.nat(999), { minLength: 3, maxLength: 3 }) }),
  { minLength: 1, maxLength: 5 },
);

/** A record change that may break any invariant, from what the tree holds when its turn comes. */
function mutation(tree: Tree, { kind, picks }: Draw): Change {
  const nodes = [...tree.nodes.entries()].map(([, node]) => node);
  const [pick = 0, second = 0, third = 0] = picks;
  const node = nodes[pick % nodes.length] ?? nodes[0]!;
  const other = nodes[second % nodes.length]?.id ?? ROOT_ID;
  const further = nodes[third % nodes.length]?.id ?? ROOT_ID;
  const { id } = node;
  const to = (changed: Node | null): Change => ({ table: 'node', id, from: node, to: changed });
  const alias = (name: string, targets: string[] | null): Change => {
    const from = tree.aliases.get(name);
    return { table: 'alias', id: name, from: from === undefined ? null : [...from], to: targets };
  };
  switch (kind) {
    case 0:
      return to(null);
    case 1:
    case 2:
      return to({ ...node, parent: other });
    case 3:
      return to({ ...node, parent: null });
    case 4:
      return to(node.kind === 'lesson' ? { ...node, status: 'active' } : { ...node, title: 'x' });
    case 5:
      return to(
        node.kind === 'lesson'
          ? { ...node, status: 'retired', parent: third % 2 === 0 ? null : node.parent }
          : { ...node, summary: null },
      );
    case 6:
      return to(
        node.kind === 'lesson'
          ? { ...node, trust: 'held', contentHash: third % 2 === 0 ? node.contentHash : 'x' }
          : {
              ...node,
              summary: {
                text: 'x',
                procedure: [],
                conditions: '',
                conflicts: [],
                supportedBy: [other],
              },
            },
      );
    case 7: {
      // Another's content under a name that is free, or this one's.
      const copy = nodes[second % nodes.length] ?? node;
      const fresh = `new-${third}`;
      return { table: 'node', id: fresh, from: null, to: { ...copy, id: fresh } };
    }
    case 8:
      return alias(third % 2 === 0 ? 'gone' : id, [other]);
    case 9: {
      const known = [...tree.aliases.entries()][pick % Math.max(1, tree.aliases.size)];
      return alias(known?.[0] ?? 'gone', third % 2 === 0 ? null : ['nothing']);
    }
    case 10: {
      const outcome = { retrievalId: 'm', nodeId: third % 3 === 0 ? 'nothing' : other };
      const key = `m/${outcome.nodeId}`;
      return {
        table: 'outcome',
        id: key,
        from: tree.outcomes.get(key) ?? null,
        to: { ...outcome, taskId: 't', result: 'success', strength: 'judged' },
      };
    }
    case 11:
      return to({ ...node, id: third % 3 === 0 ? further : id });
    case 12: {
      const group = { kind: 'group', id, parent: other, title: 'x', scope: '' } as const;
      return to({ ...group, summary: null });
    }
    default:
      return { table: 'state', id: 'frozen', from: tree.frozen, to: tree.frozen };
  }
}

test(
  'a restore is accepted exactly where the check of the whole tree finds nothing',
  (context) => {
    const seen = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(draws, mutations, (drawn, wanted) => {
        const grown = drawn.filter(({ kind }) => kind !== 12);
        const tree = treeOfLog(drawnLog([], grown, { manifest, name: 'n', size: 9 }), manifest);
        let after = tree;
        const records: Change[] = [];
        for (const want of wanted) {
          if (after.nodes.size === 0) break;
          const record = mutation(after, want);
          records.push(record);
          after = makeChanges(after, [record]);
        }
        const isNamedRight = records.every(
          (record) => record.table !== 'node' || record.to === null || record.to.id === record.id,
        );
        const whole = isNamedRight && checkInvariants(after).length === 0;
        const applied = applyOperation(tree, { type: 'restore', of: null, records }, person);
        expect(applied.ok ? 'applied' : 'refused', applied.ok ? '' : applied.refusal.message).toBe(
          whole ? 'applied' : 'refused',
        );
        seen[whole ? 'accepted' : 'refused'] += 1;
        if (!applied.ok) return;
        // Its inverse takes it back, through everything that is derived too.
        const back = applyOperation(
          applied.value.tree,
          { type: 'restore', of: null, records: invertChanges(records) },
          person,
        );
        expect(back.ok && canonicalTree(back.value.tree)).toBe(canonicalTree(tree));
      }),
      { seed: 7, numRuns },
    );
    // The draws are worth something only where both happen often.
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(numRuns / 10);
    noteCounts(context, seen);
  },
  LIMIT_MS,
);

test('a record that is named twice goes on from where it was left', () => {
  const tree = treeOfLog([], manifest);
  const root = tree.nodes.get(ROOT_ID)!;
  const twice: Change = { table: 'node', id: ROOT_ID, from: root, to: { ...root } };
  const [first, second] = [
    { ...root, title: 'One' },
    { ...root, title: 'Two' },
  ] as const;
  if (first.kind !== 'group' || second.kind !== 'group') throw new Error('no root');
  const restore = (records: Change[]) =>
    applyOperation(tree, { type: 'restore', of: null, records }, person).ok;
  expect(restore([{ ...twice, to: first } as Change, { ...twice, to: second } as Change])).toBe(
    false,
  );
  expect(
    restore([
      { ...twice, to: first } as Change,
      { table: 'node', id: ROOT_ID, from: first, to: second },
    ]),
  ).toBe(true);
});
