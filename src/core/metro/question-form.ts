import { unreachable } from '../result.ts';

/**
 * What a metro question asks, by names as they stand on the map. Stops are counted after the station
 * where one boards: its neighbour is 1 stop away. A change is getting off one line and onto another.
 */
export type QuestionForm =
  | {
      readonly kind: 'stops-between';
      readonly line: string;
      readonly from: string;
      readonly to: string;
    }
  | { readonly kind: 'transfers'; readonly from: string; readonly to: string }
  | {
      readonly kind: 'next-station';
      readonly line: string;
      readonly at: string;
      readonly towards: string;
    }
  | { readonly kind: 'line-by-legend'; readonly from: string; readonly to: string }
  | {
      readonly kind: 'loop-direction';
      readonly line: string;
      readonly from: string;
      readonly to: string;
    };

/** The question's words. `parseQuestion` reads them back. */
export function questionText(form: QuestionForm): string {
  switch (form.kind) {
    case 'stops-between':
      return `How many stops is it from ${form.from} to ${form.to} on the ${form.line} line?`;
    case 'transfers':
      return `What is the smallest number of changes on a journey from ${form.from} to ${form.to}?`;
    case 'next-station':
      return `On the ${form.line} line, at which station does a train stop next after ${form.at} towards ${form.towards}?`;
    case 'line-by-legend':
      return `Which line runs directly between ${form.from} and ${form.to}?`;
    case 'loop-direction':
      return `How many stops is it from ${form.from} to ${form.to} on the ${form.line} loop?`;
    default:
      return unreachable(form);
  }
}

/** Reads a question's words; null where they are not of a metro question. */
export function parseQuestion(text: string): QuestionForm | null {
  const stops = /^How many stops is it from (.+) to (.+) on the (.+) (line|loop)\?$/u.exec(text);
  if (stops !== null) {
    const [, from = '', to = '', line = '', word] = stops;
    return { kind: word === 'loop' ? 'loop-direction' : 'stops-between', line, from, to };
  }
  const changes = /^What is the smallest number of changes on a journey from (.+) to (.+)\?$/u.exec(
    text,
  );
  if (changes !== null) {
    const [, from = '', to = ''] = changes;
    return { kind: 'transfers', from, to };
  }
  const next =
    /^On the (.+) line, at which station does a train stop next after (.+) towards (.+)\?$/u.exec(
      text,
    );
  if (next !== null) {
    const [, line = '', at = '', towards = ''] = next;
    return { kind: 'next-station', line, at, towards };
  }
  const direct = /^Which line runs directly between (.+) and (.+)\?$/u.exec(text);
  if (direct !== null) {
    const [, from = '', to = ''] = direct;
    return { kind: 'line-by-legend', from, to };
  }
  return null;
}
