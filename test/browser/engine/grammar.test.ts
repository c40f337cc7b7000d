import { PreTrainedTokenizer, Tensor } from '@huggingface/transformers';
import { expect, test } from 'vitest';
import { chatTokenizer } from '../../../models/tiny/decoder/chat-tokenizer.mjs';
import { seededRandom, type Random } from '../../../src/core/metro/random.ts';
import { GrammarLogitsProcessor } from '../../../src/engine/grammar/grammar-logits-processor.ts';
import { JsonGrammars } from '../../../src/engine/grammar/json-grammars.ts';
import type { JsonMatcher } from '../../../src/engine/grammar/json-matcher.ts';
import { tokenizerVocabulary } from '../../../src/engine/grammar/tokenizer-vocabulary.ts';
import { policySchemas } from './policy-schemas.ts';

const END = 2;
const { tokenizer: tokenizerJson, configuration } = chatTokenizer({ maximumLength: 4096 });
const vocabulary = tokenizerVocabulary(new PreTrainedTokenizer(tokenizerJson, configuration), [
  END,
]);
const grammars = await JsonGrammars.open(vocabulary);
const policies = await policySchemas();

type Schema = Readonly<Record<string, unknown>>;

/** A matcher over a schema, gone when `use` is. */
async function withMatcher<T>(schema: Schema, use: (matcher: JsonMatcher) => T): Promise<T> {
  const matcher = await (await grammars.compile(schema)).matcher();
  try {
    return use(matcher);
  } finally {
    matcher.dispose();
  }
}

/** Whether a text is one of a schema's, byte by byte, by both XGrammar and the exact state. */
function admits(schema: Schema, text: string): Promise<boolean> {
  return withMatcher(schema, (matcher) => {
    for (const byte of new TextEncoder().encode(text)) {
      const token = vocabulary.bytes.indexOf(String.fromCharCode(byte));
      if (!matcher.fits(token, Infinity)) return false;
      // Throws where XGrammar does not agree.
      matcher.accept(token);
    }
    return matcher.isComplete;
  });
}

async function admitted(schema: Schema, texts: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const text of texts) if (await admits(schema, text)) found.push(text);
  return found;
}

const object = (properties: Schema, required = Object.keys(properties)) => ({
  ...{ type: 'object', properties, required, additionalProperties: false },
});

/** Logits that want something else than JSON: any token at all, and some kind of token above all. */
function hostileLogits(random: Random, liking: RegExp): Float32Array {
  return Float32Array.from(vocabulary.bytes, (bytes) => {
    const liked = liking.test(bytes) ? 500 : 0;
    return random.below(1000) / 100 + liked / 100;
  });
}

