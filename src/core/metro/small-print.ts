import { unreachable } from '../result.ts';

/** What a sentence of small print says, by names as they stand on the map. */
export type Note =
  | { readonly kind: 'skips'; readonly line: string; readonly station: string }
  | { readonly kind: 'closed-to-changes'; readonly station: string };

/** The note's words, as they are drawn. `parseNote` reads them back. */
export function noteText(note: Note): string {
  switch (note.kind) {
    case 'skips':
      return `${note.line} line trains do not stop at ${note.station}.`;
    case 'closed-to-changes':
      return `No changing of lines at ${note.station}.`;
    default:
      return unreachable(note);
  }
}

/** Reads a note's words; null where they are not of a note. */
export function parseNote(text: string): Note | null {
  const skips = /^(.+) line trains do not stop at (.+)\.$/u.exec(text);
  if (skips !== null) return { kind: 'skips', line: skips[1] ?? '', station: skips[2] ?? '' };
  const closed = /^No changing of lines at (.+)\.$/u.exec(text);
  return closed === null ? null : { kind: 'closed-to-changes', station: closed[1] ?? '' };
}
