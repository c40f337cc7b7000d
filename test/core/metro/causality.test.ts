import { describe, expect, test } from 'vitest';
import { NO_MEMORY_INPUT, type MemoryInput } from '../../../src/core/memory.ts';
import type { MetroQuestion } from '../../../src/core/metro/questions.ts';
import type { Scene } from '../../../src/core/metro/scene.ts';
import {
  allQuestions,
  attemptWith,
  isRight,
  lastInput,
  runQuestion,
  simulatedOn,
} from './metro-bench.ts';

/** Sixty questions, spread over all maps, kinds and places by a stride; `GROVE_FULL=1` takes all. */
const chosen =
  process.env['GROVE_FULL'] === '1'
    ? allQuestions
    : Array.from({ length: 60 }, (_, index) => (index * 67) % allQuestions.length).flatMap(
        (index) => allQuestions[index] ?? [],
      );

const UNRELATED =
  'From earlier attempts at this question:\nRead every table from its heading down, and round money to whole cents.';

interface Row {
  readonly question: MetroQuestion;
  readonly own: MemoryInput;
}

const rows: readonly Row[] = await Promise.all(
  chosen.map(async (question) => {
    const events = await runQuestion(question, { config: { feedback: 'reference' } });
    return { question, own: lastInput(events) };
  }),
);

/** The own crop of the next question that is of another map. */
function foreignCrops({ question }: Row): MemoryInput['crops'] {
  const at = rows.findIndex((row) => row.question === question);
  for (let step = 1; step < rows.length; step += 1) {
    const other = rows[(at + step) % rows.length];
    if (
      other !== undefined &&
      other.question.seed !== question.seed &&
      other.own.crops.length > 0
    ) {
      return other.own.crops;
    }
  }
  throw new Error('no other map has a crop');
}

async function score(give: (row: Row) => MemoryInput, of: readonly Row[] = rows): Promise<number> {
  const right = await Promise.all(
    of.map(async (row) => isRight(row.question, await attemptWith(row.question, give(row)))),
  );
  return right.filter(Boolean).length / of.length;
}

const CONDITIONS: Readonly<Record<string, (row: Row) => MemoryInput>> = {
  'no memory': () => NO_MEMORY_INPUT,
  'own text and crop': ({ own }) => own,
  'own text, no crop': ({ own }) => ({ ...own, crops: [] }),
  'own text, crop of another task': (row) => ({ ...row.own, crops: foreignCrops(row) }),
  'own crop, no text': ({ own }) => ({ ...own, text: '' }),
  'own crop, unrelated text': ({ own }) => ({ ...own, text: UNRELATED }),
};

describe(`on ${rows.length} metro questions`, () => {
  test(
    'text and crop both matter: without either the gain is gone',
    { timeout: 60_000 },
    async () => {
      const kinds = [...new Set(rows.map(({ question }) => question.form.kind))];
      const table: Record<string, Record<string, string>> = {};
      const accuracy: Record<string, number> = {};
      for (const [name, give] of Object.entries(CONDITIONS)) {
        accuracy[name] = await score(give);
        table[name] = { all: percent(accuracy[name]) };
        for (const kind of kinds) {
          const of = rows.filter(({ question }) => question.form.kind === kind);
          table[name][`${kind} (${of.length})`] = percent(await score(give, of));
        }
      }
      console.log(`Accuracy of one attempt, in percent, by what memory gives\n${tableText(table)}`);
      const of = (name: string) => accuracy[name] ?? NaN;
      expect(of('no memory')).toBeLessThanOrEqual(0.15);
      expect(of('own text and crop')).toBeGreaterThanOrEqual(0.95);
      for (const name of Object.keys(CONDITIONS)) {
        if (name === 'no memory' || name === 'own text and crop') continue;
        expect.soft(of(name) - of('no memory'), name).toBeLessThanOrEqual(0.1);
      }
    },
  );

  test('the loop ends with text and a crop for nearly every question, and the crop is not scaled down', () => {
    const both = rows.filter(({ own }) => own.crops.length > 0 && own.text !== '');
    expect(both.length / rows.length).toBeGreaterThanOrEqual(0.95);
    const sides = both.flatMap(({ own }) =>
      own.crops.flatMap(({ crop }) => [crop.width, crop.height]),
    );
    expect(Math.max(...sides)).toBeLessThanOrEqual(512);
  });

  test('what is too small to read in the views given cannot change an answer', async () => {
    const changed = simulatedOn(withOtherSmallThings);
    for (const { question } of rows.slice(0, 20)) {
      expect(await attemptWith(question, NO_MEMORY_INPUT, changed)).toBe(
        await attemptWith(question, NO_MEMORY_INPUT),
      );
    }
  });
});

/** The same map with other legend names, other notes, arrows turned round, and tracks laid the other way. */
function withOtherSmallThings(scene: Scene): Scene {
  const names = scene.elements.flatMap((element) =>
    element.type === 'legend-row' ? [element.text] : [],
  );
  return {
    ...scene,
    elements: scene.elements.map((element) => {
      switch (element.type) {
        case 'legend-row':
          return {
            ...element,
            text: names[(names.indexOf(element.text) + 1) % names.length] ?? '',
          };
        case 'small-print':
          return { ...element, text: 'No changing of lines at Nowhere.' };
        case 'arrow':
        case 'track':
          return { ...element, from: element.to, to: element.from };
        default:
          return element;
      }
    }),
  };
}

function percent(share: number): string {
  return (100 * share).toFixed(0);
}

function tableText(table: Readonly<Record<string, Readonly<Record<string, string>>>>): string {
  const columns = Object.keys(Object.values(table)[0] ?? {});
  const lines = Object.entries(table).map(([name, row]) =>
    [name.padEnd(32), ...columns.map((column) => (row[column] ?? '').padStart(column.length))].join(
      '  ',
    ),
  );
  return [[''.padEnd(32), ...columns].join('  '), ...lines].join('\n');
}
