import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyOperation, parseOperation } from '../../../src/core/bank/apply.ts';
import { checkInvariants } from '../../../src/core/bank/invariants.ts';
import { EMPTY_LOG, makeEntries, replay, verifyChain } from '../../../src/core/bank/log.ts';
import type { Operation } from '../../../src/core/bank/operation.ts';
import { emptyTree, type Tree } from '../../../src/core/bank/tree.ts';
import { isFull, LIMIT_MS, noteCounts } from '../full-counts.ts';
import { draws, longDraws, manifest, operationOf, person } from './draws.ts';

/** Operations that are tried, valid and invalid, at least. */
const LEAST = isFull ? 100_000 : 1000;

/** Records and index as plain values, in an order of their own. */
function plain({ nodes, aliases, outcomes, frozen, index }: Tree) {
  const { activeLessons, ...maps } = index;
  const all = Object.entries({ nodes, aliases, outcomes, ...maps });
  return {
    frozen,
    activeLessons,
    maps: all.map(([name, map]) => [name, new Map<string, unknown>(map.entries())]),
  };
}

test(
  'after any operations the invariants hold, each inverse is exact, and the log replays to the same tree',
  (context) => {
    const seen = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(isFull ? longDraws : draws, (sequence) => {
        let tree = emptyTree(manifest);
        const steps: { operation: Operation; by: typeof person }[] = [];
        sequence.forEach((draw, turn) => {
          const operation = operationOf(tree, draw, turn);
          const before = plain(tree);
          const applied = applyOperation(tree, operation, person);
          expect(plain(tree)).toEqual(before);
          seen[applied.ok ? 'accepted' : 'refused'] += 1;
          if (!applied.ok) return;
          const { tree: after, inverse } = applied.value;
          expect(checkInvariants(after)).toEqual([]);
          const json: unknown = JSON.parse(JSON.stringify(operation));
          expect(parseOperation(json)).toEqual({ ok: true, value: operation });
          if (inverse !== null) {
            const back = applyOperation(after, inverse, person);
            expect(back.ok && plain(back.value.tree)).toEqual(before);
          }
          steps.push({ operation, by: person });
          tree = after;
        });
        const entries = makeEntries(EMPTY_LOG, steps, { step: 1, at: '2026-01-01T00:00:00.000Z' });
        expect(verifyChain(entries)).toBeNull();
        const replayed = replay(manifest, entries);
        expect(replayed.ok && plain(replayed.value)).toEqual(plain(tree));
      }),
      { seed: 20261130, numRuns: isFull ? 1500 : 200 },
    );
    const operations = seen.accepted + seen.refused;
    expect(operations).toBeGreaterThanOrEqual(LEAST);
    // The draws are worth something only where both happen often.
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(operations / 10);
    noteCounts(context, { operations, ...seen });
  },
  LIMIT_MS,
);
