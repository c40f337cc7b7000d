/** What was read out of a solver's reply. */
export interface ParsedAnswer {
  /** Without label, emphasis and closing full stop; empty where the reply holds no text. */
  readonly text: string;
  /** Whether a line was labelled `Answer:`; false where the last line had to serve. */
  readonly labelled: boolean;
  /** Why the solver itself called it uncertain or a guess; null where it did not. */
  readonly uncertain: string | null;
}

const LABEL = /^[\s>#*_\-–•`]*(?:my |the )?(?:final )?answer\s*(?:is)?\s*[*_`]*\s*[:：]\s*(.*)$/iu;
const UNCERTAIN = /^[\s>#*_\-–•`]*uncertain\s*[*_`]*\s*[:：]\s*(.*)$/iu;
const DOUBT =
  /\s*[([]?\s*\b(?:a guess|guess|guessing|uncertain|unsure|not sure)\b[^)\]]*[)\]]?\s*$/iu;

/**
 * Reads the answer of a reply: the last line labelled `Answer:` (bold, quoted, listed or followed by
 * a line break, whichever a model makes of it), else the last line that is not empty. What stands
 * between `<think>` tags is not part of the reply.
 */
export function parseAnswer(reply: string): ParsedAnswer {
  const lines = withoutThinking(reply)
    .split(/\r?\n/u)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(?:```\w*|[-*_]{3,})$/u.test(line));
  const last = lines.findLastIndex((line) => LABEL.test(line));
  const rest = last < 0 ? '' : stripMarks(LABEL.exec(lines[last] ?? '')?.[1] ?? '');
  const following = last < 0 ? undefined : lines[last + 1];
  const labelled = last >= 0 && (rest !== '' || following !== undefined);
  const raw = labelled ? (rest === '' ? (following ?? '') : rest) : (lines.at(-1) ?? '');
  const answer = stripMarks(labelled ? raw : raw.replace(LABEL, '$1'));
  const doubt = DOUBT.exec(answer);
  return {
    text:
      doubt === null ? answer : stripMarks(answer.slice(0, doubt.index).replace(/[,;–-]\s*$/u, '')),
    labelled,
    uncertain: uncertainty(lines) ?? (doubt === null ? null : doubt[0].trim()),
  };
}

/** A reply without the thinking that some servers leave in it, also where the tag was never closed. */
export function withoutThinking(reply: string): string {
  return reply
    .replace(/<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/giu, '')
    .replace(/^[\s\S]*<\/think(?:ing)?>/iu, '')
    .replace(/<think(?:ing)?>[\s\S]*$/iu, '');
}

function uncertainty(lines: readonly string[]): string | null {
  const line = lines.findLast((candidate) => UNCERTAIN.test(candidate));
  if (line === undefined) return null;
  const reason = stripMarks(UNCERTAIN.exec(line)?.[1] ?? '');
  // "Uncertain: no" is the label filled in, not doubt.
  if (/^(?:no|none|n\/a|nothing|not)\b/iu.test(reason) && reason.length < 12) return null;
  return reason === '' ? 'it gave no reason' : reason;
}

function stripMarks(text: string): string {
  const boxed = /\\boxed\{([^{}]*)\}/u.exec(text);
  let stripped = (boxed?.[1] ?? text).trim();
  for (let before = ''; before !== stripped;) {
    before = stripped;
    stripped = stripped
      .replace(/^[*_`$"“'‘]+|[*_`$"”'’]+$/gu, '')
      .replace(/(?<!\.)\.$/u, '')
      .trim();
  }
  return stripped;
}
