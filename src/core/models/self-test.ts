import { EngineError, type LoadedModel } from './engine.ts';
import type { LanguageEntry, LanguageFacts } from './model-entry.ts';

/** What came of asking a model what it is known to answer. */
export type SelfTestOutcome =
  /** Nothing is known that it should answer. */
  | { readonly type: 'absent' }
  | { readonly type: 'right'; readonly reply: string }
  | { readonly type: 'wrong'; readonly expected: string; readonly reply: string };

/** How much of a reply is kept to be shown. */
const SHOWN_CHARS = 120;

/**
 * Asks a loaded model its entry's question, always taking the likeliest token: weights that a GPU computes
 * wrongly say something else without any failure. Throws `EngineError` as `generate` does.
 */
export async function selfTest(
  entry: LanguageEntry,
  model: LoadedModel,
  signal: AbortSignal,
): Promise<SelfTestOutcome> {
  const known = entry.language.selfTest;
  if (known === null) return { type: 'absent' };
  const messages = [{ role: 'user', parts: [{ type: 'text', text: known.question }] }] as const;
  const asked = {
    messages,
    schema: null,
    maxNewTokens: known.maxNewTokens,
    temperature: 0,
  };
  for await (const event of model.generate(asked, signal)) {
    if (event.type !== 'finish') continue;
    const { text } = event.generated;
    const reply = shorten(text);
    if (!folded(text).includes(folded(known.answer))) {
      return { type: 'wrong', expected: known.answer, reply };
    }
    const off = known.logits && firstOff(await model.score(messages), known.logits);
    return off ?? { type: 'right', reply };
  }
  throw new Error(`${entry.name} ended its reply without a finish`);
}

/** The first logit that is further off than it may be. */
function firstOff(
  logits: Float32Array,
  { values, tolerance }: NonNullable<NonNullable<LanguageFacts['selfTest']>['logits']>,
): Extract<SelfTestOutcome, { type: 'wrong' }> | undefined {
  for (const { token, logit } of values) {
    const is = logits[token] ?? NaN;
    // Not “further than”: what is no number at all is off too.
    if (Math.abs(is - logit) <= tolerance) continue;
    const of = `of token ${token}`;
    return { type: 'wrong', expected: `logit ${logit} ${of}`, reply: `logit ${is} ${of}` };
  }
  return undefined;
}

/**
 * Asks a model that was just loaded what it must know. Throws `EngineError` (`wrong-answer`) where it says
 * something else; a model that nothing is known of passes.
 */
export async function checkByQuestion(
  model: LoadedModel,
  entry: LanguageEntry,
  signal: AbortSignal,
): Promise<void> {
  const outcome = await selfTest(entry, model, signal);
  if (outcome.type === 'wrong') throw wrongAnswer(entry, outcome);
}

/** The error of a self-test that came out wrong. */
export function wrongAnswer(
  { name }: LanguageEntry,
  { expected, reply }: Extract<SelfTestOutcome, { type: 'wrong' }>,
): EngineError {
  const said = reply === '' ? 'nothing' : `“${reply}”`;
  return new EngineError(
    'wrong-answer',
    `${name} computes wrongly on this device: asked what it must answer with “${expected}”, it said ${said}. Take its other weights, another model, or rules.`,
  );
}

/** What to do where a model computes wrongly here. */
export interface Replacement {
  /** null: no other is known. */
  readonly model: LanguageEntry | null;
  /** Whether its files are here, so that roles can go to it at once. */
  readonly isHere: boolean;
  /** A sentence for people. */
  readonly message: string;
}

/** Which model stands in for one that gave a wrong answer: the one its entry names, where that is known. */
export function replacementFor(
  entry: LanguageEntry,
  known: readonly LanguageEntry[],
  isHere: (id: string) => boolean,
): Replacement {
  const wrong = `${entry.name} computes wrongly on this device, so it was unloaded.`;
  const model = known.find(({ id }) => id === entry.otherwise) ?? null;
  if (model === null) {
    return {
      model,
      isHere: false,
      message: `${wrong} No other weights of it are known; its roles go to rules.`,
    };
  }
  return isHere(model.id)
    ? { model, isHere: true, message: `${wrong} Its roles go to ${model.name}, which is here.` }
    : {
        model,
        isHere: false,
        message: `${wrong} ${model.name} has other weights; download it to use it instead. Until then its roles go to rules.`,
      };
}

function folded(text: string): string {
  return text.toLowerCase().replace(/\s+/gu, ' ');
}

function shorten(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  return line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS)}…` : line;
}
