import { expect, test } from 'vitest';
import { RECALL_SETTINGS, type NodeChange } from '../../../src/core/recall/index/recall-types.ts';
import { RecallError } from '../../../src/core/recall/recall-port.ts';
import { startRecallWorker } from '../../../src/work/recall-client.ts';
import { queryOf, referenceQuery } from '../../core/recall/index/reference.ts';
import {
  chance,
  ENCODER,
  seededChanges,
  seededVector,
} from '../../core/recall/index/seeded-bank.ts';

const HEAD = { seq: 3, hash: 'head' };
const making = { settings: RECALL_SETTINGS, encoder: ENCODER };

test('the worker takes changes, answers exactly, and gives and takes a stored index', async () => {
  const all: readonly NodeChange[] = seededChanges(51, 9_000, 500);
  const recall = startRecallWorker();
  expect(await recall.open('bank', making, null)).toEqual({ head: null, size: 0, refusal: null });
  const size = await recall.apply('bank', { head: HEAD, changes: all });
  const query = queryOf('wc wdb wfbb wdbbb', {
    vector: { ...seededVector(chance(52)), encoder: ENCODER },
  });
  const wanted = referenceQuery(all, query);
  expect(await recall.query('bank', query)).toEqual(wanted);
  const stored = await recall.store('bank');
  expect(await recall.open('again', making, stored)).toEqual({ head: HEAD, size, refusal: null });
  expect(await recall.query('again', query)).toEqual(wanted);
  recall.stop();
});

test('a stored index that is damaged is refused, and what is not open is said', async () => {
  const recall = startRecallWorker();
  const parts = new Map([['manifest', new Uint8Array(40)]]);
  expect(await recall.open('bank', making, parts)).toMatchObject({ refusal: 'corrupt' });
  const asked = recall.query('other', queryOf('wc'));
  await expect(asked).rejects.toMatchObject({ name: 'RecallError', code: 'not-open' });
  const waiting = recall.query('bank', queryOf('wc'));
  recall.stop();
  await expect(waiting).rejects.toThrow(RecallError);
  await expect(recall.query('bank', queryOf('wc'))).rejects.toMatchObject({ code: 'stopped' });
});
