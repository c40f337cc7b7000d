/** Models on this device: what Grove's protocol adds to the library, and what placing a lesson costs. */
import { replay } from '../../src/core/bank/log.ts';
import type { Tree } from '../../src/core/bank/tree.ts';
import type { CallRecord, ModelRequest } from '../../src/core/call.ts';
import type { Caller } from '../../src/core/harness/harness.ts';
import { estimateTokens } from '../../src/core/harness/token-estimate.ts';
import { seededRandom } from '../../src/core/metro/random.ts';
import type { GenerateRequest } from '../../src/core/models/engine.ts';
import { makeModelOrganizer } from '../../src/core/organize/model-organizer.ts';
import { enter } from '../../src/core/organize/step/enter.ts';
import { MaintenanceStep } from '../../src/core/organize/step/maintenance-step.ts';
import { placeLessons } from '../../src/core/organize/step/place.ts';
import { transformersEngine } from '../../src/engine/transformers/transformers-client.ts';
import { holdDecoder } from '../browser/engine/tiny-language.ts';
import { lessonOf } from '../core/bank/material.ts';
import { largeBank } from './material/large-bank.ts';

interface Measure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

const BATCH = 12;
const TOKENS = 400;
const REQUEST: GenerateRequest = {
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'How many stops are there?' }] }],
  schema: null,
  maxNewTokens: TOKENS,
  temperature: 0,
};

/** Measures both; `full` takes banks of up to 100,000 lessons and more rounds. */
export async function run(full: boolean): Promise<readonly Measure[]> {
  return [...(await protocol(full ? 25 : 7)), ...(await placing(full ? 100_000 : 10_000))];
}

/** Greedy decoding through Grove's worker and by the library alone in a worker of its own, turn by turn. */
async function protocol(rounds: number): Promise<readonly Measure[]> {
  const entry = await holdDecoder('bench-decoder');
  const model = await transformersEngine().load(entry, { device: 'wasm' });
  const direct = await startDirect(entry);
  const ours: number[] = [];
  const theirs: number[] = [];
  // The first of each is not counted: it compiles.
  for (let round = -1; round < rounds; round += 1) {
    const began = performance.now();
    for await (const event of model.generate(REQUEST, new AbortController().signal)) {
      if (event.type === 'finish' && event.generated.completionTokens !== TOKENS) {
        throw new Error(`${event.generated.completionTokens} tokens`);
      }
    }
    const through = performance.now() - began;
    const alone = await direct.run();
    if (round >= 0) ours.push(through);
    if (round >= 0) theirs.push(alone);
  }
  model.unload();
  direct.end();
  const ratios = ours.map((value, at) => value / (theirs[at] ?? NaN));
  return [
    {
      name: `${TOKENS} tokens of the tiny decoder, the library alone (median)`,
      value: median(theirs),
      unit: 'ms',
    },
    { name: `  through Grove's protocol, streamed (median)`, value: median(ours), unit: 'ms' },
    {
      name: `  that adds (median of ${rounds} pairs; at most 5)`,
      value: (median(ratios) - 1) * 100,
      unit: '%',
    },
    { name: '  a token', value: ((median(ours) - median(theirs)) / TOKENS) * 1000, unit: 'µs' },
  ];
}

async function startDirect(entry: Awaited<ReturnType<typeof holdDecoder>>) {
  const worker = new Worker(new URL('./support/direct-worker.ts', import.meta.url), {
    type: 'module',
  });
  const ask = (order: unknown) =>
    new Promise<unknown>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
      worker.postMessage(order);
    });
  await ask({ entry });
  return {
    async run() {
      const began = performance.now();
      await ask({
        messages: [{ role: 'user', content: 'How many stops are there?' }],
        count: TOKENS,
      });
      return performance.now() - began;
    },
    end: () => worker.terminate(),
  };
}

