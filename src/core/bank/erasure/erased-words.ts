import { normalizeText } from '../../task.ts';

/** Shorter texts ("maps") are erased words only where they are all that a text says. */
const TELLING_CHARS = 8;

/** Stands where a group's title quoted what was erased: a group has a title. */
export const TITLE_INSTEAD = 'Untitled group';

/**
 * Tells texts that quote what was erased: group titles and scopes, summaries, reasons. Letter case and
 * white space do not matter. What a lesson that stays says too is not erased.
 */
export interface ErasedWords {
  /** The text says an erased text, or holds one. */
  quotes(text: string): boolean;
  /** A group's title or scope: as it is, or `instead` where it quotes, or is a piece of what was erased. */
  label(text: string, instead: string): string;
  /** A sentence of reasons: as it is, or nothing where it quotes. */
  reason(text: string): string;
}

/** Words of `erased` texts that none of `staying` says. */
export function erasedWords(erased: Iterable<string>, staying: readonly string[]): ErasedWords {
  const kept = new Set(staying.map(fold));
  const whole = new Set([...erased].map(fold).filter((text) => text !== '' && !kept.has(text)));
  const telling = [...whole].filter(isTelling);
  const quotes = (text: string) => {
    if (whole.size === 0) return false;
    const folded = fold(text);
    return whole.has(folded) || telling.some((each) => folded.includes(each));
  };
  const isPiece = (text: string) => {
    const folded = fold(text);
    return (
      isTelling(folded) &&
      telling.some((each) => each.includes(folded)) &&
      ![...kept].some((each) => each.includes(folded))
    );
  };
  return {
    quotes,
    label: (text, instead) => (quotes(text) || isPiece(text) ? instead : text),
    reason: (text) => (quotes(text) ? '' : text),
  };
}

/** How two texts are compared. */
export function fold(text: string): string {
  return normalizeText(text).toLowerCase();
}

function isTelling(text: string): boolean {
  return [...text].length >= TELLING_CHARS;
}
