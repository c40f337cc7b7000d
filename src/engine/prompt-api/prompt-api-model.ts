/**
 * The browser's own language model as it offers it to a page: what of it is used here. Counts are under
 * two names, for browsers renamed them.
 */
export interface BrowserLanguageModel {
  availability(options: BrowserModelOptions): Promise<BrowserAvailability>;
  create(options: BrowserModelOptions & BrowserCreateOptions): Promise<BrowserSession>;
  /** Where a page may choose them; most pages may not. */
  params?(): Promise<{ readonly defaultTopK: number; readonly maxTemperature: number } | null>;
}

export type BrowserAvailability = 'unavailable' | 'downloadable' | 'downloading' | 'available';

export interface BrowserModelOptions {
  readonly expectedInputs: readonly BrowserInput[];
  readonly expectedOutputs: readonly BrowserInput[];
}

type BrowserInput =
  { readonly type: 'text'; readonly languages: readonly string[] } | { readonly type: 'image' };

interface BrowserCreateOptions {
  readonly initialPrompts?: readonly BrowserMessage[];
  readonly temperature?: number;
  readonly topK?: number;
  readonly signal?: AbortSignal;
  readonly monitor?: (monitor: EventTarget) => void;
}

export interface BrowserMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: readonly (
    | { readonly type: 'text'; readonly value: string }
    | { readonly type: 'image'; readonly value: Blob }
  )[];
}

interface BrowserPromptOptions {
  readonly responseConstraint?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

export interface BrowserSession {
  promptStreaming(
    messages: readonly BrowserMessage[],
    options: BrowserPromptOptions,
  ): ReadableStream<string>;
  measureContextUsage?(messages: readonly BrowserMessage[]): Promise<number>;
  measureInputUsage?(messages: readonly BrowserMessage[]): Promise<number>;
  readonly contextUsage?: number;
  readonly inputUsage?: number;
  readonly contextWindow?: number;
  readonly inputQuota?: number;
  destroy(): void;
}

/** Languages that Grove's own prompts and most tasks are in. */
export const LANGUAGES = ['en'] as const;

/** What a session takes and gives. */
export function modelOptions({ images }: { readonly images: boolean }): BrowserModelOptions {
  const text = { type: 'text', languages: LANGUAGES } as const;
  return {
    expectedInputs: images ? [text, { type: 'image' }] : [text],
    expectedOutputs: [text],
  };
}

/** The browser's own model; null where this page has none. */
export function browserLanguageModel(): BrowserLanguageModel | null {
  const found: unknown = Reflect.get(globalThis, 'LanguageModel');
  return isLanguageModel(found) ? found : null;
}

function isLanguageModel(value: unknown): value is BrowserLanguageModel {
  return ['availability', 'create'].every(
    (name) => typeof Reflect.get(Object(value), name) === 'function',
  );
}