/** Tokens that a model organizer is asked and answers with while a batch is placed, a lesson. */
async function placing(most: number): Promise<readonly Measure[]> {
  const measures: Measure[] = [];
  const organizer = makeModelOrganizer({
    ...{ id: 'model bench', label: 'Bench', images: false },
    ...{ temperature: 0, repair: true, fallback: true },
  });
  for (let size = 100; size <= most; size *= 10) {
    const tree = treeOf(size);
    const tokens: number[] = [];
    const calls: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const { caller, spent } = countingCaller();
      const nextId = counter(`bench-${size}-${round}`);
      const work = new MaintenanceStep(tree, organizer, nextId);
      for (const event of enter(work, lessonsLike(round))) void event;
      for await (const event of placeLessons(work, { caller, signal: undefined })) {
        if (event.type === 'proposal-refuse') throw new Error(event.refusal.message);
      }
      tokens.push(spent().tokens / BATCH);
      calls.push(spent().calls);
    }
    const of = `a lesson of ${BATCH} into ${size.toLocaleString('en')}`;
    measures.push({
      name: `model tokens to place ${of} (mean of 5)`,
      value: mean(tokens),
      unit: 'tokens',
    });
    measures.push({ name: '  calls a batch', value: mean(calls), unit: 'calls' });
  }
  return measures;
}

function treeOf(lessons: number): Tree {
  const { manifest, entries } = largeBank({ lessons, crops: 0, seed: 3 });
  const tree = replay(manifest, entries);
  if (!tree.ok) throw new Error(tree.refusal.message);
  return tree.value;
}

/** A model that is asked, answers soundly, and counts. */
function countingCaller() {
  let [tokens, calls] = [0, 0];
  const caller: Caller = {
    async *call(role, request): AsyncGenerator<never, CallRecord> {
      const text = replyTo(request);
      calls += 1;
      tokens += textOf(request).reduce((sum, part) => sum + estimateTokens(part), 0);
      tokens += estimateTokens(text);
      const usage = { promptTokens: 0, completionTokens: 0, images: 0, estimated: true };
      return {
        key: { runId: 'r', attempt: 1, role, ordinal: 0, sample: 0, requestHash: '' },
        request,
        response: { text, reasoning: '', finishReason: 'stop', usage, model: 'bench' },
        ...{ backbone: 'bench', device: 'this-device' as const, startedAt: '', durationMs: 0 },
      };
    },
  };
  return { caller, spent: () => ({ tokens, calls }) };
}

/** Each lesson into the group with the most room, as the prompt says how much each has. */
function replyTo(request: ModelRequest): string {
  const shown = textOf(request).join('\n');
  const lessons = shown.match(/^L\d+(?=: )/gmu) ?? [];
  const counts = new Map<string, number>();
  for (const [, name = '', children] of shown.matchAll(/^(G\d+): .*\((\d+) children\)$/gmu)) {
    counts.set(name, Number(children));
  }
  const assignments = [];
  for (const lesson of lessons) {
    const [under, children = 12] = [...counts].sort(([, a], [, b]) => a - b)[0] ?? [];
    if (under === undefined || children >= 12) break;
    counts.set(under, children + 1);
    assignments.push({ lesson, under });
  }
  return JSON.stringify({ groups: [], assignments });
}

function textOf({ messages }: ModelRequest): readonly string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
  );
}

const WORDS =
  'legend line colour station transfer count stop dashed night service axis total receipt price row column label sign'.split(
    ' ',
  );

function lessonsLike(seed: number) {
  const random = seededRandom(seed + 1);
  const words = (count: number) =>
    Array.from({ length: count }, () => random.pick(WORDS)).join(' ');
  return Array.from({ length: BATCH }, (_, at) =>
    lessonOf(`new-${seed}-${at}`, {
      ...{ title: words(7), guidance: words(40), topic: words(6), scope: words(8) },
      ...{ appliesWhen: words(8), anchor: words(14) },
    }),
  );
}

function counter(prefix: string): () => string {
  let made = 0;
  return () => `${prefix}-${(made += 1)}`;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function median(values: readonly number[]): number {
  return values.toSorted((first, second) => first - second)[values.length >> 1] ?? 0;
}
