import { describe, expect, test } from 'vitest';
import { generateMap } from '../../../src/core/metro/generate-map.ts';
import { keyRegion } from '../../../src/core/metro/key-region.ts';
import { layOut } from '../../../src/core/metro/lay-out.ts';
import {
  METRO_SEEDS,
  metroQuestions,
  metroReference,
  metroTask,
} from '../../../src/core/metro/metro-tasks.ts';
import { parseQuestion } from '../../../src/core/metro/question-form.ts';
import type { MetroQuestion } from '../../../src/core/metro/questions.ts';
import type { MetroMap } from '../../../src/core/metro/scene.ts';
import { answerQuestion } from '../../../src/core/metro/solver/answer-question.ts';
import { perceive, viewOf } from '../../../src/core/metro/solver/perceive.ts';
import { readMap } from '../../../src/core/metro/solver/read-map.ts';
import type { SlipId } from '../../../src/core/metro/solver/slips.ts';

const maps = new Map(METRO_SEEDS.map((seed) => [seed, generateMap(seed)]));
const scenes = new Map([...maps].map(([seed, map]) => [seed, layOut(map)]));
const questions = metroQuestions();

/**
 * The answers once more, by hand and slowly: rides one stop at a time over (line, station), names
 * instead of ids, and none of the code that made the questions.
 */
function slowAnswer(map: MetroMap, { form }: MetroQuestion): string {
  const nameOf = (id: string) => map.stations.find((station) => station.id === id)?.name ?? '';
  const closed = map.stations.filter((each) => each.closedToChanges).map((each) => each.name);
  const lines = map.lines.map((line) => ({
    name: line.name,
    loop: line.loop,
    all: line.stations.map(nameOf),
    stops: line.stations.map(nameOf).filter((name) => !line.skips.map(nameOf).includes(name)),
  }));
  const lineNamed = (name: string) => lines.find((line) => line.name === name)!;
  const onwards = (line: (typeof lines)[number], stop: string) => {
    const { stops, loop } = line;
    const at = stops.indexOf(stop);
    return loop ? [stops[(at + 1) % stops.length]!] : [stops[at - 1], stops[at + 1]];
  };
  switch (form.kind) {
    case 'stops-between':
    case 'loop-direction': {
      const line = lineNamed(form.line);
      let front = [[form.from]];
      for (let stops = 1; stops < 50; stops++) {
        front = front.flatMap((way) =>
          onwards(line, way.at(-1)!)
            .filter((next) => next !== undefined && !way.includes(next))
            .map((next) => [...way, next!]),
        );
        if (front.some((way) => way.at(-1) === form.to)) return String(stops);
      }
      return 'none';
    }
    case 'transfers': {
      // Cheapest way over (line, stop) by repeated relaxing; going round a loop costs nothing.
      const cost = new Map<string, number>();
      const key = (line: string, stop: string) => `${line}|${stop}`;
      for (const line of lines) {
        if (line.stops.includes(form.from)) cost.set(key(line.name, form.from), 0);
      }
      for (let round = 0; round < 200; round++) {
        for (const line of lines) {
          for (const stop of line.stops) {
            const here = cost.get(key(line.name, stop));
            if (here === undefined) continue;
            const reach = (where: string, price: number) => {
              if ((cost.get(where) ?? Infinity) > price) cost.set(where, price);
            };
            for (const next of onwards(line, stop)) {
              if (next !== undefined) reach(key(line.name, next), here);
            }
            if (closed.includes(stop)) continue;
            for (const other of lines) {
              if (other.stops.includes(stop)) reach(key(other.name, stop), here + 1);
            }
          }
        }
      }
      return String(
        Math.min(...lines.map((line) => cost.get(key(line.name, form.to)) ?? Infinity)),
      );
    }
    case 'next-station': {
      const { all, stops } = lineNamed(form.line);
      const way = all.indexOf(form.at) < all.indexOf(form.towards) ? all : [...all].reverse();
      const after = way.slice(way.indexOf(form.at) + 1);
      return after.find((name) => stops.includes(name)) ?? 'none';
    }
    case 'line-by-legend': {
      const direct = lines.filter(({ stops, loop }) => {
        const pairs = stops.map((stop, index) => [
          stop,
          stops[index + 1] ?? (loop ? stops[0] : ''),
        ]);
        return pairs.some((pair) => pair.includes(form.from) && pair.includes(form.to));
      });
      return direct.map((line) => line.name).join(' or ');
    }
  }
}

test('there are 400 questions, ten a map, two of each kind, all different', () => {
  expect(questions).toHaveLength(400);
  expect(new Set(questions.map((question) => question.id)).size).toBe(400);
  expect(new Set(questions.map((question) => metroTask(question).id)).size).toBe(400);
  for (const seed of METRO_SEEDS) {
    const kinds = questions.filter((each) => each.seed === seed).map(({ form }) => form.kind);
    expect(kinds).toHaveLength(10);
    for (const kind of kinds) expect(kinds.filter((other) => other === kind)).toHaveLength(2);
  }
});

test('every question’s words can be read back', () => {
  expect(questions.filter(({ question }) => parseQuestion(question) === null)).toEqual([]);
  expect(questions.map(({ question }) => parseQuestion(question))).toEqual(
    questions.map(({ form }) => form),
  );
});

test('a slow count over the map comes to the same answers', () => {
  const differing = questions.filter(
    (question) => slowAnswer(maps.get(question.seed)!, question) !== question.reference,
  );
  expect(differing).toEqual([]);
});

test('no task or question tells its answer, and the reference names its task', () => {
  for (const question of questions) {
    const task = metroTask(question);
    expect(JSON.stringify(task)).not.toContain('reference');
    if (question.reference.length > 2) expect(question.question).not.toContain(question.reference);
    expect(metroReference(question)).toEqual({ taskId: task.id, answers: [question.reference] });
  }
});

describe('to a reader of the picture', () => {
  const whole = viewOf({ x: 0, y: 0, width: 1440, height: 960 });

  function answers(read: boolean, slip: boolean): readonly (readonly [MetroQuestion, string])[] {
    return questions.map((question) => {
      const scene = scenes.get(question.seed)!;
      const views = read ? [whole, viewOf(keyRegion(scene, question.needs))] : [whole];
      const slips = new Set<SlipId>(slip ? [question.slip] : []);
      const reading = readMap(perceive(scene, views));
      return [question, answerQuestion(reading, question.form, slips).answer];
    });
  }

  test('the key region and no slip give the right answer', () => {
    const wrong = answers(true, false).filter(([{ reference }, answer]) => answer !== reference);
    expect(wrong).toEqual([]);
  });

  test.each([
    ['the slip alone', true, true],
    ['leaving the key region unread alone', false, false],
    ['both together', false, true],
  ])('%s leads to a wrong answer', (_, read, slip) => {
    const right = answers(read, slip).filter(([{ reference }, answer]) => answer === reference);
    expect(right.map(([{ id, question }]) => `${id} ${question}`)).toEqual([]);
  });
});
