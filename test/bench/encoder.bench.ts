/** The encoder in the box: how soon it is there, and how many texts it takes in a second. */
import type { Encoder } from '../../src/core/recall/encoder/encoder.ts';
import { makeWordEncoder } from '../../src/core/recall/encoder/word-encoder.ts';
import { tokenize } from '../../src/core/recall/tokenize.ts';
import { seededRandom } from '../../src/core/metro/random.ts';
import { allQuestions } from '../core/metro/metro-bench.ts';
import type { Measure } from './storage.bench.ts';

const ASSET = '/encoder/words.bin';
const LOADS = 5;
const ROUNDS = 7;

/** Measures loading and encoding; `full` takes ten times the texts. */
export async function run(full: boolean): Promise<readonly Measure[]> {
  const loads: number[] = [];
  const decodes: number[] = [];
  let bytes = new Uint8Array();
  let made = makeWordEncoder(bytes);
  for (let load = 0; load < LOADS; load += 1) {
    const began = performance.now();
    bytes = new Uint8Array(await (await fetch(ASSET, { cache: 'no-store' })).arrayBuffer());
    const fetched = performance.now();
    made = makeWordEncoder(bytes);
    const ended = performance.now();
    loads.push(ended - began);
    decodes.push(ended - fetched);
  }
  if (!made.ok) throw new Error(made.refusal.message);
  const encoder = made.value;
  const count = full ? 20_000 : 2000;
  const short = questionLike(count, { words: 20, slips: 0 });
  const slipped = questionLike(count, { words: 20, slips: 20 });
  const nodes = questionLike(count, { words: 40, slips: 0 });
  const metro = allQuestions.map(({ question }) => question);
  const encode = (text: string) => encoder.encode(text);
  return [
    { name: 'asset', value: bytes.byteLength / 1e6, unit: 'MB' },
    {
      name: `fetch and decode the asset (median of ${LOADS}; at most 150)`,
      value: median(loads),
      unit: 'ms',
    },
    { name: `the same (worst of ${LOADS})`, value: Math.max(...loads), unit: 'ms' },
    { name: `  of it decoding (median)`, value: median(decodes), unit: 'ms' },
    { name: `  of it decoding (first)`, value: decodes[0] ?? 0, unit: 'ms' },
    { name: 'first word that is unknown', value: firstUnknown(encoder), unit: 'ms' },
    rate('encode 20 words (at least 20,000)', short, encode),
    rate('encode 20 words, a fifth of them unknown', slipped, encode),
    rate('encode 40 words', nodes, encode),
    rate('encode metro questions', metro, encode),
    rate('tokenize 20 words', short, tokenize),
  ];
}

/** Milliseconds until a word is guessed for the first time: the table of slips is made for it. */
function firstUnknown(encoder: Encoder): number {
  const began = performance.now();
  encoder.encode('stattion');
  return performance.now() - began;
}

/** Texts a second: median of rounds over all texts, the first round left out. */
function rate(name: string, texts: readonly string[], read: (text: string) => unknown): Measure {
  const times = Array.from({ length: ROUNDS }, () => {
    const began = performance.now();
    for (const text of texts) read(text);
    return performance.now() - began;
  });
  return { name, value: (texts.length / median(times.slice(1))) * 1000, unit: 'texts/s' };
}

const WORDS =
  'the of a in is how many what which from to and line station chart map total value number between area triangle square circle length point figure shown each largest smallest legend colour left right page table row column sum answer count stops transfer direction percent year price receipt angle probability function file directory error test return string list name question image region border arrow label'.split(
    ' ',
  );

/** Seeded texts of words of the domain; `slips` per cent of them with a letter changed or a tail added. */
function questionLike(count: number, { words, slips }: { words: number; slips: number }) {
  const random = seededRandom(11);
  return Array.from({ length: count }, () =>
    Array.from({ length: words }, () => {
      const word = random.pick(WORDS);
      return random.below(100) < slips
        ? `${word}${String.fromCharCode(97 + random.below(26))}xq`
        : word;
    }).join(' '),
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((first, second) => first - second)[values.length >> 1] ?? 0;
}
