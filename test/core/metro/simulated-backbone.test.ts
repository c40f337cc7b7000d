import { describe, expect, test } from 'vitest';
import type { ImagePart, ModelChunk, ModelRequest } from '../../../src/core/call.ts';
import { parseAnswer } from '../../../src/core/harness/answer.ts';
import { parseCriticReply } from '../../../src/core/harness/critic-reply.ts';
import { section } from '../../../src/core/harness/sections.ts';
import { questionText, type QuestionForm } from '../../../src/core/metro/question-form.ts';
import {
  countUsage,
  INSTANT,
  makeSimulatedBackbone,
  simulatedReply,
  type Pace,
} from '../../../src/core/metro/simulated-backbone.ts';
import { SLIPS } from '../../../src/core/metro/solver/slips.ts';
import { PANEL, smallScene } from './small-scene.ts';

const stops: QuestionForm = { kind: 'stops-between', line: 'Harbour', from: 'Ash', to: 'Elm' };
const { width, height } = smallScene.size;
const map: ImagePart = { type: 'image', hash: 'map', mediaType: 'image/png', width, height };
const box = [
  PANEL.x / width,
  PANEL.y / height,
  (PANEL.x + PANEL.width) / width,
  (PANEL.y + PANEL.height) / height,
] as const;
const legendCrop: ImagePart = {
  type: 'image',
  hash: 'crop',
  mediaType: 'image/png',
  width: PANEL.width,
  height: PANEL.height,
  source: { hash: 'map', box },
};

const backbone = (pace: Pace = INSTANT) =>
  makeSimulatedBackbone({
    reply: async (request) =>
      simulatedReply(request, (hash) => (hash === 'map' ? smallScene : undefined)),
    pace,
  });

function request(
  prompt: string,
  given: {
    memory?: string;
    crops?: ImagePart[];
    answer?: string;
    question?: string;
    image?: ImagePart;
  } = {},
): ModelRequest {
  const { memory, crops = [], answer, question = questionText(stops), image = map } = given;
  const parts = [
    image,
    section('question', question),
    ...(memory === undefined ? [] : [section('memory', memory), ...crops]),
    ...(answer === undefined ? [] : [section('answer', answer)]),
  ];
  const messages = [{ role: 'user' as const, parts }];
  return { prompt: `${prompt}@1`, messages, maxOutputTokens: 1000, temperature: 0, sample: 0 };
}

async function chunksOf(of: ModelRequest, pace?: Pace, signal = new AbortController().signal) {
  const chunks: ModelChunk[] = [];
  for await (const chunk of backbone(pace).generate(of, signal)) chunks.push(chunk);
  return chunks;
}

async function replyTo(of: ModelRequest): Promise<string> {
  const last = (await chunksOf(of)).at(-1);
  if (last?.type !== 'finish') throw new Error('no finish');
  return last.response.text;
}

describe('the simulated backbone', () => {
  test('streams its reply in pieces that add up, and gives the same each time', async () => {
    const chunks = await chunksOf(request('team-solver'));
    const streamed = chunks.flatMap((chunk) => (chunk.type === 'text-delta' ? [chunk.text] : []));
    expect(streamed.length).toBeGreaterThan(5);
    expect(streamed.join('')).toBe(await replyTo(request('team-solver')));
    expect(chunks.filter(({ type }) => type === 'finish')).toHaveLength(1);
  });

  test('is right only with both the legend’s crop and the advice', async () => {
    const answer = async (memory: string, crops: ImagePart[]) =>
      parseAnswer(await replyTo(request('team-solver', { memory, crops }))).text;
    const { advice } = SLIPS['counts-origin'];
    expect(await answer(advice, [legendCrop])).toBe('3');
    expect(await answer('Think of the sea.', [legendCrop])).toBe('4');
    expect(await answer(advice, [{ ...legendCrop, source: { hash: 'other', box } }])).toBe('2');
  });

  test('calls a guess uncertain in the direct prompt', async () => {
    const blind = parseAnswer(await replyTo(request('direct-solver')));
    expect(blind.uncertain).toContain('too small to read');
    const read = request('direct-solver', { memory: '', crops: [legendCrop] });
    expect(parseAnswer(await replyTo(read)).uncertain).toBeNull();
  });

  test('as critic it points at the unread legend first, then names the slip, then is satisfied', async () => {
    const criticise = async (given: Parameters<typeof request>[1]) => {
      const reply = parseCriticReply(await replyTo(request('team-critic', given)));
      if (!reply.ok) throw new Error(reply.refusal.message);
      return reply.value;
    };
    const first = await criticise({ answer: '3' });
    expect(first).toMatchObject({ ready: false, findings: [{ image: 0 }] });
    const [x0 = 1, y0 = 1, x1 = 0, y1 = 0] = first.findings[0]?.box ?? [];
    expect(x0 <= box[0] && y0 <= box[1] && x1 >= box[2] && y1 >= box[3]).toBe(true);
    const second = await criticise({ memory: '', crops: [legendCrop], answer: '4' });
    expect(second.findings).toMatchObject([{ advice: SLIPS['counts-origin'].advice }]);
    const third = await criticise({ memory: '', crops: [legendCrop], answer: '3' });
    expect(third).toMatchObject({ ready: true, findings: [] });
    expect(JSON.stringify([first, second])).not.toMatch(/Harbour|Cedar|Birch/u);
  });

  test.each([
    ['another picture', { image: { ...map, hash: 'cat' } }],
    ['another question', { question: 'What is the cat doing?' }],
  ])('refuses %s, and says what to do', async (_, given) => {
    await expect(replyTo(request('team-solver', given))).rejects.toMatchObject({
      code: 'model-failed',
      message: expect.stringContaining('only knows the metro maps of the sample'),
      hint: 'Set an endpoint in Settings, or try the metro sample.',
    });
  });

  test('stops at once when it is aborted, also in the middle of a delay', async () => {
    const controller = new AbortController();
    let delays = 0;
    const pace: Pace = {
      tokensPerSecond: 10,
      delay: async (_, signal) => {
        delays += 1;
        if (delays === 3) controller.abort();
        signal.throwIfAborted();
      },
    };
    const run = chunksOf(request('team-solver'), pace, controller.signal);
    await expect(run).rejects.toMatchObject({ name: 'ModelCallError', code: 'aborted' });
    expect(delays).toBe(3);
  });

  test('waits in proportion to what it writes', async () => {
    let waitedMs = 0;
    const pace: Pace = { tokensPerSecond: 50, delay: async (ms) => void (waitedMs += ms) };
    await chunksOf(request('team-solver'), pace);
    const tokens = (await replyTo(request('team-solver'))).length / 4;
    expect(waitedMs).toBeCloseTo((tokens / 50) * 1000, 3);
  });

  test('counts four characters a token, and images by their area as shown', () => {
    const images = [map, legendCrop];
    const of = { ...request('team-solver'), messages: [{ role: 'user' as const, parts: images }] };
    const mapTokens = Math.ceil((512 * (512 * (height / width))) / 750);
    expect(countUsage(of, 'twelve chars')).toEqual({
      promptTokens: mapTokens + Math.ceil((400 * 200) / 750),
      completionTokens: 3,
      images: 2,
      estimated: true,
    });
  });
});
