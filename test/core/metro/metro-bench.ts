import { describedCropper, MemoryJournal, steppingClock } from '../evolve/scripted-run.ts';
import { runTask } from '../../../src/core/evolve/evolve.ts';
import { rulesController } from '../../../src/core/evolve/rules-controller.ts';
import type { Retrieve } from '../../../src/core/evolve/run-ports.ts';
import { makeCaller } from '../../../src/core/harness/caller.ts';
import { HARNESSES } from '../../../src/core/harness/harnesses.ts';
import type { MemoryInput } from '../../../src/core/memory.ts';
import { generateMap } from '../../../src/core/metro/generate-map.ts';
import { layOut } from '../../../src/core/metro/lay-out.ts';
import { METRO_SEEDS, metroReference, metroTask } from '../../../src/core/metro/metro-tasks.ts';
import { questionsOf, type MetroQuestion } from '../../../src/core/metro/questions.ts';
import type { Scene } from '../../../src/core/metro/scene.ts';
import {
  INSTANT,
  makeSimulatedBackbone,
  simulatedReply,
} from '../../../src/core/metro/simulated-backbone.ts';
import type { Backbone } from '../../../src/core/ports.ts';
import { DEFAULT_RUN_CONFIG, type RunConfig, type RunEvent } from '../../../src/core/run.ts';

const maps = METRO_SEEDS.map(generateMap);

/** The scenes of all maps, by seed. */
const scenes = new Map<number, Scene>(maps.map((map) => [map.seed, layOut(map)]));

/** All 400 questions, in order of their maps. */
export const allQuestions: readonly MetroQuestion[] = maps.flatMap(questionsOf);

const sceneByHash = new Map<string, Scene>(
  allQuestions.flatMap((question) => {
    const scene = scenes.get(question.seed);
    const hash = metroTask(question).images[0]?.hash;
    return scene === undefined || hash === undefined ? [] : [[hash, scene] as const];
  }),
);

export const simulated: Backbone = makeSimulatedBackbone({
  reply: async (request) => simulatedReply(request, (hash) => sceneByHash.get(hash)),
  pace: INSTANT,
});

/** A simulated solver that is shown the maps as `change` makes them. */
export function simulatedOn(change: (scene: Scene) => Scene): Backbone {
  const pictures = (hash: string) => {
    const scene = sceneByHash.get(hash);
    return scene === undefined ? undefined : change(scene);
  };
  return makeSimulatedBackbone({
    reply: async (request) => simulatedReply(request, pictures),
    pace: INSTANT,
  });
}

export function isRight(question: MetroQuestion, answer: string | null): boolean {
  const fold = (text: string) => text.trim().toLowerCase();
  const { answers } = metroReference(question);
  return answer !== null && answers.some((reference) => fold(reference) === fold(answer));
}

/** The whole question loop on one question, with the real harness, controller and simulator. */
export async function runQuestion(
  question: MetroQuestion,
  options: {
    readonly config: Partial<RunConfig>;
    readonly retrieve?: Retrieve;
    readonly runId?: string;
  },
): Promise<readonly RunEvent[]> {
  const { config, retrieve = null, runId = 'run-1' } = options;
  const events: RunEvent[] = [];
  const run = runTask({
    runId,
    task: metroTask(question),
    config: { ...DEFAULT_RUN_CONFIG, ...config },
    ports: {
      journal: new MemoryJournal(),
      backbone: () => simulated,
      harness: HARNESSES.team,
      controller: rulesController,
      retrieve,
      grader: {
        type: 'reference',
        grade: async (_, answer) => (isRight(question, answer) ? 'right' : 'wrong'),
      },
      cropper: describedCropper,
      clock: steppingClock(0, 0),
    },
    userFeedback: [],
    signal: new AbortController().signal,
  });
  for await (const event of run) events.push(event);
  return events;
}

/** One attempt of the team with a given memory; its answer. */
export async function attemptWith(
  question: MetroQuestion,
  memory: MemoryInput,
  backbone: Backbone = simulated,
): Promise<string> {
  const caller = makeCaller({
    journal: new MemoryJournal(),
    backbone: () => backbone,
    clock: steppingClock(0, 0),
    runId: 'run-1',
    attempt: 1,
    signal: new AbortController().signal,
    localOnly: false,
  });
  const solving = HARNESSES.team.solve(
    {
      task: metroTask(question),
      memory,
      attempt: 1,
      sessionId: 's',
      config: DEFAULT_RUN_CONFIG,
    },
    caller,
  );
  for (;;) {
    const next = await solving.next();
    if (next.done === true) return next.value.answer;
  }
}

/** What memory gave to the last attempt of a run. */
export function lastInput(events: readonly RunEvent[]): MemoryInput {
  const start = events.findLast((event) => event.type === 'attempt-start');
  if (start?.type !== 'attempt-start') throw new Error('the run made no attempt');
  return start.input;
}
