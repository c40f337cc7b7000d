import { describe, expect, test } from 'vitest';
import {
  boxConventionOf,
  boxFromFractions,
  boxToFractions,
  sentSize,
  type BoxConvention,
} from '../../../src/core/evolve/model/box-convention.ts';
import { makeModelController } from '../../../src/core/evolve/model-controller.ts';
import { EMPTY_MEMORY, type Crop } from '../../../src/core/memory.ts';
import { DEFAULT_RUN_CONFIG, NO_FEEDBACK, type RunEvent } from '../../../src/core/run.ts';
import { ATIF_VERSION } from '../../../src/core/trajectory.ts';
import { readSection } from '../../../src/core/harness/sections.ts';
import {
  MALFORMED_LEAST,
  malformedFrom,
  partsOf,
  scriptedCaller,
  tokensOf,
  valueOf,
} from '../harness/scripted-caller.ts';
import {
  durableEvents,
  ScriptedBackbone,
  stopsReply,
  stopsRun,
  stopsTask,
} from './scripted-run.ts';

const OPTIONS = {
  label: 'Test',
  images: true,
  boxes: 'thousandths',
  longestSidePx: 500,
  temperature: 0,
  fallback: true,
} as const;
const controller = makeModelController(OPTIONS);

const UPDATE = {
  guidance: 'Count from the stop after the first.',
  use_visual: true,
  image: 0,
  box: [100, 200, 600, 900],
  applies_when: 'stops are counted',
  cautions: [],
};

const INPUT = {
  memory: EMPTY_MEMORY,
  task: stopsTask,
  answer: '8',
  trajectory: {
    schema_version: ATIF_VERSION,
    session_id: 's',
    agent: { name: 'a', version: '1' },
    steps: [],
  },
  feedback: NO_FEEDBACK,
  config: DEFAULT_RUN_CONFIG,
  rejected: [],
};

/** A run whose controller is the model; `update` replies to its n-th request for an update. */
function modelRun(update: (times: number) => string, lesson?: string) {
  let times = 0;
  const backbone = new ScriptedBackbone((request) => {
    if (request.prompt.startsWith('controller-update')) return update(times++);
    if (!request.prompt.startsWith('controller-distil')) return stopsReply(request);
    if (lesson !== undefined) return lesson;
    return JSON.stringify({
      ...{
        title: 'Counting stops',
        guidance: 'Leave the first one out.',
        applies_when: 'counting',
      },
      ...{ cautions: [], topic: 'stops of a line', scope: 'transit maps' },
    });
  });
  const config = { ...DEFAULT_RUN_CONFIG, controller: 'model', bankId: 'b', retrieve: false };
  const options = stopsRun({ ports: { controller, backbone: () => backbone }, config });
  return { options, backbone };
}

const ofType = <Type extends RunEvent['type']>(events: readonly RunEvent[], type: Type) =>
  events.filter((event): event is Extract<RunEvent, { type: Type }> => event.type === type);

test('a model’s update, in its own boxes, becomes W, and its lesson is drafted', async () => {
  const { options } = modelRun(() => JSON.stringify(UPDATE));
  const events = await durableEvents(options);
  const [update] = ofType(events, 'memory-update');
  expect(update?.after).toMatchObject({
    guidance: UPDATE.guidance,
    visual: { box: [0.1, 0.2, 0.6, 0.9] },
    inject: true,
  });
  const [lesson] = ofType(events, 'lesson-draft');
  expect(lesson?.draft.content).toMatchObject({
    title: 'Counting stops',
    topic: 'stops of a line',
  });
  expect(lesson?.reason).toBeUndefined();
});

