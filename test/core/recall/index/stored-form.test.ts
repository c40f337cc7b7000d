import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainKernel } from '../../../../src/core/recall/index/kernel.ts';
import { RecallIndex } from '../../../../src/core/recall/index/recall-index.ts';
import {
  RECALL_SETTINGS,
  type NodeChange,
} from '../../../../src/core/recall/index/recall-types.ts';
import {
  openRecall,
  storeRecall,
  type StoredRecall,
} from '../../../../src/core/recall/index/stored-form.ts';
import { BLANKS, fieldsOf, queryOf, referenceQuery } from './reference.ts';
import { ENCODER, seededChanges, seededQueries } from './seeded-bank.ts';

const HEAD = { seq: 12, hash: 'abc' };
const making = { tokenizer: BLANKS, settings: RECALL_SETTINGS, encoder: ENCODER };
const options = () => ({ ...making, kernel: plainKernel() });

function indexOf(changes: readonly NodeChange[]): RecallIndex {
  const index = new RecallIndex(options());
  for (const change of changes) index.apply(change);
  return index;
}

/** The parts as storage gives them back: other buffers. */
function copied(stored: StoredRecall): Map<string, Uint8Array<ArrayBuffer>> {
  return new Map([...stored].map(([name, bytes]) => [name, bytes.slice()]));
}

function opened(stored: StoredRecall): RecallIndex {
  const result = openRecall(copied(stored), options());
  if (!result.ok) throw new Error(result.refusal.message);
  expect(result.value.head).toEqual(HEAD);
  return result.value.index;
}

test('what is stored and opened answers the same, and goes on taking changes', () => {
  const all = seededChanges(21, 10_000, 3_000);
  const index = opened(storeRecall(indexOf(all.slice(0, 9_000)), HEAD));
  for (const change of all.slice(9_000)) index.apply(change);
  const twice = opened(storeRecall(index, HEAD));
  for (const query of seededQueries(22, 12, all.length)) {
    const wanted = referenceQuery(all, query);
    expect(index.query(query)).toEqual({ ok: true, value: wanted });
    expect(twice.query(query)).toEqual({ ok: true, value: wanted });
  }
});

test('an empty index can be stored', () => {
  const index = opened(storeRecall(indexOf([]), HEAD));
  expect([index.size, index.query(queryOf('wc'))]).toEqual([0, { ok: true, value: [] }]);
});

test('parts of full segments stay the same bytes while the bank grows', () => {
  const all = seededChanges(23, 10_000, 0);
  const before = storeRecall(indexOf(all.slice(0, 9_000)), HEAD);
  const after = storeRecall(indexOf(all), HEAD);
  const isSame = (name: string) =>
    Buffer.compare(before.get(name) ?? Buffer.of(), after.get(name) ?? Buffer.of(1)) === 0;
  expect(['rows-0', 'vectors-0', 'rows-1'].map(isSame)).toEqual([true, true, false]);
});

test('any part that is missing, cut short or has a flipped bit is refused', () => {
  const stored = storeRecall(indexOf(seededChanges(24, 300, 100)), HEAD);
  const names = [...stored.keys()];
  expect(names).toEqual(
    expect.arrayContaining(['manifest', 'words', 'gone', 'rows-0', 'vectors-0']),
  );
  const damage = fc.constantFrom('missing', 'cut', 'flipped', 'longer');
  fc.assert(
    fc.property(fc.constantFrom(...names), damage, fc.nat(), (name, how, seed) => {
      const parts = copied(stored);
      const bytes = parts.get(name) ?? new Uint8Array(0);
      const at = seed % bytes.length;
      if (how === 'missing') parts.delete(name);
      else if (how === 'cut') parts.set(name, bytes.slice(0, at));
      else if (how === 'longer') parts.set(name, Uint8Array.from([...bytes, 0]));
      else bytes[at] = (bytes[at] ?? 0) ^ (1 << (seed % 8));
      expect(openRecall(parts, options())).toMatchObject({
        ok: false,
        refusal: { reason: 'corrupt', path: name },
      });
    }),
    { seed: 7, numRuns: 400 },
  );
});

test('an index that was made otherwise is refused', () => {
  const stored = storeRecall(indexOf(seededChanges(25, 50, 0)), HEAD);
  const others = [
    { ...options(), tokenizer: { ...BLANKS, id: 'other' } },
    { ...options(), settings: { ...RECALL_SETTINGS, k1: 1.5 } },
    { ...options(), encoder: { ...ENCODER, revision: '2' } },
    { ...options(), encoder: null },
  ];
  for (const other of others) {
    expect(openRecall(stored, other)).toMatchObject({
      ok: false,
      refusal: { reason: 'made-otherwise' },
    });
  }
});
