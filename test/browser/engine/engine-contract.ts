import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  EngineMessage,
  EnginePart,
  Generated,
  GenerateRequest,
  LoadedModel,
} from '../../../src/core/models/engine.ts';

export interface Contract {
  /** Loads a model without eyes; loaded once for all that is asked of it. */
  load(): Promise<LoadedModel>;
  /** A text that is longer than it takes. */
  readonly tooLong: string;
  /** Tokens of a reply that it is surely not done with when the first of them comes. */
  readonly longReply?: number;
  /** Tokens that surely come in several pieces: 8 where it is left out, more where it is very fast. */
  readonly pieces?: number;
}

const SCHEMA = {
  type: 'object',
  properties: { colour: { enum: ['red', 'green', 'blue'] }, isSure: { type: 'boolean' } },
  required: ['colour', 'isSure'],
  additionalProperties: false,
} as const;
/** A PNG of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const user = (...parts: EnginePart[]): EngineMessage => ({ role: 'user', parts });
const text = (value: string): EnginePart => ({ type: 'text', text: value });

/** A request to say something in eight tokens. */
function request(over: Partial<GenerateRequest> = {}): GenerateRequest {
  const messages = [user(text('Say something.'))];
  return { messages, schema: null, maxNewTokens: 8, temperature: 0, ...over };
}

/** Asks, and gives the pieces and every finish. */
async function heard(model: LoadedModel, asked: GenerateRequest) {
  const pieces: string[] = [];
  const finishes: Generated[] = [];
  for await (const event of model.generate(asked, new AbortController().signal)) {
    if (event.type === 'finish') finishes.push(event.generated);
    else if (finishes.length === 0) pieces.push(event.text);
    else throw new Error('a piece came after the finish');
  }
  return { pieces, finishes };
}

/** What every runtime keeps to, whichever model it has; the tests are of this name. */
export function engineContract(name: string, contract: Contract): void {
  describe(name, () => {
    let model: LoadedModel;
    beforeAll(async () => {
      model = await contract.load();
    }, 60_000);
    afterAll(() => model.unload());

    const answers = async () => {
      const { finishes } = await heard(model, request());
      expect(finishes).toHaveLength(1);
    };

    test('streams text, then one finish that has all of it and what it took', async () => {
      const most = contract.pieces ?? 8;
      const { pieces, finishes } = await heard(model, request({ maxNewTokens: most }));
      expect(finishes).toHaveLength(1);
      const [finish] = finishes;
      expect(pieces.length).toBeGreaterThan(1);
      expect(pieces.join('')).toBe(finish?.text);
      expect(finish?.promptTokens).toBeGreaterThan(0);
      expect(finish?.completionTokens).toBeGreaterThan(0);
      expect(finish?.completionTokens).toBeLessThanOrEqual(most);
      expect(finish?.prefillMs).toBeGreaterThanOrEqual(0);
      expect(finish?.decodeMs).toBeGreaterThanOrEqual(0);
    }, 30_000);

    test('an abort throws `stopped` at once, and the next call is answered', async () => {
      const stop = new AbortController();
      const asked = request({ maxNewTokens: contract.longReply ?? 60 });
      const events = model.generate(asked, stop.signal)[Symbol.asyncIterator]();
      expect(await events.next()).toMatchObject({ value: { type: 'text' } });
      // What was streamed ahead may still be given; the one after the abort is not.
      const waits = (async () => {
        stop.abort();
        for (;;) if ((await events.next()).done === true) return 'ended';
      })();
      await expect(waits).rejects.toMatchObject({ name: 'EngineError', code: 'stopped' });
      const early = model.generate(asked, AbortSignal.abort())[Symbol.asyncIterator]();
      await expect(early.next()).rejects.toMatchObject({ code: 'stopped' });
      await answers();
    }, 30_000);

    test('who stops listening leaves it usable', async () => {
      for await (const event of model.generate(
        request({ maxNewTokens: contract.longReply ?? 60 }),
        new AbortController().signal,
      )) {
        expect(event.type).toBe('text');
        break;
      }
      await answers();
    }, 30_000);

    test('calls at the same time are answered in turn, each whole', async () => {
      const both = await Promise.all([heard(model, request()), heard(model, request())]);
      for (const { pieces, finishes } of both) {
        expect(finishes).toHaveLength(1);
        expect(pieces.join('')).toBe(finishes[0]?.text);
      }
      expect(both[0].finishes[0]?.text).toBe(both[1].finishes[0]?.text);
    }, 30_000);

    test('a reply to a schema is a value of it', async () => {
      const asked = request({ schema: SCHEMA, maxNewTokens: 80 });
      const { finishes } = await heard(model, asked);
      expect(finishes[0]?.finishReason).toBe('stop');
      const value: unknown = JSON.parse(finishes[0]?.text ?? '');
      expect(value).toEqual({
        colour: expect.stringMatching(/^(red|green|blue)$/u),
        isSure: expect.any(Boolean),
      });
    }, 30_000);

    test('an image is `not-askable` without eyes, and leaves it usable', async () => {
      const bytes = Uint8Array.from(atob(PIXEL), (character) => character.charCodeAt(0));
      const image = { type: 'image', bytes, mediaType: 'image/png' } as const;
      const asked = request({ messages: [user(text('What is this?'), image)] });
      await expect(heard(model, asked)).rejects.toMatchObject({ code: 'not-askable' });
      await answers();
    }, 30_000);

    test('a prompt that is too long is refused as such, and leaves it usable', async () => {
      const asked = request({ messages: [user(text(contract.tooLong))] });
      await expect(heard(model, asked)).rejects.toMatchObject({ code: 'prompt-too-long' });
      await answers();
    }, 30_000);

    test('unloaded, it says so, and later calls and those at work fail as `stopped`', async () => {
      const working = model
        .generate(request({ maxNewTokens: contract.longReply ?? 60 }), new AbortController().signal)
        [Symbol.asyncIterator]();
      await working.next();
      model.unload();
      const rest = (async () => {
        for (;;) if ((await working.next()).done === true) return 'ended';
      })();
      await expect(rest).rejects.toMatchObject({ code: 'stopped' });
      expect(await model.ended).toMatchObject({ code: 'stopped' });
      await expect(heard(model, request())).rejects.toMatchObject({ code: 'stopped' });
    }, 30_000);
  });
}