test('a refused proposal is told to the model; refused twice, the rules stand in and say so', async () => {
  const small = JSON.stringify({ ...UPDATE, box: [100, 200, 105, 205] });
  const mended = modelRun((times) => (times === 0 ? small : JSON.stringify(UPDATE)));
  const events = await durableEvents(mended.options);
  expect(ofType(events, 'proposal-reject').map(({ reason }) => reason)).toEqual(['box-too-small']);
  expect(ofType(events, 'memory-update')[0]?.after.guidance).toBe(UPDATE.guidance);
  const second = mended.backbone.requests.filter(({ prompt }) =>
    prompt.startsWith('controller-update'),
  )[1];
  expect(second && readSection(second, 'feedback')).toContain('Your last proposal was refused');

  const never = await durableEvents(modelRun(() => 'I would rather not.').options);
  const rejects = ofType(never, 'proposal-reject').filter(({ attempt }) => attempt === 1);
  // The rules have their own two tries: what the critic pointed at is too small at first.
  expect(rejects.map(({ reason }) => reason)).toEqual(['not-json', 'not-json', 'box-too-small']);
  expect(ofType(never, 'memory-update')[0]?.reason).toContain('so the rules stood in');
});

test('a replay makes no call anew and tells the same', async () => {
  const { options, backbone } = modelRun(() => JSON.stringify(UPDATE));
  const first = await durableEvents(options);
  const calls = backbone.requests.length;
  expect(await durableEvents(options)).toEqual(first);
  expect(backbone.requests).toHaveLength(calls);
});

const LESSON = {
  ...{ title: 'Counting', guidance: 'Leave the first out.', applies_when: '', cautions: [] },
  ...{ topic: 'stops', scope: '' },
};

test('no malformed reply becomes W but by the rules, which say so', async () => {
  const boxes = [[0, 0, 1001, 500], [-1, 0, 500, 500], [600, 0, 500, 500], [0, 0, 500], null];
  const others = [...boxes.map((box) => ({ ...UPDATE, box })), { ...UPDATE, image: 7 }];
  const replies = [
    ...malformedFrom(UPDATE, ['applies_when', 'cautions']),
    ...others.map((other) => JSON.stringify(other)),
  ];
  expect(replies.length).toBeGreaterThanOrEqual(MALFORMED_LEAST);
  for (const reply of replies) {
    const events = await durableEvents(modelRun(() => reply, reply).options);
    for (const { reason } of ofType(events, 'lesson-draft'))
      expect(reason, reply).toContain('rules');
    for (const { reason } of ofType(events, 'memory-update')) {
      expect(reason, reply).toContain('rules');
    }
  }
});

test('no malformed reply becomes a lesson or a gate but by the rules, which say so', async () => {
  const lessons = malformedFrom(LESSON);
  const gates = malformedFrom({ inject: true, reason: 'It shows how.' });
  expect(Math.min(lessons.length, gates.length)).toBeGreaterThanOrEqual(MALFORMED_LEAST);
  const memory = { ...EMPTY_MEMORY, guidance: 'Go.' };
  for (const reply of lessons) {
    const { caller } = scriptedCaller([reply]);
    const distilled = await valueOf(
      controller.distil({ task: stopsTask, memory, crop: null }, caller),
    );
    expect(distilled.reason, reply).toContain('so the rules wrote it');
  }
  for (const reply of gates) {
    const { caller } = scriptedCaller([reply]);
    const gated = await valueOf(controller.gate(gateInput(), caller));
    expect(gated.reason, reply).toContain('so the rules decided');
  }
});

function gateInput() {
  const [image] = stopsTask.images;
  const crop: Crop = {
    ...{ hash: 'c', mediaType: 'image/png', width: 9, height: 9, sourceHash: image?.hash ?? '' },
    ...{ sourceWidth: 1000, sourceHeight: 500, box: [0, 0, 0.5, 0.5] },
  };
  const chosen = [{ nodeId: 'n', title: 'Legend', text: 'Read it.', crop }];
  return { task: stopsTask, chosen, config: DEFAULT_RUN_CONFIG };
}

