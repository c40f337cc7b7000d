import { describe, expect, onTestFinished, test } from 'vitest';
import type {
  EngineMessage,
  EnginePart,
  Generated,
  GenerateRequest,
  LoadedModel,
  LoadOptions,
} from '../../../src/core/models/engine.ts';
import { modelEntrySchema } from '../../../src/core/models/model-entry.ts';
import { promptApiEngine } from '../../../src/engine/prompt-api/prompt-api-engine.ts';
import { browserModel } from '../../../src/engine/prompt-api/prompt-api-entry.ts';
import { engineContract } from './engine-contract.ts';
import { installPromptApi, removePromptApi, withPromptApi } from './prompt-api-double.ts';

const SIGNAL = new AbortController().signal;
const BYTES = new Uint8Array([1, 2, 3]);

/** Loads what the double gives. */
async function load(options: Partial<LoadOptions> = {}): Promise<LoadedModel> {
  const found = await browserModel();
  if (found === null) throw new Error('the double is not there');
  return promptApiEngine().load(found.entry, { device: 'browser', ...options });
}

async function loaded(options: Partial<LoadOptions> = {}): Promise<LoadedModel> {
  const model = await load(options);
  onTestFinished(() => model.unload());
  return model;
}

const said = (role: EngineMessage['role'], ...parts: (string | EnginePart)[]): EngineMessage => ({
  role,
  parts: parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
});

async function replyOf(
  model: LoadedModel,
  messages: readonly EngineMessage[],
  over: Partial<GenerateRequest> = {},
): Promise<Generated> {
  const request = { messages, schema: null, maxNewTokens: 8, temperature: 0, ...over };
  for await (const event of model.generate(request, SIGNAL)) {
    if (event.type === 'finish') return event.generated;
  }
  throw new Error('it did not finish');
}

engineContract('the Prompt API over a double of it', {
  load: async () => {
    installPromptApi();
    return load();
  },
  tooLong: 'x '.repeat(3000),
  longReply: 500,
});

describe('the browser’s own model', () => {
  test('is none where the browser has none, or cannot run it', async () => {
    removePromptApi();
    expect(await browserModel()).toBeNull();
    withPromptApi({ availability: 'unavailable' });
    expect(await browserModel()).toBeNull();
  });

  test('is an entry without files, with eyes where it has some', async () => {
    withPromptApi({ availability: 'downloadable' });
    const blind = await browserModel();
    expect(blind).toMatchObject({
      availability: 'downloadable',
      entry: { roles: ['text'], files: [], language: { images: null } },
    });
    withPromptApi({ sees: true });
    const seeing = await browserModel();
    expect(seeing).toMatchObject({
      availability: 'available',
      entry: { roles: ['text', 'vision'] },
    });
    for (const found of [blind, seeing]) {
      expect(modelEntrySchema.parse(found?.entry)).toEqual(found?.entry);
      const { promptBudget = 0, images = null } = found?.entry.language ?? {};
      expect(promptBudget).toBeGreaterThanOrEqual(1500 + 2 * (images?.tokensEach ?? 0));
    }
  });

  test('tells how much of it is downloaded while it loads', async () => {
    withPromptApi({ availability: 'downloadable', progress: [0, 0.25, 1] });
    const told: number[] = [];
    await loaded({ onDownload: (fraction) => told.push(fraction) });
    expect(told).toEqual([0, 0.25, 1]);
  });

  test('that wants a click, a network or room is told as such, and loads later', async () => {
    const state = withPromptApi();
    for (const [name, code, says] of [
      ['NotAllowedError', 'missing-file', /only after a click/u],
      ['NetworkError', 'missing-file', /could not download/u],
      ['OperationError', 'not-loadable', /no room/u],
    ] as const) {
      state.failsToCreate = new DOMException('no room', name);
      await expect(load()).rejects.toMatchObject({
        name: 'EngineError',
        code,
        message: expect.stringMatching(says),
      });
    }
    expect(await replyOf(await loaded(), [said('user', 'Go')])).toMatchObject({ text: /^and/u });
  });

  test('a load that is stopped fails with the signal’s reason', async () => {
    withPromptApi();
    const found = await browserModel();
    const stop = new AbortController();
    const reason = new Error('enough');
    if (found === null) throw new Error('the double is not there');
    const loading = promptApiEngine().load(found.entry, { device: 'browser', signal: stop.signal });
    stop.abort(reason);
    await expect(loading).rejects.toBe(reason);
  });
});

