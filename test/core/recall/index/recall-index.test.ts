import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainKernel } from '../../../../src/core/recall/index/kernel.ts';
import { RecallIndex } from '../../../../src/core/recall/index/recall-index.ts';
import {
  NODE_RANKS,
  RECALL_SETTINGS,
  type NodeChange,
  type RecallCandidate,
  type RecallQuery,
} from '../../../../src/core/recall/index/recall-types.ts';
import { BLANKS, fieldsOf, nodesOf, queryOf, referenceQuery } from './reference.ts';
import {
  ENCODER,
  seededChanges,
  seededQueries,
  seededVector,
  seededWord,
  chance,
} from './seeded-bank.ts';

function emptyIndex(): RecallIndex {
  const kernel = plainKernel();
  return new RecallIndex({
    tokenizer: BLANKS,
    settings: RECALL_SETTINGS,
    encoder: ENCODER,
    kernel,
  });
}

function indexOf(changes: readonly NodeChange[]): RecallIndex {
  const index = emptyIndex();
  for (const change of changes) index.apply(change);
  return index;
}

function found(index: RecallIndex, query: RecallQuery): readonly RecallCandidate[] {
  const result = index.query(query);
  if (!result.ok) throw new Error(result.refusal.message);
  return result.value;
}

const word = fc.constantFrom(...'abcdefgh');
const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));
const vector = fc.option(
  fc.nat().map((seed) => seededVector(chance(seed))),
  { nil: null },
);
const id = fc.constantFrom('a', 'b', 'B', 'c1', 'c2', 'é', '数', '😀', 'long-name-of-a-node');
const change = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('put' as const),
      id,
      fields: fc.record({ topic: text, scope: text, anchor: text }),
      isTrusted: fc.boolean(),
      rank: fc.constantFrom(...NODE_RANKS),
      source: fc.constantFrom('here', 'there'),
      vector,
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('remove' as const), id }) },
);
const changes = fc
  .array(change, { maxLength: 40 })
  .map((all) => all.map((each, at): NodeChange => ({ ...each, step: at >> 1 })));
const query = fc.record({
  text,
  vector: vector.map((value) => (value === null ? null : { ...value, encoder: ENCODER })),
  mode: fc.constantFrom('fused' as const, 'bm25' as const, 'encoder' as const),
  limit: fc.integer({ min: 1, max: 12 }),
  filter: fc.record({
    trustedOnly: fc.boolean(),
    ranks: fc.option(fc.subarray([...NODE_RANKS]), { nil: null }),
    sources: fc.option(fc.subarray(['here', 'there', 'nowhere']), { nil: null }),
    asOfStep: fc.option(fc.nat(20), { nil: null }),
  }),
});

test('whatever was added, changed and removed, it finds what a plain reading finds', () => {
  fc.assert(
    fc.property(changes, query, (all, asked) => {
      expect(found(indexOf(all), asked)).toEqual(referenceQuery(all, asked));
    }),
    { seed: 4, numRuns: 1500 },
  );
});

test('changes one by one leave what an index built afresh would be', () => {
  fc.assert(
    fc.property(changes, query, (all, asked) => {
      const now = { ...asked, filter: { ...asked.filter, asOfStep: null } };
      expect(found(indexOf(all), now)).toEqual(found(indexOf(nodesOf(all)), now));
    }),
    { seed: 5, numRuns: 500 },
  );
});

test('as of a step is what the index said once that step had been taken', () => {
  fc.assert(
    fc.property(changes, query, fc.nat(20), (all, asked, asOfStep) => {
      const then = all.filter(({ step }) => step <= asOfStep);
      const filter = { ...asked.filter, asOfStep: null };
      expect(found(indexOf(all), { ...asked, filter: { ...filter, asOfStep } })).toEqual(
        found(indexOf(then), { ...asked, filter }),
      );
    }),
    { seed: 6, numRuns: 500 },
  );
});

test('over several segments, most of them packed, it still finds what a plain reading finds', () => {
  const all = seededChanges(1, 15_000, 6_000);
  const index = indexOf(all);
  expect(index.size).toBe(nodesOf(all).length);
  expect(index.store.segments.length).toBeGreaterThan(2);
  for (const asked of seededQueries(2, 24, all.length)) {
    expect(found(index, asked)).toEqual(referenceQuery(all, asked));
  }
});

test('nodes that say the same come by id, though there are more than are wanted', () => {
  const next = chance(3);
  const same = Array.from({ length: 400 }, (_, at) => at).sort(() => next() - 0.5);
  const alike = seededVector(chance(7));
  const index = indexOf(
    same.map((number): NodeChange => ({
      type: 'put',
      id: `n${String(number).padStart(3, '0')}`,
      step: 0,
      fields: fieldsOf('stop line'),
      isTrusted: true,
      rank: 'lesson',
      source: '',
      vector: alike,
    })),
  );
  const asked = queryOf('line', { vector: { ...alike, encoder: ENCODER }, limit: 3 });
  expect(found(index, asked).map(({ nodeId }) => nodeId)).toEqual(['n000', 'n001', 'n002']);
});

test('no words and no vector find nothing, and 100,000 words find what their few known ones do', () => {
  const all = seededChanges(8, 500, 0);
  const index = indexOf(all);
  expect(found(index, queryOf(''))).toEqual([]);
  expect(found(index, queryOf('  '))).toEqual([]);
  const many = Array.from({ length: 100_000 }, (_, at) => seededWord(at)).join(' ');
  expect(found(index, queryOf(many))).toEqual(referenceQuery(all, queryOf(many)));
});

test('lone surrogates are words like any other, and no ids', () => {
  const index = emptyIndex();
  const node: NodeChange = {
    type: 'put',
    id: 'a',
    step: 0,
    fields: fieldsOf('\ud800 b \udfff'),
    isTrusted: true,
    rank: 'lesson',
    source: '\ud800',
    vector: null,
  };
  index.apply(node);
  expect(found(index, queryOf('\ud800 \udfff x'))[0]?.matchedWords).toEqual(['\ud800', '\udfff']);
  expect(() => index.apply({ ...node, id: '\ud800' })).toThrow(TypeError);
});

test('a vector of another encoder is refused', () => {
  const index = indexOf(seededChanges(9, 10, 0));
  const encoder = { ...ENCODER, revision: '2' };
  const asked = queryOf('wc', { vector: { ...seededVector(chance(1)), encoder } });
  expect(index.query(asked)).toMatchObject({ ok: false, refusal: { reason: 'other-encoder' } });
});

test('a word counts 255 times at most', () => {
  const often = (times: number): NodeChange => ({
    type: 'put',
    id: `n${times}`,
    step: 0,
    fields: fieldsOf(Array.from({ length: times }, () => 'stop').join(' ')),
    isTrusted: true,
    rank: 'lesson',
    source: '',
    vector: null,
  });
  const all = [often(100), often(400), often(2000)];
  expect(found(indexOf(all), queryOf('stop'))).toEqual(referenceQuery(all, queryOf('stop')));
});