test('the gate is the model’s, with two images at most; without a crop it is not asked', async () => {
  const { caller, asked } = scriptedCaller(['{"inject": true, "reason": "A legend."}']);
  expect(await valueOf(controller.gate(gateInput(), caller))).toEqual({
    inject: true,
    reason: 'A legend.',
  });
  const none = { ...gateInput(), chosen: [] };
  expect((await valueOf(controller.gate(none, caller))).inject).toBe(false);
  expect(asked).toHaveLength(1);
  expect(asked.flatMap(partsOf).filter(({ type }) => type === 'image')).toHaveLength(2);
});

test('a prompt stays within 1,500 tokens of text and two images, however much there is', async () => {
  const long = 'word '.repeat(3000);
  const [image] = stopsTask.images;
  if (image === undefined) throw new Error('the task has an image');
  const images = [image, ...['b', 'c', 'd'].map((hash) => ({ ...image, hash }))];
  const task = { ...stopsTask, question: long, publicInformation: long, images };
  const memory = { ...EMPTY_MEMORY, guidance: long, cautions: [long, long] };
  const steps = Array.from({ length: 40 }, (_, at) => ({
    ...{ step_id: at + 1, source: 'agent' as const, message: long },
  }));
  const feedback = {
    ...NO_FEEDBACK,
    type: 'user' as const,
    verdict: 'wrong' as const,
    reason: long,
  };
  const { caller, asked } = scriptedCaller(['{}']);
  const trajectory = { ...INPUT.trajectory, steps };
  const input = { ...INPUT, task, memory, answer: long, trajectory, feedback };
  await valueOf(controller.update(input, caller, [{ message: long }]));
  await valueOf(
    makeModelController({ ...OPTIONS, fallback: false }).distil(
      { task, memory, crop: null },
      caller,
    ),
  );
  const chosen = Array.from({ length: 8 }, () => ({
    nodeId: 'n',
    title: 'T',
    text: long,
    crop: gateInput().chosen[0]?.crop ?? null,
  }));
  await valueOf(
    makeModelController({ ...OPTIONS, fallback: false }).gate(
      { ...gateInput(), task, chosen },
      caller,
    ),
  );
  expect(asked).toHaveLength(3);
  for (const request of asked) {
    expect(tokensOf(request), request.prompt).toBeLessThanOrEqual(1500);
    expect(partsOf(request).filter(({ type }) => type === 'image').length).toBeLessThanOrEqual(2);
  }
});

describe('boxes', () => {
  test('go there and back in every convention, on tall, wide and shrunk images', () => {
    const all: readonly BoxConvention[] = ['fraction', 'thousandths', 'pixels', 'yx-thousandths'];
    for (const size of [
      { width: 4000, height: 300 },
      { width: 300, height: 4000 },
      { width: 7, height: 7 },
    ]) {
      const sent = sentSize(size, 1000);
      expect(Math.max(sent.width, sent.height)).toBeLessThanOrEqual(1000);
      for (const convention of all) {
        const box = [0.125, 0.25, 0.5, 1] as const;
        const back = boxToFractions(boxFromFractions([...box], convention, sent), convention, sent);
        const step = [1 / sent.width, 1 / sent.height].map((side) => Math.max(side, 0.001));
        for (const [at, value] of back.entries()) {
          expect(Math.abs(value - (box[at] ?? 0))).toBeLessThanOrEqual(
            (step[at % 2] ?? 0) / 2 + 1e-9,
          );
        }
      }
    }
  });

  test('are those of the model’s family', () => {
    expect(boxToFractions([200, 100, 900, 600], 'yx-thousandths', { width: 1, height: 1 })).toEqual(
      [0.1, 0.2, 0.6, 0.9],
    );
    expect(boxToFractions([50, 50, 100, 200], 'pixels', { width: 500, height: 250 })).toEqual([
      0.1, 0.2, 0.2, 0.8,
    ]);
    expect(
      ['Qwen/Qwen3.5-2B', 'qwen2.5-vl:7b', 'google/gemma-4-e2b', 'gpt-x'].map(boxConventionOf),
    ).toEqual(['thousandths', 'pixels', 'yx-thousandths', 'fraction']);
  });
});
