/** The rules organizer: how well it groups what it knows nothing of, and what a step costs at size. */
import type { Lesson } from '../../src/core/bank/node.ts';
import { emptyTree } from '../../src/core/bank/tree.ts';
import { seededRandom } from '../../src/core/metro/random.ts';
import { placeLessons } from '../../src/core/organize/step/place.ts';
import { MaintenanceStep } from '../../src/core/organize/step/maintenance-step.ts';
import { enter } from '../../src/core/organize/step/enter.ts';
import { rulesOrganizer } from '../../src/core/organize/rules-organizer.ts';
import { allQuestions } from '../core/metro/metro-bench.ts';
import { lessonOf, manifestOf } from '../core/bank/material.ts';
import { grouping, labelledLessons, mean, SEEDS, varied } from '../core/organize/metro-grouping.ts';
import { NO_CALLER, organize } from '../core/recall/metro-bank.ts';

interface Measure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

const BATCH = 50;
const SUBJECTS = 200;

/**
 * Measures the adjusted Rand index of the groups of metro lessons against the kinds of question, mean
 * of five seeds (`grouping` says which groups), and a batch of 50 into a large bank. `full` takes the
 * lessons of all 400 questions and a bank of 10,000 lessons.
 */
export async function run(full: boolean): Promise<readonly Measure[]> {
  return [...(await agreement(full)), ...(await atSize(full ? 10_000 : 2000))];
}

async function agreement(full: boolean): Promise<readonly Measure[]> {
  const questions = allQuestions.filter((_, at) => full || (at * 67) % 4 === 0);
  const labelled = await labelledLessons(questions);
  const own = [];
  const worded = [];
  for (const seed of SEEDS) {
    own.push(await grouping(labelled, seed));
    worded.push(await grouping(varied(labelled, { percent: 30, seed }), seed));
  }
  const of = `${labelled.length} metro lessons`;
  const subjects = own.map((one) => one.subjects);
  return [
    {
      name: `subjects of ${of} (mean of 5 seeds, at least 0.6)`,
      value: mean(subjects),
      unit: 'ARI',
    },
    { name: `subjects of ${of} (worst of 5 seeds)`, value: Math.min(...subjects), unit: 'ARI' },
    {
      name: `subjects, 30% of words dropped (mean of 5 seeds)`,
      value: mean(worded.map((one) => one.subjects)),
      unit: 'ARI',
    },
    {
      name: 'groups that lessons hang from (mean; 12 a group at most)',
      value: mean(own.map(({ leaves }) => leaves)),
      unit: 'ARI',
    },
  ];
}

async function atSize(size: number): Promise<readonly Measure[]> {
  const draw = lessonSource();
  let tree = emptyTree(manifestOf());
  while (tree.index.activeLessons < size) {
    ({ tree } = await organize(tree, Array.from({ length: BATCH }, draw)));
  }
  const placed: number[] = [];
  const whole: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const batch = Array.from({ length: BATCH }, draw);
    let made = 0;
    const nextId = () => `bench-${round}-${(made += 1)}`;
    let began = performance.now();
    const work = new MaintenanceStep(tree, rulesOrganizer, nextId);
    for (const event of enter(work, batch)) void event;
    const placing = placeLessons(work, { caller: NO_CALLER, signal: undefined });
    for await (const event of placing) void event;
    placed.push(performance.now() - began);
    began = performance.now();
    ({ tree } = await organize(tree, batch));
    whole.push(performance.now() - began);
  }
  const of = `${BATCH} lessons into ${size.toLocaleString('en')}`;
  return [
    { name: `take in and place ${of} (median of 5)`, value: median(placed), unit: 'ms' },
    { name: `whole step, ${of} (median of 5)`, value: median(whole), unit: 'ms' },
  ];
}

/** Lessons about one of many subjects each: two words in three are its own, the others anybody's. */
function lessonSource(): () => Lesson {
  const random = seededRandom(7);
  const spell = (number: number) =>
    [...String(number)].map((digit) => 'bcdfghjklm'[Number(digit)]).join('');
  const words = (subject: number, count: number) =>
    Array.from({ length: count }, () =>
      spell(
        random.below(3) === 0
          ? 7_000_000 + random.below(400)
          : 9_000_000 + subject * 100 + random.below(25),
      ),
    ).join(' ');
  let number = 0;
  return () => {
    const subject = random.below(SUBJECTS);
    number += 1;
    return lessonOf(`l${String(number).padStart(6, '0')}`, {
      title: words(subject, 8),
      guidance: `${words(subject, 12)}. ${words(subject, 14)}.`,
      scope: words(subject, 8),
      topic: words(subject, 4),
      appliesWhen: words(subject, 8),
      anchor: words(subject, 12),
    });
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((first, second) => first - second)[values.length >> 1] ?? 0;
}
