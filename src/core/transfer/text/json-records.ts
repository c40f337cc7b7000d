import type { Json } from '../../canonical.ts';
import { endOfString, readJson, skipSpace } from './lenient-json.ts';
import { makeProblemList, type ProblemList } from './problem.ts';

/** How the records of a file lie: one a line, in one array, or as the one object that the file is. */
export type RecordLayout = 'lines' | 'array' | 'object';

export interface JsonObject {
  readonly [key: string]: Json;
}

/** A record and the line it begins on. */
export interface JsonRecord {
  readonly line: number;
  readonly value: JsonObject;
}

export interface JsonRecords {
  readonly layout: RecordLayout;
  readonly records: readonly JsonRecord[];
  readonly problems: ProblemList;
}

/**
 * The JSON objects of a text: JSON Lines, one array (whatever the file is called), or one object.
 * A line or element that cannot be read is a problem, and the rest is kept. null where no part of
 * the text is a JSON object.
 */
export function readRecords(text: string): JsonRecords | null {
  const start = skipSpace(text, 0);
  const found = findPieces(text, start);
  if (found === null) return null;
  const { layout, pieces } = found;
  const problems = makeProblemList();
  const records: JsonRecord[] = [];
  for (const piece of pieces) {
    if (piece.text.trim() === '') continue;
    const value = readRecord(piece, problems);
    if (value !== null) records.push({ line: piece.line, value });
  }
  return { layout, records, problems };
}

/** Records in a layout, piece by piece; an array is written with its elements indented. */
export function* writeRecords(
  layout: RecordLayout,
  records: Iterable<unknown>,
): Generator<string, void, undefined> {
  if (layout === 'lines') {
    for (const record of records) yield `${lineOfJson(record)}\n`;
    return;
  }
  if (layout === 'object') {
    for (const record of records) yield `${JSON.stringify(record, null, 2)}\n`;
    return;
  }
  let before = '[\n';
  for (const record of records) {
    yield `${before}${JSON.stringify(record, null, 2).replace(/^/gmu, '  ')}`;
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

/** JSON on one line, also for readers that take U+2028, U+2029 and U+0085 for ends of lines. */
export function lineOfJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0085\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Lines with their numbers, whatever ends them, one at a time: there may be millions. */
export function* eachLine(text: string): Generator<Piece, void, undefined> {
  const ends = /\r\n|\n|\r/gu;
  let from = 0;
  let line = 1;
  for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
    yield { text: text.slice(from, end.index), line };
    from = ends.lastIndex;
    line += 1;
  }
  yield { text: text.slice(from), line };
}

/** A part of a file, and the line it begins on. */
export interface Piece {
  readonly text: string;
  readonly line: number;
}

function findPieces(
  text: string,
  start: number,
): { readonly layout: RecordLayout; readonly pieces: Iterable<Piece> } | null {
  if (text[start] === '[') {
    // A bullet of a playbook, `[shr-00001] …`, begins with a bracket too.
    const next = text[skipSpace(text, start + 1)];
    if (next !== '{' && next !== ']' && next !== undefined) return null;
    return { layout: 'array', pieces: splitValues(text, start) };
  }
  const first = firstLine(text, ({ text: line }) => line.trim() !== '');
  if (text[start] === '{' && !isWhole(first)) {
    const values = splitValues(text, start);
    if (values.length === 1) return { layout: 'object', pieces: values };
    if (firstLine(text, isWhole) === undefined) return { layout: 'lines', pieces: values };
  }
  const hasObject = firstLine(text, isWhole) !== undefined;
  return hasObject ? { layout: 'lines', pieces: eachLine(text) } : null;
}

function firstLine(text: string, is: (line: Piece) => boolean): Piece | undefined {
  for (const line of eachLine(text)) if (is(line)) return line;
  return undefined;
}

/** Whether a line looks like an object by itself. */
function isWhole(piece: Piece | undefined): boolean {
  const line = piece?.text.trim() ?? '';
  return line.startsWith('{') && line.endsWith('}');
}

function readRecord(piece: Piece, problems: ProblemList): JsonObject | null {
  const { line } = piece;
  const where = `Line ${line}`;
  const read = readJson(piece.text);
  if (!read.ok) {
    const message = `${where} was left out: ${read.refusal.message}.`;
    problems.add({ line, path: '', effect: 'left-out', message });
    return null;
  }
  const { value, changes } = read.value;
  if (!isObject(value)) {
    const message = `${where} was left out: it is not a JSON object.`;
    problems.add({ line, path: '', effect: 'left-out', message });
    return null;
  }
  for (const change of changes) {
    problems.add({ line, path: '', effect: 'changed', message: `${where}: ${change}.` });
  }
  return value;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The elements of the array that begins at `start`, or the objects one after another from there on.
 * Each is read by itself, so that one can break and the rest stays.
 */
function splitValues(text: string, start: number): readonly Piece[] {
  const isArray = text[start] === '[';
  const pieces: Piece[] = [];
  let [line, counted] = [lineAt(text, start), start];
  let from = isArray ? start + 1 : start;
  let depth = 0;
  const take = (end: number, next: number) => {
    const begin = skipSpace(text, from);
    from = next;
    if (begin >= end) return;
    line += countLines(text, counted, begin);
    counted = begin;
    pieces.push({ text: text.slice(begin, end), line });
  };
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === ',' && depth === 0) take(at, at + 1);
    else if (character === ']' && depth === 0) {
      take(at, at + 1);
      break;
    } else if (character === '}' || character === ']') {
      depth = Math.max(0, depth - 1);
      if (depth === 0 && !isArray) take(at + 1, at + 1);
    }
  }
  take(text.length, text.length);
  return pieces;
}

function lineAt(text: string, place: number): number {
  return 1 + countLines(text, 0, place);
}

function countLines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += 1) {
    if (text[at] === '\n' || (text[at] === '\r' && text[at + 1] !== '\n')) count += 1;
  }
  return count;
}
