import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkInvariants } from '../../../src/core/bank/invariants.ts';
import { EMPTY_LOG, makeEntries, replay, type Step } from '../../../src/core/bank/log.ts';
import type { Lesson } from '../../../src/core/bank/node.ts';
import {
  activeLessons,
  childrenOf,
  emptyTree,
  getLesson,
  groupsFrom,
  lineageOf,
  resolve,
  unplacedLessons,
  type Tree,
} from '../../../src/core/bank/tree.ts';
import { GROUPS_SEEN, LESSONS_SEEN } from '../../../src/core/organize/group-views.ts';
import { rulesOrganizer } from '../../../src/core/organize/rules-organizer.ts';
import { LESSONS_AT_A_TIME } from '../../../src/core/organize/step/place.ts';
import { isFull, LIMIT_MS, noteCounts } from '../full-counts.ts';
import { AT, canonicalTree, evidenceOf, lessonOf, manifestOf } from '../bank/material.ts';
import { organize } from '../recall/metro-bank.ts';
import { hostileOrganizer } from './hostile-organizer.ts';
import { watched } from './watched-organizer.ts';

const TIMES = isFull ? 50 : 1;

interface Draw {
  readonly subject: number;
  readonly words: number;
  readonly held: boolean;
  /** Which of the lessons before it this one revises, where it does. */
  readonly revises: number | null;
}

const draw = fc.record({
  subject: fc.nat(5),
  words: fc.nat(40),
  held: fc.boolean(),
  revises: fc.option(fc.nat(50), { nil: null, freq: 6 }),
});
const batches = fc.array(fc.array(draw, { minLength: 1, maxLength: 16 }), {
  minLength: 1,
  maxLength: 6,
});
const capacities = fc.record({
  maxChildren: fc.integer({ min: 2, max: 12 }),
  maxDepth: fc.integer({ min: 2, max: 6 }),
});

/** A group that is to be split where parts may lie neither beside it nor under it (seed 20261202). */
const NO_ROOM_FOR_PARTS: [Draw[][], { maxChildren: number; maxDepth: number }] = [
  [drawsOf([1, 0], [0, 0]), drawsOf([0, 1], [2, 0], [3, 0], [4, 1], [0, 2])],
  { maxChildren: 4, maxDepth: 2 },
];

function drawsOf(...draws: readonly (readonly [subject: number, words: number])[]): Draw[] {
  return draws.map(([subject, words]) => ({ subject, words, held: false, revises: null }));
}

const SUBJECTS = [
  'receipt total',
  'metro stop',
  'chart axis',
  'menu price',
  'table row',
  'sign text',
];

/** Lessons of a batch; those whose words are the same say the same. */
function lessonsOf(
  batch: readonly Draw[],
  turn: number,
  before: readonly string[],
): readonly Lesson[] {
  return batch.map(({ subject, words, held, revises }, at) => {
    const about = SUBJECTS[subject] ?? '';
    const id = `l${turn}-${at}`;
    const predecessor = revises === null ? undefined : before[revises % Math.max(1, before.length)];
    return lessonOf(
      id,
      {
        title: `Read the ${about}`,
        guidance: `Look at the ${about} first. Note ${words} of ${about}.`,
        scope: `a ${about} is asked for`,
        appliesWhen: `a ${about} is asked for`,
      },
      {
        trust: held ? 'held' : 'trusted',
        revises: predecessor ?? null,
        evidence: [evidenceOf(`task-${id}`)],
      },
    );
  });
}

/**
 * What every given lesson says is in the bank with its source; and it is active, or a given revision
 * follows it (by itself, or as what another lesson says already).
 */
function expectNothingLost(tree: Tree, given: readonly Lesson[]): void {
  const known = [...tree.nodes.entries()].flatMap(([, node]) =>
    node.kind === 'lesson' ? [node] : [],
  );
  const revised = new Set(
    given.flatMap(({ revises }) => (revises === null ? [] : [revises, ...resolve(tree, revises)])),
  );
  for (const { id, contentHash, evidence } of given) {
    const there = known.filter(
      (node) =>
        node.contentHash === contentHash &&
        node.evidence.some(({ taskId }) => taskId === evidence[0]?.taskId),
    );
    expect(there, id).toHaveLength(1);
    for (const node of there) {
      const now = [node.id, ...resolve(tree, node.id)];
      const isActive = now.some((successor) => getLesson(tree, successor)?.status === 'active');
      expect(isActive || now.some((successor) => revised.has(successor)), id).toBe(true);
    }
  }
}

function expectInOrder(tree: Tree): void {
  expect(checkInvariants(tree)).toEqual([]);
  for (const { summary } of groupsFrom(tree)) {
    for (const id of summary?.supportedBy ?? []) {
      expect(getLesson(tree, id)?.trust).toBe('trusted');
    }
  }
}

