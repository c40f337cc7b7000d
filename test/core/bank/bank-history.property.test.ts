import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BankHistory } from '../../../src/core/bank/history/bank-history.ts';
import { changesBetween } from '../../../src/core/bank/history/changes-between.ts';
import { stepSummaries } from '../../../src/core/bank/history/step-summaries.ts';
import { redoTarget, undoTarget } from '../../../src/core/bank/history/undo.ts';
import { revertStep } from '../../../src/core/bank/log.ts';
import { isFull, LIMIT_MS, noteCounts } from '../full-counts.ts';
import { draws, longDraws, manifest } from './draws.ts';
import { drawnLog, treeOfLog, withStep } from './logs.ts';
import { canonicalTree, PERSON } from './material.ts';

const numRuns = isFull ? 500 : 25;
const LIMIT = { timeout: LIMIT_MS };
const seqs = fc.array(fc.nat(999), { minLength: 1, maxLength: 6 });

test(
  'the tree at any entry is the replay up to it, in whatever order they are asked for',
  LIMIT,
  (context) => {
    fc.assert(
      fc.property(longDraws, seqs, fc.integer({ min: 1, max: 4 }), (drawn, asked, size) => {
        const log = drawnLog([], drawn, { manifest, name: 'n', size });
        // A third of it first: its history is carried on by the whole.
        const part = new BankHistory(manifest, log.slice(0, Math.ceil(log.length / 3)));
        part.treeAtSeq(log.length);
        const history = part.extended(log);
        for (const number of asked) {
          const seq = number % (log.length + 1);
          const tree = history.treeAtSeq(seq);
          const expected = treeOfLog(log.slice(0, seq), manifest);
          expect(tree.ok && canonicalTree(tree.value)).toBe(canonicalTree(expected));
          const step = log[seq - 1]?.step ?? 0;
          const atStep = history.treeAtStep(step);
          const upTo = log.filter((entry) => entry.step <= step);
          expect(atStep.ok && canonicalTree(atStep.value)).toBe(
            canonicalTree(treeOfLog(upTo, manifest)),
          );
          expect(history.revertStep(step, PERSON)).toEqual(
            revertStep(treeOfLog(log, manifest), log, { step, by: PERSON }),
          );
        }
      }),
      { seed: 4, numRuns },
    );
    noteCounts(context, { histories: numRuns });
  },
);

test('undone and done again at will, the tree is the one whose steps stand', LIMIT, (context) => {
  fc.assert(
    fc.property(draws, fc.array(fc.boolean(), { maxLength: 12 }), (drawn, turns) => {
      // An erasure cannot be taken back: this is of what can.
      const reversible = drawn.filter(({ kind }) => kind < 11);
      let log = drawnLog([], reversible, { manifest, name: 'n', size: 2 });
      const original = log;
      for (const isUndo of turns) {
        const step = isUndo ? undoTarget(log) : redoTarget(log)?.undo;
        if (step === null || step === undefined) continue;
        const steps = new BankHistory(manifest, log).revertStep(step, PERSON);
        if (!steps.ok) throw new Error(steps.refusal.message);
        log = withStep(
          log,
          steps.value.map(({ operation }) => operation),
          PERSON,
        );
      }
      const standing = new Set(
        stepSummaries(log)
          .filter(({ reverts, revertedBy }) => reverts === null && revertedBy === null)
          .map(({ step }) => step),
      );
      const expected = treeOfLog(
        original.filter(({ step }) => standing.has(step)),
        manifest,
      );
      expect(canonicalTree(treeOfLog(log, manifest))).toBe(canonicalTree(expected));
      expect(undoTarget(log)).toBe([...standing].at(-1) ?? null);
    }),
    { seed: 5, numRuns },
  );
  noteCounts(context, { histories: numRuns });
});

test(
  'trees that say the same differ in nothing, and others in something, forth and back',
  LIMIT,
  (context) => {
    fc.assert(
      fc.property(draws, fc.nat(99), fc.nat(99), (drawn, first, second) => {
        const log = drawnLog([], drawn, { manifest, name: 'n', size: 1 });
        const history = new BankHistory(manifest, log);
        const [before, after] = [first, second].map((number) => {
          const tree = history.treeAtSeq(number % (log.length + 1));
          if (!tree.ok) throw new Error(tree.refusal.message);
          return tree.value;
        });
        if (before === undefined || after === undefined) return;
        const isSame = canonicalTree(before) === canonicalTree(after);
        if (isSame) expect(changesBetween(before, after)).toEqual([]);
        const actives = (tree: typeof before) =>
          new Set([...tree.index.contents.entries()].map(([hash]) => hash));
        const changes = changesBetween(before, after);
        const net = changes.reduce(
          (sum, { type }) =>
            sum +
            (type === 'lesson-add' || type === 'lesson-return'
              ? 1
              : type === 'lesson-retire' || type === 'lesson-remove'
                ? -1
                : 0),
          0,
        );
        expect(net).toBe(actives(after).size - actives(before).size);
      }),
      { seed: 6, numRuns: numRuns * 3 },
    );
    noteCounts(context, { pairs: numRuns * 3 });
  },
);
