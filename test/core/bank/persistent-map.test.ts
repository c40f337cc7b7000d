import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  emptyMap,
  mapFrom,
  mapInTurns,
  type PersistentMap,
} from '../../../src/core/bank/persistent-map.ts';

/** The map's own hash, repeated here to find keys that collide. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** Pairs of keys with one hash of 32 bits, found by birthday. */
function collidingKeys(pairs: number): readonly string[] {
  const seen = new Map<number, string>();
  const found: string[] = [];
  for (let number = 0; found.length < pairs * 2; number += 1) {
    const key = `k${number}`;
    const hash = hashOf(key);
    const other = seen.get(hash);
    if (other === undefined) seen.set(hash, key);
    else found.push(other, key);
  }
  return found;
}

const COLLIDING = collidingKeys(3);
const keys = fc.oneof(fc.constantFrom(...COLLIDING), fc.string({ maxLength: 3 }), fc.string());
const steps = fc.array(fc.record({ key: keys, value: fc.option(fc.nat(9)) }), { maxLength: 120 });

function sorted<V>(map: PersistentMap<V> | ReadonlyMap<string, V>): readonly unknown[] {
  return [...map.entries()].toSorted(([first], [second]) => (first < second ? -1 : 1));
}

test('keys that collide are there to be tested', () => {
  expect(new Set(COLLIDING).size).toBe(6);
  expect(new Set(COLLIDING.map(hashOf)).size).toBe(3);
});

test('after any sets and deletes it holds what a Map holds, and every earlier version still does', () => {
  fc.assert(
    fc.property(steps, (sequence) => {
      let map = emptyMap<number>();
      const model = new Map<string, number>();
      const versions: { readonly map: PersistentMap<number>; readonly held: readonly unknown[] }[] =
        [];
      for (const { key, value } of sequence) {
        if (value === null) {
          map = map.delete(key);
          model.delete(key);
        } else {
          map = map.set(key, value);
          model.set(key, value);
        }
        expect(map.size).toBe(model.size);
        expect(map.get(key)).toBe(model.get(key));
        expect(map.has(key)).toBe(model.has(key));
        versions.push({ map, held: sorted(model) });
      }
      for (const { map: version, held } of versions) expect(sorted(version)).toEqual(held);
    }),
    { seed: 1, numRuns: 300 },
  );
});

test('equal content gives equal order, however it came about', () => {
  fc.assert(
    fc.property(steps, fc.nat(), (sequence, turn) => {
      const model = new Map(sequence.map(({ key, value }) => [key, value ?? 0]));
      const entries = [...model];
      const at = entries.length === 0 ? 0 : turn % entries.length;
      const turned = [...entries.slice(at), ...entries.slice(0, at)].toReversed();
      const detour = mapFrom([
        ...turned,
        ['gone', 1],
        ...COLLIDING.map((key) => [key, 1] as const),
      ]);
      const back = ['gone', ...COLLIDING].reduce(
        (map, key) => (model.has(key) ? map.set(key, model.get(key) ?? 0) : map.delete(key)),
        model.has('gone') ? detour.set('gone', model.get('gone') ?? 0) : detour,
      );
      expect([...back.entries()]).toEqual([...mapFrom(entries).entries()]);
    }),
    { seed: 2, numRuns: 300 },
  );
});

test('setting what is there already, or deleting what is not, gives the map itself', () => {
  const map = mapFrom([['a', 1]]);
  expect(map.set('a', 1)).toBe(map);
  expect(map.delete('b')).toBe(map);
});

test('the differences of two versions are those of two Maps, whichever came first', () => {
  fc.assert(
    fc.property(steps, steps, steps, (shared, first, second) => {
      const grow = (map: PersistentMap<number>, more: typeof shared) =>
        more.reduce(
          (grown, { key, value }) => (value === null ? grown.delete(key) : grown.set(key, value)),
          map,
        );
      const base = grow(emptyMap<number>(), shared);
      const [before, after] = [grow(base, first), grow(base, second)];
      const names = new Set([...before.entries(), ...after.entries()].map(([key]) => key));
      const expected = [...names].flatMap((key) => {
        const [old, now] = [before.get(key), after.get(key)];
        return old === now ? [] : [[key, { key, before: old, after: now }] as const];
      });
      const found = after.differencesFrom(before).map((one) => [one.key, one] as const);
      expect(sorted(new Map(found))).toEqual(sorted(new Map(expected)));
      expect(found.length).toBe(expected.length);
    }),
    { seed: 3, numRuns: 300 },
  );
});

test('the differences of a large map and its next version are found without walking it', () => {
  const large = mapFrom(Array.from({ length: 100_000 }, (_, at) => [`key-${at}`, at] as const));
  const next = large.set('key-7', -1).delete('key-8').set('new', 1);
  const started = performance.now();
  for (let round = 0; round < 100; round += 1) next.differencesFrom(large);
  expect(performance.now() - started).toBeLessThan(1000);
  expect(next.differencesFrom(large)).toHaveLength(3);
});

test('a map built at once is the one that grew entry by entry, in shape too', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(keys, fc.nat(9)), { maxLength: 200 }), (entries) => {
      let grown = emptyMap<number>();
      for (const [key, value] of entries) grown = grown.set(key, value);
      expect(mapFrom(entries)).toEqual(grown);
    }),
  );
});

test('a large map built in turns is the one built at once, in shape too', () => {
  const many = Array.from({ length: 9000 }, (_, at) => [`key-${at % 8500}`, at] as const);
  const same = many.map(([, at]) => ['one key', at] as const);
  for (const entries of [many, same, many.slice(0, 3)]) {
    const work = mapInTurns(entries);
    let turns = 0;
    let next = work.next();
    for (; next.done !== true; next = work.next()) turns += 1;
    expect(next.value).toEqual(mapFrom(entries));
    expect(turns > 30).toBe(entries.length > 3);
  }
});
