import type { AttemptOutcome } from '../../core/evolve/run-view.ts';

/** What an attempt came to: a mark's kind and its words. */
export interface Verdict {
  readonly kind: 'success' | 'failure' | 'judged' | 'held';
  readonly word: string;
  readonly reason: string;
}

/** Who says so is part of the word: a reference and a person say right or wrong, a critic says ready. */
export function verdictOf({ feedback, ready, readyReason }: AttemptOutcome): Verdict {
  const { type, verdict, reason } = feedback;
  if (type === 'user' && verdict !== 'unknown') {
    const because = reason === '' ? '' : `: ${reason}`;
    return {
      kind: verdict === 'right' ? 'success' : 'failure',
      word: `you said ${verdict}${because}`,
      reason: readyReason,
    };
  }
  if (type === 'reference' && verdict !== 'unknown') {
    return {
      kind: verdict === 'right' ? 'success' : 'failure',
      word: verdict,
      reason: readyReason,
    };
  }
  return ready
    ? { kind: 'judged', word: 'judged ready', reason: readyReason }
    : { kind: 'held', word: 'not ready', reason: readyReason };
}
