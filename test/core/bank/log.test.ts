import { expect, test } from 'vitest';
import {
  EMPTY_LOG,
  headOf,
  makeEntries,
  replay,
  revertStep,
  verifyChain,
  verifyLog,
} from '../../../src/core/bank/log.ts';
import { ROOT_ID } from '../../../src/core/bank/node.ts';
import type { LogEntry } from '../../../src/core/bank/operation.ts';
import { hashJson } from '../../../src/core/canonical.ts';
import { logOf, treeOfLog } from './logs.ts';
import { adding, AT, canonicalTree, manifestOf, PERSON, placing } from './material.ts';

const manifest = manifestOf();
const FIRST = [...adding('a', 'b'), placing({ g1: ROOT_ID }, { a: 'g1', b: 'g1' })];
const SECOND = [...adding('c'), placing({ g2: ROOT_ID }, { c: 'g2' })];
const THIRD = [placing({}, { a: 'g2' })];
const LOG = logOf(FIRST, SECOND, THIRD);

/** The log with a step reverted, as its newest step; or what blocks it. */
function revert(log: readonly LogEntry[], step: number) {
  const reverted = revertStep(treeOfLog(log), log, { step, by: PERSON });
  if (!reverted.ok) return reverted.refusal;
  const last = log.at(-1)!;
  const next = { step: last.step + 1, at: AT };
  return [...log, ...makeEntries(headOf(last), reverted.value, next)];
}

async function* pieces(log: readonly LogEntry[]) {
  yield log.slice(0, 2);
  yield log.slice(2);
}

test('a sound chain has no break, from the start or carried on', () => {
  expect(verifyChain(LOG)).toBeNull();
  expect(verifyChain(LOG.slice(3), headOf(LOG[2]!))).toBeNull();
});

test('a changed entry is found, where its own hash was mended too', () => {
  const changed = LOG.map((entry) => (entry.seq === 3 ? { ...entry, at: 'later' } : entry));
  expect(verifyChain(changed)).toEqual({ seq: 3, message: 'entry 3 was changed' });
  const mended = changed.map(({ hash, ...entry }) => ({
    ...entry,
    hash: entry.seq === 3 ? hashJson(entry) : hash,
  }));
  expect(verifyChain(mended)?.seq).toBe(4);
});

test('a missing entry, first or between, and a swapped pair are found', () => {
  expect(verifyChain(LOG.slice(1))).toEqual({ seq: 1, message: 'entry 1 is missing' });
  expect(verifyChain(LOG.toSpliced(2, 1))).toEqual({ seq: 3, message: 'entry 3 is missing' });
  const swapped = LOG.with(1, LOG[2]!).with(2, LOG[1]!);
  expect(verifyChain(swapped)?.seq).toBe(2);
  const renumbered = swapped.map((entry, at) => ({ ...entry, seq: at + 1 }));
  expect(verifyChain(renumbered)?.seq).toBe(2);
});

test('a whole log is verified piece by piece, and a cut-off end is found by its head', async () => {
  const head = headOf(LOG.at(-1)!);
  const whole = await verifyLog({ manifest, head }, pieces(LOG));
  expect(whole.ok && canonicalTree(whole.value)).toBe(canonicalTree(treeOfLog(LOG)));
  const cut = await verifyLog({ manifest, head }, pieces(LOG.slice(0, -1)));
  expect(cut.ok ? 'sound' : cut.refusal.reason).toBe('broken-chain');
});

test('a log that does not replay is refused, naming the entry and the rule', () => {
  const log = logOf(FIRST, [placing({}, { a: 'g1' })]);
  expect(replay(manifest, log)).toMatchObject({
    ok: false,
    refusal: { reason: 'already-placed', path: '4' },
  });
});

test('undo of the latest step gives the tree before it, and undoing the undo gives it back', () => {
  const undone = revert(LOG, 3);
  if (!Array.isArray(undone)) throw new Error('blocked');
  expect(verifyChain(undone)).toBeNull();
  const before = treeOfLog(LOG.filter(({ step }) => step < 3));
  expect(canonicalTree(treeOfLog(undone))).toBe(canonicalTree(before));
  const redone = revert(undone, 4);
  if (!Array.isArray(redone)) throw new Error('blocked');
  expect(canonicalTree(treeOfLog(redone))).toBe(canonicalTree(treeOfLog(LOG)));
});

test('an older step is reverted alone where nothing rests on it', () => {
  const apart = logOf(FIRST, SECOND, adding('d'));
  const reverted = revert(apart, 2);
  if (!Array.isArray(reverted)) throw new Error('blocked');
  const without = treeOfLog(logOf(FIRST, adding('d')));
  expect(canonicalTree(treeOfLog(reverted))).toBe(canonicalTree(without));
});

test('a step that later ones rest on is not reverted; what blocks it is listed', () => {
  const refusal = revert(LOG, 1);
  expect(refusal).toMatchObject({ reason: 'blocked' });
  if (!('blockers' in refusal)) throw new Error('not blocked');
  expect(refusal.blockers[0]).toContain('a was changed since');
  expect(revert(LOG, 9)).toMatchObject({ reason: 'nothing-to-revert' });
});