test(
  'whatever an organizer does, invariants hold after each step, no lesson is lost, and capacity and depth hold',
  { timeout: LIMIT_MS },
  async (context) => {
    await fc.assert(
      fc.asyncProperty(batches, capacities, fc.nat(), async (all, over, seed) => {
        const organizer = hostileOrganizer(seed);
        let tree = emptyTree(manifestOf(over));
        const given: Lesson[] = [];
        const steps: Step[] = [];
        for (const [turn, batch] of all.entries()) {
          const lessons = lessonsOf(
            batch,
            turn,
            given.map(({ id }) => id),
          );
          const step = await organize(tree, lessons, organizer);
          expect(step.notTaken).toEqual([]);
          given.push(...lessons);
          steps.push(...step.steps);
          ({ tree } = step);
          expectInOrder(tree);
          expectNothingLost(tree, given);
          const waits = unplacedLessons(tree).length > 0;
          const isFull = step.events.some(
            (event) => event.type === 'proposal-refuse' && event.refusal.reason === 'bank-full',
          );
          expect(waits).toBe(isFull);
        }
        const replayed = replay(tree.manifest, makeEntries(EMPTY_LOG, steps, { step: 1, at: AT }));
        expect(replayed.ok && canonicalTree(replayed.value)).toBe(canonicalTree(tree));
      }),
      { seed: 20261202, numRuns: 60 * TIMES },
    );
    noteCounts(context, { banks: 60 * TIMES });
  },
);

test(
  'the rules do the same for the same batches, and are refused nothing',
  { timeout: LIMIT_MS },
  async (context) => {
    await fc.assert(
      fc.asyncProperty(batches, capacities, async (all, over) => {
        const run = async () => {
          let tree = emptyTree(manifestOf(over));
          const steps: Step[] = [];
          const refused: string[] = [];
          const given: string[] = [];
          for (const [turn, batch] of all.entries()) {
            const lessons = lessonsOf(batch, turn, given);
            given.push(...lessons.map(({ id }) => id));
            const step = await organize(tree, lessons, rulesOrganizer);
            steps.push(...step.steps);
            refused.push(
              ...step.events.flatMap((event) =>
                event.type === 'proposal-refuse' ? [event.refusal.reason] : [],
              ),
            );
            ({ tree } = step);
          }
          expectInOrder(tree);
          return { steps, tree: canonicalTree(tree), refused };
        };
        const [first, second] = [await run(), await run()];
        expect(second).toEqual(first);
        expect(first.refused.filter((reason) => reason !== 'bank-full')).toEqual([]);
      }),
      { seed: 20261202, numRuns: 40 * TIMES, examples: [NO_ROOM_FOR_PARTS] },
    );
    noteCounts(context, { banks: 40 * TIMES });
  },
);

test(
  'an organizer is shown a bounded part of the bank, and is asked a bounded number of times per lesson',
  { timeout: LIMIT_MS },
  async (context) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 60, max: 240 }), fc.nat(), async (size, seed) => {
        let tree = emptyTree(manifestOf());
        const draws = Array.from({ length: size }, (_, at) => ({
          subject: (at * 7 + seed) % 6,
          words: at,
          held: false,
          revises: null,
        }));
        ({ tree } = await organize(tree, lessonsOf(draws, 0, [])));
        const { organizer, seen } = watched(rulesOrganizer);
        const batch = lessonsOf(
          draws.slice(0, 20).map((one) => ({ ...one, words: 1000 + one.words })),
          1,
          [],
        );
        ({ tree } = await organize(tree, batch, organizer));
        expect(Math.max(...seen.map(({ groups }) => groups))).toBeLessThanOrEqual(GROUPS_SEEN);
        expect(Math.max(...seen.map(({ lessons }) => lessons))).toBeLessThanOrEqual(
          GROUPS_SEEN * LESSONS_SEEN + LESSONS_AT_A_TIME,
        );
        // At most once to place, and for each group above it to split, to merge its siblings, to consolidate.
        expect(seen.length).toBeLessThanOrEqual(batch.length * 3 * 6);
        expect(seen.filter(({ asked }) => asked === 'place').length).toBe(2);
        expect([...activeLessons(tree)]).toHaveLength(size + 20);
        for (const { id } of groupsFrom(tree)) {
          expect(childrenOf(tree, id).length).toBeLessThanOrEqual(12);
          expect(lineageOf(tree, id).length).toBeLessThanOrEqual(5);
        }
      }),
      { seed: 20261202, numRuns: 8 * TIMES },
    );
    noteCounts(context, { banks: 8 * TIMES });
  },
);