const LIKINGS = [/$^/u, /[[{,]/u, /^["\]}]/u, /\\/u, /[\x80-\xff]$/u, /[0-9.-]/u, /^[a-z ]+$/u];

/** Generates as transformers.js would: the likeliest token each time. */
function generate(matcher: JsonMatcher, random: Random, maxNewTokens: number): readonly number[] {
  const processor = new GrammarLogitsProcessor(matcher, maxNewTokens);
  const liking = random.pick(LIKINGS);
  const row = [1n, 5n, 9n];
  const made: number[] = [];
  for (let count = 0; count < maxNewTokens; count += 1) {
    const logits = hostileLogits(random, liking);
    processor._call([row], new Tensor('float32', logits, [1, logits.length]));
    const token = logits.indexOf(logits.reduce((most, logit) => Math.max(most, logit)));
    row.push(BigInt(token));
    made.push(token);
    if (token === END) break;
  }
  processor.accept(made.at(-1) ?? END);
  return made;
}

const GENERATIONS = 20;

test.for(policies)('hostile logits end in a whole reply: $policy $variant', async (asked) => {
  const random = seededRandom(7);
  const least = await withMatcher(asked.schema, (matcher) => matcher.shortestWay().length);
  for (let times = 0; times < GENERATIONS; times += 1) {
    // The tightest limits too.
    const limit = least + (times < 4 ? times : random.below(300));
    await withMatcher(asked.schema, (matcher) => {
      const made = generate(matcher, random, limit);
      expect(made.length).toBeLessThanOrEqual(limit);
      expect(matcher.isComplete, matcher.text).toBe(true);
      const json: unknown = JSON.parse(matcher.text);
      for (const reader of asked.readers) {
        expect(reader.safeParse(json).error, matcher.text).toBeUndefined();
      }
      expect(matcher.text.isWellFormed() && !matcher.text.includes('\u{fffd}')).toBe(true);
    });
  }
});

test('a limit too small for the shortest value is refused, and one token more is not', async () => {
  for (const { schema } of policies) {
    await withMatcher(schema, (matcher) => {
      const least = matcher.shortestWay().length;
      expect(() => new GrammarLogitsProcessor(matcher, least - 1)).toThrow(
        expect.objectContaining({
          code: 'not-askable',
          message: expect.stringContaining(`${least}`),
        }),
      );
      expect(() => new GrammarLogitsProcessor(matcher, least)).not.toThrow();
    });
  }
});

test('once a value is whole only the tokens that end a reply are left', async () => {
  await withMatcher(object({ a: { type: 'null' } }), (matcher) => {
    const processor = new GrammarLogitsProcessor(matcher, 40);
    for (const character of '{"a":null}') {
      expect(matcher.fits(END, 40)).toBe(false);
      processor.accept(vocabulary.bytes.indexOf(character));
    }
    for (let times = 0; times < 2; times += 1) {
      const logits = new Float32Array(600).fill(NaN);
      processor._call([[1n]], new Tensor('float32', logits, [1, 600]));
      expect([...logits.keys()].filter((id) => logits[id] !== -Infinity)).toEqual([END]);
      expect(logits[END]).toBe(0);
      processor.accept(END);
    }
    expect(matcher.text).toBe('{"a":null}');
  });
});

test('white space is one space at most, after a comma or colon', async () => {
  const schema = object({ a: { type: 'array', items: { type: 'null' } }, b: { type: 'null' } });
  const sound = ['{"a":[],"b":null}', '{"a": [null, null,null], "b": null}'];
  const wrong = [
    ...[' {"a":[],"b":null}', '{ "a":[],"b":null}', '{"a" :[],"b":null}', '{"a":  [],"b":null}'],
    ...['{"a":[ ],"b":null}', '{"a":[null ],"b":null}', '{"a":[null,\tnull],"b":null}'],
    ...['{"a":[null,],"b":null}', '{"a":[],"b":null,}', '{"a":[],"b":null }', '{"a":[],,"b":null}'],
    ...['{"b":null,"a":[]}', '{"a":[]}', '{"a":[],"b":null,"c":null}', '{"a":[]', '{}'],
  ];
  expect(await admitted(schema, [...sound, ...wrong])).toEqual(sound);
});

test('properties that are not required may be left out, with their commas', async () => {
  const n = { type: 'null' };
  const sound = ['{"b":null}', '{"a":null,"b":null}', '{"b":null, "c":null}'];
  const wrong = ['{,"b":null}', '{"b":null,}', '{"a":null}', '{"a":null,,"c":null}', '{"c":null}'];
  expect(await admitted(object({ a: n, b: n, c: n }, ['b']), [...sound, ...wrong])).toEqual(sound);
  expect(
    await admitted(object({ a: n, b: n }, []), ['{}', '{"a":null}', '{"b":null}']),
  ).toHaveLength(3);
});

test('numbers are in range and plain', async () => {
  const ints = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum });
  const texts = [
    ...['-0', '00', '01', '+1', '1.0', '1e1', '-', ''],
    ...Array.from({ length: 2400 }, (_, at) => String(at - 1200)),
  ];
  for (const [min, max] of [
    [0, 1000],
    [-17, 105],
    [37, 912],
    [-1000, -99],
    [5, 5],
    [0, 0],
  ] as const) {
    const wanted = texts.slice(8).filter((text) => Number(text) >= min && Number(text) <= max);
    expect(await admitted(ints(min, max), texts)).toEqual(wanted);
  }
  const most = 9007199254740991;
  expect(
    await admitted(ints(-most, most), [
      `${most}`,
      '9007199254740992',
      `-${most}`,
      '12345678901234567',
    ]),
  ).toEqual([`${most}`, `-${most}`]);
  expect(
    await admitted({ type: 'integer', exclusiveMinimum: 2 }, ['2', '3', '9007199254740991']),
  ).toEqual([...['3', '9007199254740991']]);
  const fraction = { type: 'number', minimum: 0, maximum: 1 };
  const sound = ['0', '0.5', '0.123456', '1', '1.0'];
  const wrong = ['1.1', '2', '-0.5', '-0', '.5', '0.', '0.1234567', '1e-1', '00.5', '1.01'];
  expect(await admitted(fraction, [...sound, ...wrong])).toEqual(sound);
  const around = { type: 'number', minimum: -12, maximum: 3 };
  expect(
    await admitted(around, ['-12', '-12.0', '-12.1', '-11.9', '-0.5', '3', '3.1', '2.9']),
  ).toEqual([...['-12', '-12.0', '-11.9', '-0.5', '3', '2.9']]);
});

test('strings are bounded and well formed', async () => {
  const string = { type: 'string', minLength: 1, maxLength: 4 };
  const sound = [
    '"a"',
    '"abcd"',
    '"é駅 "',
    '"\\"\\\\\\/\\n"',
    '"\\u00e9\\uABCD"',
    '"😀😀"',
    '"a😀b"',
  ];
  const wrong = [
    ...[
      '""',
      '"abcde"',
      '"😀😀a"',
      '"a😀bc"',
      '"a\nb"',
      '"a\tb"',
      '"\u0000"',
      '"\u001f"',
      '"\u007f"',
    ],
    ...['"\\x"', '"\\u12"', '"\\ud83d"', '"\\u0000"', '"\\u001f"', '"\\t"', '"a', '"a"b"'],
  ];
  expect(await admitted(string, [...sound, ...wrong])).toEqual(sound);
  expect(await admits({ type: 'string' }, JSON.stringify('x'.repeat(3000)))).toBe(true);
  expect(await admits({ type: 'string', maxLength: 900 }, `"${'y'.repeat(900)}"`)).toBe(true);
  expect(await admits({ type: 'string', maxLength: 900 }, `"${'y'.repeat(901)}"`)).toBe(false);
  const three = { type: 'string', minLength: 3, maxLength: 3 };
  expect(await admitted(three, ['"abc"', '"😀a"', '"ab"'])).toEqual(['"abc"']);
  // Bytes that are no character: a surrogate, an overlong form, beyond Unicode, half of one.
  for (const bytes of [
    '\xed\xa0\x80',
    '\xc0\x80',
    '\xe0\x80\x80',
    '\xf4\x90\x80\x80',
    '\xc3"',
    '\x80',
  ]) {
    await withMatcher({ type: 'string' }, (matcher) => {
      matcher.accept(vocabulary.bytes.indexOf('"'));
      const tokens = Array.from(bytes, (byte) => vocabulary.bytes.indexOf(byte));
      expect(() => tokens.forEach((token) => matcher.accept(token))).toThrow(/cannot follow/u);
    });
  }
});

test('constants, enumerations, alternatives and bounded arrays', async () => {
  expect(
    await admitted({ const: { 'naïve "key"': [1, 'é'] } }, ['{"naïve \\"key\\"":[1,"é"]}', '{}']),
  ).toHaveLength(1);
  expect(
    await admitted({ enum: ['a', 'ab', 3, null] }, ['"a"', '"ab"', '3', 'null', '"b"']),
  ).toHaveLength(4);
  const box = {
    type: 'array',
    items: { type: 'integer', minimum: 0, maximum: 9 },
    minItems: 2,
    maxItems: 3,
  };
  const either = { anyOf: [box, { type: 'null' }, { type: 'boolean' }] };
  const sound = ['[1,2]', '[1, 2,3]', 'null', 'true'];
  expect(await admitted(either, [...sound, '[1]', '[]', '[1,2,3,4]', '[1,2,]', '[10,1]'])).toEqual(
    sound,
  );
  const none = { type: 'array', items: { type: 'null' }, maxItems: 0 };
  expect(await admitted(none, ['[]', '[null]'])).toEqual(['[]']);
  // Alternatives that begin alike stay apart until they differ, in each item anew.
  const number = { anyOf: [{ type: 'integer' }, { type: 'number', minimum: 0, maximum: 9 }] };
  const many = { type: 'array', items: number, maxItems: 60 };
  expect(
    await admits(many, JSON.stringify(Array.from({ length: 60 }, (_, at) => (at % 9) + 0.5))),
  ).toBe(true);
});

test.for([
  [{ type: 'string', pattern: '^a' }, 'its top level, “pattern”'],
  [
    object({ a: { type: 'array', items: { type: 'integer', multipleOf: 2 } } }),
    'properties.a.items, “multipleOf”',
  ],
  [
    { anyOf: [{ type: 'null' }, { type: 'array', items: { type: 'null' }, uniqueItems: true }] },
    'anyOf.1, “uniqueItems”',
  ],
  [object({ a: {} }), 'properties.a.type, there is no type'],
  [{ $ref: '#' }, 'type, there is no type'],
  [{ type: ['string', 'null'] }, 'type, there is no type'],
  [{ oneOf: [{ type: 'null' }] }, 'no type'],
  [{ type: 'array' }, 'items'],
  [{ type: 'array', items: true }, 'items'],
  [{ type: 'number', minimum: 0.5 }, 'minimum, a number’s bound must be whole'],
  [{ type: 'integer', minimum: 3, maximum: 2 }, 'nothing lies between 3 and 2'],
  [{ type: 'string', minLength: 3, maxLength: 2 }, 'nothing lies between'],
  [object({}, ['a']), 'required, “a” is none of the properties'],
  [
    { type: 'object', properties: {}, additionalProperties: { type: 'null' } },
    'additionalProperties',
  ],
] as const)(
  'a schema that is not supported is refused by its place: %j',
  async ([schema, reason]) => {
    await expect(grammars.compile(schema)).rejects.toMatchObject({
      code: 'not-askable',
      message: expect.stringContaining(reason),
    });
  },
);

test('a schema is compiled once', () => {
  const schema = { type: 'null' };
  expect(grammars.compile(schema)).toBe(grammars.compile({ ...schema }));
});

test('SentencePiece’s and plain vocabularies are read too', async () => {
  const words = [
    '<unk>',
    '</s>',
    '<0x7B>',
    '<0xC3>',
    '<0xA9>',
    '▁',
    '▁null',
    'null',
    '{',
    '}',
    '"',
    ':',
    'a',
    '":▁',
  ];
  const added = [
    { id: 0, content: '<unk>', special: true },
    { id: 1, content: '</s>', special: true },
  ];
  const make = (model: Schema, decoder: unknown) =>
    new PreTrainedTokenizer(
      {
        ...{ version: '1.0', added_tokens: added, normalizer: null, pre_tokenizer: null },
        ...{ post_processor: null, decoder },
        model: {
          ...{ type: 'BPE', merges: [], unk_token: '<unk>', ...model },
          vocab: Object.fromEntries(words.map((word, id) => [word, id])),
        },
      },
      { tokenizer_class: 'LlamaTokenizer' },
    );
  const pieces = tokenizerVocabulary(make({ byte_fallback: true }, { type: 'ByteFallback' }), [1]);
  expect(pieces.spelling).toBe('byte_fallback');
  expect(pieces.bytes).toEqual([
    '',
    '',
    '{',
    '\xc3',
    '\xa9',
    ' ',
    ' null',
    'null',
    '{',
    '}',
    '"',
    ':',
    'a',
    '": ',
  ]);
  const opened = await JsonGrammars.open(pieces);
  const matcher = await (await opened.compile(object({ a: { type: 'null' } }))).matcher();
  for (const word of ['<0x7B>', '"', 'a', '":▁', 'null', '}']) matcher.accept(words.indexOf(word));
  expect([matcher.text, matcher.isComplete]).toEqual(['{"a": null}', true]);
  matcher.dispose();
  await expect(opened.compile(object({ b: { type: 'null' } }))).rejects.toMatchObject({
    code: 'not-askable',
  });
  await opened.dispose();
  const plain = tokenizerVocabulary(make({}, null), [1]);
  expect([plain.spelling, plain.bytes[6], plain.bytes[3]]).toEqual([
    'raw',
    '\xe2\x96\x81null',
    '<0xC3>',
  ]);
});
