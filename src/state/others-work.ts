import type { Turns } from '../core/turns.ts';

/** How long work in turns may hold up the page before others have theirs. */
const TURN_MS = 12;

/** Work done with others' in between, wherever it yields after some milliseconds. */
export async function overTime<V>(work: Turns<V>): Promise<V> {
  for (let began = performance.now(); ;) {
    const next = work.next();
    if (next.done === true) return next.value;
    if (performance.now() - began < TURN_MS) continue;
    await othersWork();
    began = performance.now();
  }
}

/** Resolves once whatever else waits on this thread has had its turn. */
export function othersWork(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Resolves once what there is to show is on screen; soon where the page is not looked at. */
export function drawn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 200);
    requestAnimationFrame(() => setTimeout(resolve));
  });
}
