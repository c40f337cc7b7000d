/** Tokens of a prompt that a GPU's buffers take with certainty, images included. */
const PROMPT_MOST = 2560;
/** Left for a reply. */
const REPLY_ROOM = 700;

/** Tokens that a prompt may have in a context of so many, where nobody has measured more. */
export function promptBudgetOf(context: number): number {
  return Math.max(32, Math.min(PROMPT_MOST, context - REPLY_ROOM));
}
