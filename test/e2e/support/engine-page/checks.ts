/** What the test of engines asks in the built app's own page, under its policy: imported there as its own script. */
import { tinyEncoder } from '../../../../models/tiny/encoder.mjs';
import { encoderOfFolder } from '../../../../src/core/models/encoder-folder.ts';
import type { LoadedModel } from '../../../../src/core/models/engine.ts';
import { modelStore } from '../../../../src/engine/files/model-store.ts';
import { transformersEngine } from '../../../../src/engine/transformers/transformers-client.ts';
import { policySchemas, type PolicySchema } from '../../../browser/engine/policy-schemas.ts';
import { tinyEmbedding } from '../../../browser/engine/tiny-embedding.ts';
import { holdDecoder } from '../../../browser/engine/tiny-language.ts';

const engine = transformersEngine();
const SIGNAL = new AbortController().signal;
/** Tokens of replies: from hardly enough to plenty. */
const LIMITS = [120, 140, 160, 220] as const;

export interface JsonChecks {
  /** By policy. */
  readonly made: Readonly<Record<string, number>>;
  readonly distinct: number;
  /** Replies that no reader takes, or that were cut off. */
  readonly invalid: readonly string[];
  /** Replies whose pieces are not the whole. */
  readonly torn: number;
}

/** Replies of untrained weights to every schema of Grove's policies: so many a policy. */
export async function jsonChecks(aPolicy: number): Promise<JsonChecks> {
  const model = await engine.load(await holdDecoder('page-decoder'), { device: 'wasm' });
  const policies = await policySchemas();
  const made: Record<string, number> = {};
  const texts = new Set<string>();
  const invalid: string[] = [];
  let torn = 0;
  for (const asked of policies) {
    const variants = policies.filter(({ policy }) => policy === asked.policy).length;
    for (let times = 0; times < aPolicy / variants; times += 1) {
      const reply = await replyTo(model, asked, times);
      texts.add(reply.text);
      made[asked.policy] = (made[asked.policy] ?? 0) + 1;
      if (reply.streamed !== reply.text) torn += 1;
      if (!isValid(reply.text, asked) || reply.finishReason !== 'stop') invalid.push(reply.text);
    }
  }
  model.unload();
  return { made, distinct: texts.size, invalid, torn };
}

async function replyTo(model: LoadedModel, { policy, schema }: PolicySchema, times: number) {
  const text = `Question ${times * 7}: how many ${policy}?`;
  const asked = {
    messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
    schema,
    maxNewTokens: LIMITS[times % LIMITS.length] ?? 220,
    temperature: times % 2 === 0 ? 0 : 1,
  } as const;
  let streamed = '';
  for await (const event of model.generate(asked, SIGNAL)) {
    if (event.type === 'text') streamed += event.text;
    else return { streamed, ...event.generated };
  }
  throw new Error('it ended without a finish');
}

function isValid(text: string, { readers }: PolicySchema): boolean {
  try {
    const json: unknown = JSON.parse(text);
    return readers.every((reader) => reader.safeParse(json).success);
  } catch {
    return false;
  }
}

/** How long an abort takes to be told, and then the next reply of two tokens, in milliseconds. */
export async function abortCheck(): Promise<{ readonly toldMs: number; readonly nextMs: number }> {
  const model = await engine.load(await holdDecoder('page-decoder'), { device: 'wasm' });
  const ask = (maxNewTokens: number, signal: AbortSignal) =>
    model.generate(
      {
        messages: [{ role: 'user', parts: [{ type: 'text', text: 'Go' }] }],
        ...{ schema: null, maxNewTokens, temperature: 0 },
      },
      signal,
    );
  const abort = new AbortController();
  let told = NaN;
  try {
    for await (const event of ask(3000, abort.signal)) {
      if (event.type !== 'text') continue;
      told = performance.now();
      abort.abort();
    }
  } catch {
    told = performance.now() - told;
  }
  const began = performance.now();
  for await (const event of ask(2, SIGNAL)) void event;
  model.unload();
  return { toldMs: told, nextMs: performance.now() - began };
}

/** The furthest that any number of a text's vector is from what it should be. */
export async function embeddingCheck(texts: readonly string[]): Promise<number> {
  const files = tinyEncoder();
  const entry = await encoderOfFolder({
    name: 'page-encoder',
    sizes: new Map([...files].map(([path, { byteLength }]) => [path, byteLength])),
    text: async (path) => new TextDecoder().decode(files.get(path)),
  });
  if (!entry.ok) throw new Error(entry.refusal.message);
  const blobs = [...files].map(([path, bytes]) => [path, new Blob([bytes])] as const);
  await modelStore({ headers: {}, now: () => '2026-12-03T00:00:00.000Z' }).add(
    entry.value,
    new Map(blobs),
  );
  const encoder = await engine.loadEncoder(entry.value);
  const vectors = await encoder.embed(texts);
  encoder.unload();
  return Math.max(
    ...texts.flatMap((text, row) =>
      tinyEmbedding(text).map((value, at) => Math.abs((vectors[row]?.[at] ?? NaN) - value)),
    ),
  );
}

/** The furthest that any logit on the GPU is from the same on the processor. */
export async function gpuCheck(): Promise<number> {
  const entry = await holdDecoder('page-gpu');
  // Software WebGPU compiles shaders anew for each length of input, for seconds: one short one is used.
  const messages = [{ role: 'user', parts: [{ type: 'text', text: 'a' }] }] as const;
  const [wanted = [], found = []] = await Promise.all(
    (['wasm', 'webgpu'] as const).map(async (device) => {
      const model = await engine.load(entry, { device });
      const logits = await model.score(messages);
      model.unload();
      return [...logits];
    }),
  );
  if (wanted.length === 0 || wanted.length !== found.length) return Infinity;
  return Math.max(...wanted.map((value, at) => Math.abs(value - (found[at] ?? NaN))));
}
