import { z } from 'zod';

const count = z.int().nonnegative().exactOptional();

/**
 * What the file of an imported item said of it: another system's word. It is kept, shown and handed
 * on; no support, failure or rank counts it. A member is absent where the file did not say it.
 */
export const claimSchema = z.object({
  /** What the item is called in its file. */
  id: z.string().exactOptional(),
  /** ACE: how often the item helped, did harm, and did neither. */
  helpful: count,
  harmful: count,
  neutral: count,
  /** ReMe: its quality score; how often it was given, and how often that helped. */
  score: z.number().exactOptional(),
  freq: count,
  utility: count,
});
export type Claim = z.infer<typeof claimSchema>;

const CLAIM_COUNTERS = ['helpful', 'harmful', 'neutral', 'freq', 'utility'] as const;

/** Evidence, as far as a claim goes. */
interface Claiming {
  readonly taskId: string;
  readonly claim?: Claim;
}

/**
 * What the files say of a lesson together: of an item that came in twice, the later word; counters of
 * different items added up; the last score, since scores of different items have no sum.
 */
export function claimOf(evidence: readonly Claiming[]): Claim {
  const byItem = new Map<string, Claim>();
  for (const { taskId, claim } of evidence) if (claim !== undefined) byItem.set(taskId, claim);
  const together: Claim = {};
  for (const claim of byItem.values()) {
    for (const name of CLAIM_COUNTERS) {
      const said = claim[name];
      if (said !== undefined) together[name] = addUp(together[name] ?? 0, said);
    }
    if (claim.score !== undefined) together.score = claim.score;
  }
  return together;
}

/** A sum of counts that stays one that a file can hold. */
export function addUp(first: number, second: number): number {
  return Math.min(first + second, Number.MAX_SAFE_INTEGER);
}

/** "5 helpful, 0 harmful, score 0.92"; empty where nothing was said. */
export function claimInWords({ helpful, harmful, neutral, score, freq, utility }: Claim): string {
  return [
    helpful === undefined ? '' : `${helpful} helpful`,
    harmful === undefined ? '' : `${harmful} harmful`,
    neutral === undefined ? '' : `${neutral} neutral`,
    score === undefined ? '' : `score ${score}`,
    freq === undefined ? '' : `given ${freq}×`,
    utility === undefined ? '' : `helped ${utility}×`,
  ]
    .filter((words) => words !== '')
    .join(', ');
}
