import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Box } from '../../../src/core/box.ts';
import { decodeUpdate, encodeUpdate } from '../../../src/core/evolve/update-codec.ts';
import { EMPTY_MEMORY, type QuestionMemory } from '../../../src/core/memory.ts';
import { makeTask, type TaskImage } from '../../../src/core/task.ts';

const image = (letter: string, width: number, height: number): TaskImage => ({
  hash: letter.repeat(64),
  name: `${letter}.png`,
  mediaType: 'image/png',
  width,
  height,
  byteLength: 1,
});
const task = makeTask({
  question: 'q',
  images: [image('a', 400, 300), image('b', 1000, 1000)],
  publicInformation: '',
});
const W: QuestionMemory = {
  guidance: 'Read the legend first.',
  appliesWhen: 'there is a legend',
  cautions: ['Two lines look alike.'],
  visual: { imageHash: task.images[0]?.hash ?? '', box: [0, 0, 0.5, 0.5] },
  inject: true,
};
const decode = (json: unknown, memory = W, budgetChars = 1200) =>
  decodeUpdate(json, { task, memory, budgetChars });

/** What a refusal says, in one value; undefined where it was accepted. */
const refusal = (json: unknown, memory = W, budgetChars = 1200) => {
  const result = decode(json, memory, budgetChars);
  return result.ok ? undefined : [result.refusal.reason, result.refusal.path];
};

describe('the paper form', () => {
  it('replaces text and visual together and leaves the extensions as they were', () => {
    const json = { guidance: 'Look left.', use_visual: 1, image: 1, box: [0.1, 0.1, 0.3, 0.3] };
    expect(decode(json)).toEqual({
      ok: true,
      value: {
        ...W,
        guidance: 'Look left.',
        visual: { imageHash: task.images[1]?.hash, box: [0.1, 0.1, 0.3, 0.3] },
      },
    });
  });

  it('keeps the stored visual and does not inject it where use_visual is 0', () => {
    for (const use_visual of [0, false]) {
      const result = decode({ guidance: 'Look left.', use_visual, image: null, box: null });
      expect(result).toEqual({ ok: true, value: { ...W, guidance: 'Look left.', inject: false } });
    }
  });

  it('is read out of a model’s text, fenced or in prose', () => {
    const json = '{"guidance": "Look left.", "use_visual": 0, "image": null, "box": null}';
    for (const text of [
      json,
      `\`\`\`json\n${json}\n\`\`\``,
      `<think>{hm}</think>Here: ${json}. Done`,
    ]) {
      expect(decode(text)).toMatchObject({ ok: true, value: { guidance: 'Look left.' } });
    }
  });
});

describe('Grove’s extensions', () => {
  it('drop the visual only where remove says so', () => {
    const json = { guidance: 'x', use_visual: 0, image: null, box: null, remove: true };
    expect(decode(json)).toMatchObject({ ok: true, value: { visual: null, inject: false } });
  });

  it('set conditions and cautions, also to nothing', () => {
    const json = { guidance: 'x', use_visual: 0, applies_when: '', cautions: [' Mind it. ', ''] };
    expect(decode(json)).toMatchObject({
      ok: true,
      value: { appliesWhen: '', cautions: ['Mind it.'] },
    });
  });
});

