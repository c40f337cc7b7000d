import { onTestFinished } from 'vitest';
import type {
  BrowserAvailability,
  BrowserMessage,
  BrowserModelOptions,
} from '../../../src/engine/prompt-api/prompt-api-model.ts';

const REPLY = 'and again and again, the red line goes on '.repeat(20).match(/\S+ /gu) ?? [];

/** What the double is to be like, and what was seen of it. */
export interface PromptApiState {
  sees: boolean;
  availability: BrowserAvailability;
  /** Tokens that a session takes; null: it does not count. */
  window: number | null;
  /** The older names of the counts. */
  oldNames: boolean;
  /** Thrown by the next `create`, or at the next prompt. */
  failsToCreate: DOMException | null;
  failsToAnswer: DOMException | null;
  /** Parts of its download, told as it is created. */
  readonly progress: number[];
  readonly created: BrowserModelOptions[];
  readonly prompts: (readonly BrowserMessage[])[];
  /** Sessions that were not destroyed. */
  open: number;
  /** Pieces it was asked for, all replies together. */
  made: number;
}

type Options = BrowserModelOptions & {
  initialPrompts?: readonly BrowserMessage[];
  signal?: AbortSignal;
  monitor?: (monitor: EventTarget) => void;
};
type PromptOptions = {
  responseConstraint?: { properties?: Record<string, { enum?: readonly unknown[] }> };
  signal?: AbortSignal;
};

/** A word a token, an image 100. */
function countOf(messages: readonly BrowserMessage[]): number {
  return messages
    .flatMap(({ content }) => content)
    .reduce(
      (sum, part) => sum + (part.type === 'image' ? 100 : part.value.trim().split(/\s+/u).length),
      0,
    );
}

/**
 * Puts a double of the browser's own model (Prompt API) in its place for one test: no browser that runs
 * these tests has one. It answers always the same, to a schema with the first of each choice.
 */
export function installPromptApi(over: Partial<PromptApiState> = {}): PromptApiState {
  const state: PromptApiState = {
    ...{ sees: false, availability: 'available', window: 4096, oldNames: false },
    ...{ failsToCreate: null, failsToAnswer: null, progress: [], created: [], prompts: [] },
    ...{ open: 0, made: 0 },
    ...over,
  };
  Object.defineProperty(globalThis, 'LanguageModel', {
    configurable: true,
    value: {
      availability: async ({ expectedInputs }: BrowserModelOptions) => {
        const isSeen = expectedInputs.some(({ type }) => type === 'image');
        return isSeen && !state.sees ? 'unavailable' : state.availability;
      },
      create: (options: Options) => create(state, options),
    },
  });
  return state;
}

/** Takes it away where the test is done, however it ends. */
export function withPromptApi(over: Partial<PromptApiState> = {}): PromptApiState {
  onTestFinished(removePromptApi);
  return installPromptApi(over);
}

export function removePromptApi(): void {
  Reflect.deleteProperty(globalThis, 'LanguageModel');
}

async function create(state: PromptApiState, options: Options) {
  const { initialPrompts = [], signal, monitor } = options;
  signal?.throwIfAborted();
  const failure = state.failsToCreate;
  state.failsToCreate = null;
  if (failure !== null) throw failure;
  const target = new EventTarget();
  monitor?.(target);
  for (const loaded of state.progress) {
    target.dispatchEvent(new ProgressEvent('downloadprogress', { loaded, total: 1 }));
  }
  await new Promise((resolve) => setTimeout(resolve, 1));
  signal?.throwIfAborted();
  const used = countOf(initialPrompts);
  if (state.window !== null && used > state.window) {
    throw new DOMException('too much', 'QuotaExceededError');
  }
  state.created.push(options);
  state.open += 1;
  return {
    promptStreaming(messages: readonly BrowserMessage[], prompting: PromptOptions) {
      state.prompts.push([...initialPrompts, ...messages]);
      return streamOf(state, prompting);
    },
    ...countsOf(state, used),
    destroy: () => void (state.open -= 1),
  };
}

function countsOf({ window, oldNames }: PromptApiState, used: number): object {
  if (window === null) return {};
  const measure = async (messages: readonly BrowserMessage[]) => countOf(messages);
  return oldNames
    ? { inputUsage: used, inputQuota: window, measureInputUsage: measure }
    : { contextUsage: used, contextWindow: window, measureContextUsage: measure };
}

function streamOf(
  state: PromptApiState,
  { responseConstraint, signal }: PromptOptions,
): ReadableStream<string> {
  const pieces = responseConstraint === undefined ? [...REPLY] : piecesOf(responseConstraint);
  const failure = state.failsToAnswer;
  state.failsToAnswer = null;
  return new ReadableStream<string>({
    start(controller) {
      signal?.addEventListener('abort', () => controller.error(signal.reason));
    },
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve));
      if (failure !== null) controller.error(failure);
      if (failure !== null || signal?.aborted === true) return;
      state.made += 1;
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
  });
}

function piecesOf({ properties = {} }: NonNullable<PromptOptions['responseConstraint']>): string[] {
  const members = Object.entries(properties).map(([name, { enum: values }]) => [
    name,
    values === undefined ? false : values[0],
  ]);
  return JSON.stringify(Object.fromEntries(members)).match(/.{1,4}/gu) ?? [];
}