describe('a call', () => {
  test('gives the messages in order, images as images, and has a session of its own', async () => {
    const state = withPromptApi({ sees: true });
    const model = await loaded();
    const image = { type: 'image', bytes: BYTES, mediaType: 'image/png' } as const;
    const messages = [
      said('system', 'Be short.'),
      said('user', 'One?'),
      said('assistant', 'Yes.'),
      said('user', 'What is this?', image),
    ];
    const reply = await replyOf(model, messages);
    const [asked = []] = state.prompts;
    expect(asked.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    const sent = asked.at(-1)?.content[1];
    expect(sent?.type === 'image' && sent.value.type).toBe('image/png');
    expect(sent?.type === 'image' && (await sent.value.bytes())).toEqual(BYTES);
    expect(reply.promptTokens).toBe(2 + 1 + 1 + 3 + 100);
    expect(reply).toMatchObject({
      finishReason: 'length',
      text: expect.stringMatching(/^(\S+ ){8}$/u),
    });
    // The one that keeps it loaded.
    expect(state.open).toBe(1);
  });

  test('is counted under either name, and estimated where nothing counts', async () => {
    for (const over of [{ oldNames: true }, { oldNames: false }]) {
      withPromptApi(over);
      const reply = await replyOf(await loaded(), [
        said('system', 'Be so short.'),
        said('user', 'Go'),
      ]);
      expect(reply.promptTokens).toBe(4);
    }
    withPromptApi({ window: null });
    const reply = await replyOf(await loaded(), [said('user', 'x'.repeat(400))]);
    expect(reply.promptTokens).toBe(100);
    expect(reply.completionTokens).toBeGreaterThan(0);
  });

  test('that the browser refuses leaves it usable, one that breaks ends it', async () => {
    const state = withPromptApi();
    const model = await loaded();
    for (const [name, code] of [
      ['QuotaExceededError', 'prompt-too-long'],
      ['NotSupportedError', 'not-askable'],
      ['NotReadableError', 'not-askable'],
    ] as const) {
      state.failsToAnswer = new DOMException('no', name);
      await expect(replyOf(model, [said('user', 'Go')])).rejects.toMatchObject({ code });
      expect(await replyOf(model, [said('user', 'Go')])).toMatchObject({ finishReason: 'length' });
    }
    state.failsToAnswer = new DOMException('its process crashed', 'UnknownError');
    await expect(replyOf(model, [said('user', 'Go')])).rejects.toMatchObject({ code: 'failed' });
    expect(await model.ended).toMatchObject({
      code: 'failed',
      message: expect.stringContaining('its process crashed'),
    });
    await expect(replyOf(model, [said('user', 'Go')])).rejects.toMatchObject({ code: 'failed' });
    expect(state.open).toBe(0);
  });

  test('is not made in an order that the browser does not take', async () => {
    const state = withPromptApi();
    const model = await loaded();
    for (const messages of [
      [said('assistant', 'Hi')],
      [said('user', 'A'), said('system', 'B')],
      [],
    ]) {
      await expect(replyOf(model, messages)).rejects.toMatchObject({ code: 'not-askable' });
    }
    expect(state.prompts).toEqual([]);
  });

  test('waits while nobody takes what was said', async () => {
    const state = withPromptApi();
    const model = await loaded();
    const request = {
      messages: [said('user', 'Go')],
      schema: null,
      maxNewTokens: 500,
      temperature: 0,
    };
    const events = model.generate(request, SIGNAL)[Symbol.asyncIterator]();
    await events.next();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(state.made).toBeLessThan(5);
    await events.return?.();
    expect(state.open).toBe(1);
  });
});
