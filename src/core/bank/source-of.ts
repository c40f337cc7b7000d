import type { Evidence } from './node.ts';

/** Who worked where a piece of evidence came from, in a word or two: "team · simulated". */
export function sourceOf({ harness, backbone }: Pick<Evidence, 'harness' | 'backbone'>): string {
  return `${harness} · ${backbone}`;
}
