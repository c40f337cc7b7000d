import { normalizeText, type Task } from '../../task.ts';

const COMMON = new Set(['yes', 'no', 'true', 'false', 'none', 'unknown', 'both', 'neither', 'all']);

/**
 * The first of the answers that a text quotes and that is distinctive (DESIGN.md §3), or null. Not
 * distinctive: fewer than four letters or digits ("3", "B"), plain words such as "none", and what the
 * question itself already says. Whole words only, letter case and punctuation aside.
 */
export function quotedAnswer(text: string, answers: readonly string[], task: Task): string | null {
  const haystack = words(text);
  const public_ = words(`${task.question} ${task.publicInformation}`);
  return (
    answers.find((answer) => {
      const needle = words(answer);
      if (needle.replaceAll(' ', '').length < 4 || COMMON.has(needle.trim())) return false;
      return !public_.includes(needle) && haystack.includes(needle);
    }) ?? null
  );
}

/** Lower-case words between single spaces, with one at either end, so that a search is by whole words. */
function words(text: string): string {
  const found = normalizeText(text)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return found === null ? '  ' : ` ${found.join(' ')} `;
}
