/**
 * Letting messages in takes about a third of a millisecond. It is done after each token that took this
 * long, in milliseconds, so that an abort ends a real model's decoding within the token …
 */
const LONG_TOKEN_MS = 6;
/** … and of a toy's, which would lose a third of its time, where they were kept out so long. */
const KEPT_OUT_MS = 16;

let [tokenAt, yieldedAt] = [0, 0];

/** Whether messages are to be let in before the next token; asked before each. */
export function isTimeToYield(): boolean {
  const now = performance.now();
  const isTime = now - tokenAt >= LONG_TOKEN_MS || now - yieldedAt >= KEPT_OUT_MS;
  tokenAt = now;
  if (isTime) yieldedAt = now;
  return isTime;
}

const turns = new MessageChannel();
const waiting: (() => void)[] = [];
turns.port1.onmessage = () => waiting.shift()?.();

/** Lets messages in that wait. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    turns.port2.postMessage(null);
  });
}
