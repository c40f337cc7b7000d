import { describe, expect, test } from 'vitest';
import { lessonContentHash } from '../../../src/core/bank/node.ts';
import type { Retrieve } from '../../../src/core/evolve/run-ports.ts';
import type { MetroQuestion } from '../../../src/core/metro/questions.ts';
import {
  SAMPLE_STORY,
  SIMULATION_EXPLANATION,
  storyQuestion,
} from '../../../src/core/metro/sample-story.ts';
import { SLIPS } from '../../../src/core/metro/solver/slips.ts';
import type { LessonDraft, RunEvent } from '../../../src/core/run.ts';
import { allQuestions, isRight, runQuestion } from './metro-bench.ts';

const build = SAMPLE_STORY.build.map(storyQuestion);
const last = storyQuestion(SAMPLE_STORY.last);

const built = await Promise.all(
  build.map((question, index) =>
    runQuestion(question, {
      runId: `build-${index}`,
      config: { feedback: 'reference', lessons: 'accept', bankId: 'bank', retrieve: false },
    }),
  ),
);

function draftOf(events: readonly RunEvent[]): LessonDraft {
  const event = events.find((candidate) => candidate.type === 'lesson-draft');
  if (event?.type !== 'lesson-draft') throw new Error('the run drafted no lesson');
  return event.draft;
}

function answerOf(events: readonly RunEvent[]): string | null {
  const end = events.at(-1);
  return end?.type === 'run-finish' ? end.answer : null;
}

const attemptsOf = (events: readonly RunEvent[]) =>
  events.filter(({ type }) => type === 'attempt-finish').length;

/** Retrieval that gives these lessons, as a text-only choice. The bank's own is tested elsewhere. */
function choosing(drafts: readonly LessonDraft[]): Retrieve {
  return async function* ({ task, bankId, retrievalId }) {
    return {
      id: retrievalId,
      bankId,
      head: 'head',
      query: task.question,
      mode: 'bm25',
      candidates: [],
      chosen: drafts.map(({ content }) => ({
        nodeId: lessonContentHash(content),
        title: content.title,
        text: [content.guidance, `Applies when: ${content.appliesWhen}`].join('\n'),
        crop: content.crop,
      })),
      reason: 'Chosen for the test.',
      inject: false,
      injectReason: '',
      textOnly: true,
      fingerprint: 'test',
    };
  };
}

const NEW_TASK = { feedback: 'none', lessons: 'none' } as const;
const withoutBank = (question: MetroQuestion) => runQuestion(question, { config: NEW_TASK });
const withBank = (question: MetroQuestion, drafts: readonly LessonDraft[]) =>
  runQuestion(question, {
    config: { ...NEW_TASK, bankId: 'bank' },
    retrieve: choosing(drafts),
  });

describe('the metro sample', () => {
  test('each build task is wrong at first, right in the end, and leaves a verified lesson to accept', () => {
    for (const [index, events] of built.entries()) {
      const question = build[index]!;
      const first = events.find((event) => event.type === 'attempt-finish');
      expect(first).toMatchObject({ ready: false });
      expect(isRight(question, answerOf(events))).toBe(true);
      const { content, source, heldFor } = draftOf(events);
      expect(heldFor).toBeNull();
      expect(source.strength).toBe('verified');
      expect(content.guidance).toContain(SLIPS[question.slip].advice);
      expect(content.crop).not.toBeNull();
    }
  });

  test('the build tasks show every slip, one of them twice, and a refused box', () => {
    expect(build.length).toBeGreaterThanOrEqual(3);
    expect(build.length).toBeLessThanOrEqual(4);
    expect(new Set(build.map(({ slip }) => slip)).size).toBe(3);
    const refused = built.filter((events) => events.some(({ type }) => type === 'proposal-reject'));
    expect(refused).toHaveLength(1);
    expect(built.every((events) => attemptsOf(events) <= 4)).toBe(true);
  });

  test('the last task is on a map of its own', () => {
    expect(build.map(({ seed }) => seed)).not.toContain(last.seed);
    expect(new Set(build.map(({ seed }) => seed)).size).toBe(build.length);
  });

  test('the last task, with no feedback, ends wrong without the bank and right with it', async () => {
    const without = await withoutBank(last);
    expect(without.at(-1)).toMatchObject({ type: 'run-finish', end: 'ready' });
    expect(isRight(last, answerOf(without))).toBe(false);

    const drafts = built.map(draftOf);
    const fitting = drafts.filter((_, index) => build[index]?.form.kind === last.form.kind);
    expect(fitting.length).toBeGreaterThan(0);
    for (const chosen of [drafts, ...fitting.map((draft) => [draft])]) {
      const events = await withBank(last, chosen);
      expect(events.at(-1)).toMatchObject({ type: 'run-finish', end: 'ready' });
      expect(isRight(last, answerOf(events))).toBe(true);
    }
  });

  test('with lessons about other slips only, the last task stays wrong', async () => {
    const other = built.map(draftOf).filter((_, index) => build[index]?.slip !== last.slip);
    expect(other.length).toBeGreaterThan(0);
    expect(isRight(last, answerOf(await withBank(last, other)))).toBe(false);
  });

  test('the page explains the simulation in exactly three sentences', () => {
    expect(SIMULATION_EXPLANATION.match(/[.!?](?=\s|$)/gu)).toHaveLength(3);
  });

  // The search takes a minute: it runs with GROVE_FULL=1.
  const search = test.skipIf(process.env['GROVE_FULL'] !== '1');
  search(
    'the last task was found among these, by search over every question',
    async () => {
      const found: string[] = [];
      const small: string[] = [];
      for (const question of allQuestions) {
        const events = await withoutBank(question);
        if (events.some(({ type }) => type === 'proposal-reject')) small.push(question.id);
        if (!isRight(question, answerOf(events)))
          found.push(`${question.id} ${question.form.kind}`);
      }
      console.log(`last tasks: ${found.join(', ')}\nrefused boxes: ${small.join(', ')}`);
      expect(found.map((line) => line.split(' ')[0])).toContain(last.id);
    },
    120_000,
  );
});
