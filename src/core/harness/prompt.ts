import { z } from 'zod';

/**
 * A prompt as its data file gives it. `budgetTokens.system` is what the system text may take (four
 * characters a token, checked by a test); `budgetTokens.reply` is asked of the model as its limit.
 */
export const promptSchema = z.object({
  id: z.string(),
  revision: z.int().positive(),
  budgetTokens: z.object({ system: z.int().positive(), reply: z.int().positive() }),
  system: z.string().min(1),
});
export type Prompt = z.infer<typeof promptSchema>;

/** How requests, records and the simulated solver name a prompt: `team-critic@1`. */
export function promptReference(prompt: Prompt): string {
  return `${prompt.id}@${prompt.revision}`;
}
