import type { BrowserMessage, BrowserSession } from './prompt-api-model.ts';

/** Characters that a token is taken for where the browser does not count. */
const CHARACTERS_A_TOKEN = 4;

/** Tokens of a conversation whose last message is yet to be asked. */
export async function promptTokensOf(
  session: BrowserSession,
  messages: readonly BrowserMessage[],
): Promise<number> {
  const counted = session.contextUsage ?? session.inputUsage;
  if (counted === undefined) return measuredTokens(session, messages);
  return Math.round(counted) + (await measuredTokens(session, messages.slice(-1)));
}

/** As the browser counts, else as many as the characters suggest. */
export async function measuredTokens(
  session: BrowserSession,
  messages: readonly BrowserMessage[],
): Promise<number> {
  const counted =
    (await session.measureContextUsage?.(messages)) ??
    (await session.measureInputUsage?.(messages));
  if (counted !== undefined) return Math.round(counted);
  const characters = messages
    .flatMap(({ content }) => content.map((part) => (part.type === 'text' ? part.value.length : 0)))
    .reduce((sum, length) => sum + length, 0);
  return Math.ceil(characters / CHARACTERS_A_TOKEN);
}
