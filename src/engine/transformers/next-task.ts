/** Messages are let in between two tokens where they were kept out so long, in milliseconds. */
const YIELD_EVERY_MS = 4;

let yieldedAt = 0;

/**
 * Whether messages were kept out long enough. A token of a real model takes longer than this, so that an
 * abort ends it within the token; letting them in after each of a toy's would cost a fifth of its time.
 */
export function isTimeToYield(): boolean {
  const now = performance.now();
  if (now - yieldedAt < YIELD_EVERY_MS) return false;
  yieldedAt = now;
  return true;
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
