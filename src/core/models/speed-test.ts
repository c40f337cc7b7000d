import { z } from 'zod';
import type { Generated, LoadedModel } from './engine.ts';
import { deviceSchema, type LanguageEntry } from './model-entry.ts';

/** Lengths of prompts that are tried, in tokens. */
export const SPEED_PROMPTS = [256, 1024, 2048] as const;

const measuredSchema = z.object({
  /** The length that was aimed at. */
  wanted: z.int().positive(),
  /** As the model counted it. */
  promptTokens: z.int().positive(),
  firstTokenMs: z.number().nonnegative(),
  prefillTokensPerSecond: z.number().nonnegative(),
  /** null: it wrote too little to tell. */
  decodeTokensPerSecond: z.number().nonnegative().nullable(),
});
export type MeasuredPrompt = z.infer<typeof measuredSchema>;

/** What a speed test came to. Plain data, kept with the settings. */
export const speedReportSchema = z.object({
  device: deviceSchema,
  at: z.string(),
  measured: z.array(measuredSchema),
  /** Lengths that this model does not take. */
  skipped: z.array(z.object({ wanted: z.int().positive(), reason: z.string() })),
});
export type SpeedReport = z.infer<typeof speedReportSchema>;

/** Where a speed test is. */
export interface SpeedProgress {
  /** Prompts that are done, of how many. */
  readonly done: number;
  readonly of: number;
  /** The length that is tried now; null while words are counted. */
  readonly wanted: number | null;
}

export interface SpeedTestMeans {
  readonly signal: AbortSignal;
  nowMs(): number;
  /** The time, ISO 8601. */
  now(): string;
}

/** Tokens of a reply: enough to tell a speed, little enough to wait for on a processor. */
const REPLY_TOKENS = 32;
/** Words of the prompt that tells how many tokens a word is. */
const COUNTED_WORDS = 40;
const WORDS =
  'the map shows seven lines and each line has its own colour so we follow one from stop to stop and count what lies between until it ends'.split(
    ' ',
  );

/**
 * Measures a loaded model on prompts of about 256, 1,024 and 2,048 tokens, made of plain words; their true
 * lengths are the model's own counts. Yields where it is. Throws `EngineError` as `generate` does.
 */
export async function* testSpeed(
  entry: LanguageEntry,
  model: LoadedModel,
  means: SpeedTestMeans,
): AsyncGenerator<SpeedProgress, SpeedReport> {
  const { promptBudget, context } = entry.language;
  const most = Math.min(promptBudget, context - REPLY_TOKENS);
  const wanted = SPEED_PROMPTS.filter((length) => length <= most);
  const skipped = SPEED_PROMPTS.filter((length) => length > most).map((length) => ({
    wanted: length,
    reason: `more than the ${most} tokens that it takes`,
  }));
  yield { done: 0, of: wanted.length, wanted: null };
  // A first short one, which also pays for what is made at the first call.
  const short = await ask(model, promptOf(0, COUNTED_WORDS), { ...means, maxNewTokens: 1 });
  let tokensPerWord = short.generated.promptTokens / COUNTED_WORDS;
  const measured: MeasuredPrompt[] = [];
  for (const [done, length] of wanted.entries()) {
    yield { done, of: wanted.length, wanted: length };
    const words = Math.max(1, Math.floor(Math.min(length, most) / tokensPerWord));
    const asked = { ...means, maxNewTokens: REPLY_TOKENS };
    const reply = await ask(model, promptOf(done + 1, words), asked);
    tokensPerWord = reply.generated.promptTokens / words;
    measured.push(measuredOf(length, reply));
  }
  yield { done: wanted.length, of: wanted.length, wanted: null };
  return { device: model.device, at: means.now(), measured, skipped };
}

interface Reply {
  readonly generated: Generated;
  readonly firstTokenMs: number;
}

async function ask(
  model: LoadedModel,
  text: string,
  { signal, nowMs, maxNewTokens }: SpeedTestMeans & { readonly maxNewTokens: number },
): Promise<Reply> {
  const messages = [{ role: 'user' as const, parts: [{ type: 'text' as const, text }] }];
  const request = { messages, schema: null, maxNewTokens, temperature: 0 };
  const begun = nowMs();
  let firstTokenMs: number | null = null;
  for await (const event of model.generate(request, signal)) {
    // A first token may be no text yet, so the engine's own figure counts where it is earlier.
    firstTokenMs ??= nowMs() - begun;
    if (event.type !== 'finish') continue;
    const { generated } = event;
    return { generated, firstTokenMs: Math.min(firstTokenMs, Math.max(0, generated.prefillMs)) };
  }
  throw new Error('the model ended its reply without a finish');
}

/** Each begins differently, so that nothing is reused of the one before. */
function promptOf(number: number, words: number): string {
  const line = Array.from({ length: words }, (_, at) => WORDS[at % WORDS.length]);
  return `${number} ${line.join(' ')}`;
}

function measuredOf(wanted: number, { generated, firstTokenMs }: Reply): MeasuredPrompt {
  const { promptTokens, completionTokens, prefillMs, decodeMs } = generated;
  return {
    wanted,
    promptTokens,
    firstTokenMs,
    prefillTokensPerSecond: perSecond(promptTokens, prefillMs),
    decodeTokensPerSecond:
      completionTokens > 1 && decodeMs > 0 ? perSecond(completionTokens - 1, decodeMs) : null,
  };
}

function perSecond(tokens: number, durationMs: number): number {
  return durationMs > 0 ? (1000 * tokens) / durationMs : 0;
}
