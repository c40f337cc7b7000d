import { expect, test } from 'vitest';
import { generateMap } from '../../../src/core/metro/generate-map.ts';
import { edgesOf, stationOf, stopsOf } from '../../../src/core/metro/graph.ts';
import { METRO_SEEDS } from '../../../src/core/metro/metro-tasks.ts';
import { seededRandom } from '../../../src/core/metro/random.ts';
import type { MetroMap } from '../../../src/core/metro/scene.ts';

const maps = METRO_SEEDS.map(generateMap);

function broken(holds: (map: MetroMap) => boolean): readonly number[] {
  return maps.filter((map) => !holds(map)).map((map) => map.seed);
}

test('a seed gives the same numbers and the same map every time', () => {
  const random = seededRandom(7);
  expect([random.below(1000), random.below(1000), random.below(1000)]).toEqual([532, 690, 334]);
  expect(seededRandom(7).shuffle([1, 2, 3, 4, 5])).toEqual(
    seededRandom(7).shuffle([1, 2, 3, 4, 5]),
  );
  expect(generateMap(3)).toEqual(maps[2]);
  expect(new Set(maps.map((map) => JSON.stringify(map.stations))).size).toBe(40);
});

test('every map has six lines, 22 to 30 stations and no two names that could be confused', () => {
  expect(broken(({ lines }) => lines.length === 6)).toEqual([]);
  expect(broken(({ stations }) => stations.length >= 22 && stations.length <= 30)).toEqual([]);
  const parts = / (?:to|on|and|towards|after) /u;
  expect(
    broken(({ stations, lines }) => {
      const names = [...stations, ...lines].map((each) => each.name);
      return names.every(
        (name, index) =>
          !parts.test(` ${name.replaceAll(/\W+/gu, ' ')} `) &&
          names.every((other, place) => place === index || !other.includes(name)),
      );
    }),
  ).toEqual([]);
});

test('every track is straight along an axis or a diagonal, and all geometry is in whole pixels', () => {
  expect(
    broken((map) =>
      map.lines.flatMap(edgesOf).every(([from, to]) => {
        const [a, b] = [stationOf(map, from).at, stationOf(map, to).at];
        const [dx, dy] = [Math.abs(a.x - b.x), Math.abs(a.y - b.y)];
        return (dx === 0 || dy === 0 || dx === dy) && [a.x, a.y].every(Number.isInteger);
      }),
    ),
  ).toEqual([]);
});

test('no track runs through a station that its line does not name', () => {
  expect(
    broken((map) =>
      map.lines.every((line) =>
        edgesOf(line).every(([from, to]) => {
          const [a, b] = [stationOf(map, from).at, stationOf(map, to).at];
          return map.stations.every(({ id, at }) => {
            if (id === from || id === to) return true;
            const cross = (at.x - a.x) * (b.y - a.y) - (at.y - a.y) * (b.x - a.x);
            const along = (at.x - a.x) * (b.x - a.x) + (at.y - a.y) * (b.y - a.y);
            return cross !== 0 || along < 0 || along > (b.x - a.x) ** 2 + (b.y - a.y) ** 2;
          });
        }),
      ),
    ),
  ).toEqual([]);
});

test('every map has one one-way loop that meets other lines at two stops or more', () => {
  expect(
    broken(({ lines }) => {
      const [loop, ...others] = lines.filter((line) => line.loop && line.oneWay);
      if (loop === undefined || others.length > 0) return false;
      const rest = lines.filter((line) => line !== loop);
      return (
        stopsOf(loop).filter((stop) => rest.some((line) => stopsOf(line).includes(stop))).length >=
        2
      );
    }),
  ).toEqual([]);
});

test('every map has 2 or 3 skips where other trains do stop, and 1 or 2 stations closed to changes', () => {
  expect(
    broken((map) => {
      const skips = map.lines.flatMap((line) => line.skips);
      const served = skips.every((skip) => map.lines.some((line) => stopsOf(line).includes(skip)));
      const closed = map.stations.filter((station) => station.closedToChanges).length;
      return served && skips.length >= 2 && skips.length <= 3 && closed >= 1 && closed <= 2;
    }),
  ).toEqual([]);
});

test('the lines of a look-alike pair share at least two stations', () => {
  expect(
    broken(({ lines, lookAlikes }) =>
      lookAlikes.every((pair) => {
        const [a, b] = pair.map((id) => lines.find((line) => line.id === id)?.stations ?? []);
        return a !== undefined && a.filter((station) => b?.includes(station)).length >= 2;
      }),
    ),
  ).toEqual([]);
});