describe('a proposal is refused whole', () => {
  const shown = { guidance: 'x', use_visual: true, image: 0, box: [0, 0, 0.5, 0.5] };

  it.each([
    ['text that is no JSON', 'I would add a box', ['not-json', undefined]],
    ['a missing member', { use_visual: 0 }, ['bad-shape', 'guidance']],
    ['a wrong type', { ...shown, use_visual: 2 }, ['bad-shape', 'use_visual']],
    ['a member inside a list', { ...shown, box: [0, 0, 'a', 1] }, ['bad-shape', 'box.2']],
    ['a box of three numbers', { ...shown, box: [0, 0, 1] }, ['bad-shape', 'box']],
    ['a visual without a box', { ...shown, box: null }, ['bad-shape', 'box']],
    ['a box that is not to be used', { ...shown, use_visual: 0 }, ['bad-shape', 'image']],
    ['a visual used and removed', { ...shown, remove: true }, ['bad-shape', 'remove']],
    ['null', null, ['bad-shape', '']],
    ['an image past the last', { ...shown, image: 2 }, ['no-such-image', 'image']],
    ['an image before the first', { ...shown, image: -1 }, ['no-such-image', 'image']],
    ['a box past the edge', { ...shown, box: [0, 0, 1.1, 1] }, ['box-out-of-range', 'box']],
    ['a box turned round', { ...shown, box: [0.5, 0, 0.2, 1] }, ['box-out-of-range', 'box']],
    ['a box of 27 px', { ...shown, box: [0, 0, 27 / 400, 1] }, ['box-too-small', 'box']],
    ['blank text', { ...shown, guidance: ' \n' }, ['empty-text', 'guidance']],
    ['text over budget', { ...shown, guidance: 'x'.repeat(1201) }, ['over-budget', 'guidance']],
    [
      'cautions over budget',
      { ...shown, guidance: 'x'.repeat(600), cautions: ['y'.repeat(601)] },
      ['over-budget', 'guidance'],
    ],
  ])('for %s', (_, json, expected) => {
    expect(refusal(json)).toEqual(expected);
  });

  it('but not for a box of exactly 28 px, nor for text of exactly the budget', () => {
    expect(refusal({ ...shown, box: [0, 0, 28 / 400, 28 / 300] })).toBeUndefined();
    const memory = { ...W, appliesWhen: '', cautions: [] };
    expect(refusal({ ...shown, guidance: '🌳'.repeat(1200) }, memory)).toBeUndefined();
  });
});

describe('a proposal equal to W', () => {
  it('is a no-op that gives W itself, also where W is empty or over a lowered budget', () => {
    for (const memory of [W, EMPTY_MEMORY]) {
      const result = decode(encodeUpdate(memory, task), memory, 5);
      expect(result.ok && result.value).toBe(memory);
    }
  });
});

const text = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 60 })
  .map((value) => value.trim())
  .filter((value) => value !== '');

const visual = fc
  .record({
    image: fc.constantFrom(...task.images),
    x: fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 10, max: 40 })),
    y: fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 10, max: 40 })),
  })
  .map(({ image: { hash }, x: [x, width], y: [y, height] }) => ({
    imageHash: hash,
    box: [x / 100, y / 100, (x + width) / 100, (y + height) / 100] as Box,
  }));

const memories: fc.Arbitrary<QuestionMemory> = fc
  .record({
    guidance: text,
    appliesWhen: fc.oneof(fc.constant(''), text),
    cautions: fc.array(text, { maxLength: 4 }),
    visual: fc.option(visual),
    wanted: fc.boolean(),
  })
  .map(({ wanted, ...memory }) => ({ ...memory, inject: wanted && memory.visual !== null }));

describe('encode then decode', () => {
  const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

  it('over the same W is a no-op, in the paper form and with extensions', () => {
    fc.assert(
      fc.property(memories, fc.boolean(), (memory, extensions) => {
        const json = throughJson(encodeUpdate(memory, task, { extensions }));
        const result = decode(json, memory);
        expect(result.ok && result.value).toBe(memory);
      }),
    );
  });

  it('with extensions gives W over any other state, but for a visual that is kept aside', () => {
    fc.assert(
      fc.property(memories, memories, (memory, other) => {
        const result = decode(throughJson(encodeUpdate(memory, task)), other);
        const aside = memory.visual !== null && !memory.inject;
        expect(result).toEqual({
          ok: true,
          value: aside ? { ...memory, visual: other.visual } : memory,
        });
      }),
    );
  });

  it('in the paper form carries guidance, gate, image and box, and nothing else', () => {
    fc.assert(
      fc.property(memories, memories, (memory, other) => {
        const paper = encodeUpdate(memory, task, { extensions: false });
        expect(Object.keys(paper)).toEqual(['guidance', 'use_visual', 'image', 'box']);
        expect(decode(throughJson(paper), other)).toMatchObject({
          ok: true,
          value: { guidance: memory.guidance, inject: memory.inject, cautions: other.cautions },
        });
      }),
    );
  });

  it('never throws, whatever JSON it is given, and never changes W', () => {
    fc.assert(
      fc.property(fc.jsonValue(), memories, (json, memory) => {
        const before = JSON.stringify(memory);
        decode(json, memory);
        expect(JSON.stringify(memory)).toBe(before);
      }),
    );
  });
});
