import { expect, test } from 'vitest';
import { RECALL_SETTINGS } from '../../src/core/recall/index/recall-types.ts';
import { RecallDesk } from '../../src/work/recall-desk.ts';
import type { RecallOrder } from '../../src/work/recall-protocol.ts';
import { BLANKS, queryOf, referenceQuery } from '../core/recall/index/reference.ts';
import { chance, ENCODER, seededChanges, seededVector } from '../core/recall/index/seeded-bank.ts';

const HEAD = { seq: 9, hash: 'h' };
const all = seededChanges(41, 200, 50);
const open = { type: 'open', id: 1, index: 'bank', settings: RECALL_SETTINGS } as const;
const apply: Extract<RecallOrder, { type: 'apply' }> = {
  type: 'apply',
  id: 2,
  index: 'bank',
  head: HEAD,
  changes: [...all],
};

function openDesk(): RecallDesk {
  const desk = new RecallDesk(BLANKS);
  desk.carryOut({ ...open, encoder: ENCODER, stored: null });
  desk.carryOut(apply);
  return desk;
}

test('an index is stored with its head and opened from there', () => {
  const stored = openDesk().carryOut({ type: 'store', id: 3, index: 'bank' });
  if (stored.type !== 'stored') throw new Error(stored.type);
  const desk = new RecallDesk(BLANKS);
  const opened = desk.carryOut({ ...open, encoder: ENCODER, stored: stored.parts });
  expect(opened).toMatchObject({ type: 'opened', head: HEAD, refusal: null });
  const query = queryOf('wc wd wf');
  expect(desk.carryOut({ type: 'query', id: 4, index: 'bank', query })).toEqual({
    type: 'found',
    id: 4,
    candidates: referenceQuery(all, query),
  });
});

test('a damaged index is opened empty, and the answer says so', () => {
  const stored = openDesk().carryOut({ type: 'store', id: 3, index: 'bank' });
  if (stored.type !== 'stored') throw new Error(stored.type);
  stored.parts.get('gone')?.fill(7);
  const desk = new RecallDesk(BLANKS);
  expect(desk.carryOut({ ...open, encoder: ENCODER, stored: stored.parts })).toEqual({
    type: 'opened',
    id: 1,
    head: null,
    size: 0,
    refusal: 'corrupt',
  });
  expect(desk.carryOut(apply)).toMatchObject({ type: 'done' });
});

test('a batch with a vector of another dimension is refused whole', () => {
  const desk = openDesk();
  const before = desk.carryOut({ ...apply, changes: [] });
  const vector = seededVector(chance(1), ENCODER.dimension + 1);
  const wrong = all.flatMap((each) => (each.type === 'put' ? { ...each, vector } : []));
  expect(desk.carryOut({ ...apply, changes: [...all.slice(0, 3), ...wrong] })).toMatchObject({
    type: 'failure',
    code: 'other-encoder',
  });
  expect(desk.carryOut({ ...apply, changes: [] })).toEqual(before);
});

test('a bank that is not open says so, and others go on', () => {
  const desk = openDesk();
  const query = queryOf('wc');
  expect(desk.carryOut({ type: 'query', id: 5, index: 'other', query })).toMatchObject({
    type: 'failure',
    code: 'not-open',
  });
  desk.carryOut({ type: 'close', id: 6, index: 'bank' });
  expect(desk.carryOut({ type: 'query', id: 7, index: 'bank', query })).toMatchObject({
    code: 'not-open',
  });
});
