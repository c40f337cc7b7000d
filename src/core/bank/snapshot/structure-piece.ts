import type { Crop } from '../../memory.ts';
import { accept, refuse, type Refusal, type Result } from '../../result.ts';
import type { Evidence, Group, Lesson, Node } from '../node.ts';

/*
 * Opening a large bank reads every structure piece before anything can be shown, so the form is made
 * for few bytes: words once a piece, and each node as a row of numbers that point at them.
 */

const GROUP = 1;
const RETIRED = 2;
const HELD = 4;
const SUMMARY = 8;
const CROP = 16;

const FEEDBACKS = ['none', 'judged', 'user', 'reference'] as const;
const STRENGTHS = ['verified', 'judged', 'unverified'] as const;

/** What a node is and hangs from, its title and its evidence, as JSON; `readStructurePiece` reads it. */
export function writeStructurePiece(nodes: readonly Node[]): string {
  const writer = new RowWriter();
  for (const node of nodes) {
    if (node.kind === 'lesson') writeLesson(writer, node);
    else writeGroup(writer, node);
  }
  return JSON.stringify({ words: writer.words, rows: writer.rows });
}

/**
 * The nodes of a piece without their texts: content but for title and crop, the words of a summary,
 * and content hashes are empty. `bad-shape` where it does not parse.
 */
export function readStructurePiece(json: string): Result<readonly Node[], Refusal<'bad-shape'>> {
  const reader = RowReader.of(json);
  const nodes: Node[] = [];
  while (reader !== null && !reader.atEnd) nodes.push(readNode(reader));
  if (reader === null || reader.broken) {
    return refuse('bad-shape', 'a piece of its structure does not parse', 'structure');
  }
  return accept(nodes);
}

function writeLesson(
  writer: RowWriter,
  { id, parent, status, trust, revises, content, evidence }: Lesson,
): void {
  const { title, crop } = content;
  const flags =
    (status === 'retired' ? RETIRED : 0) |
    (trust === 'held' ? HELD : 0) |
    (crop === null ? 0 : CROP);
  writer.numbers(flags);
  writer.put(id, parent, title, revises);
  if (crop !== null) writeCrop(writer, crop);
  writer.numbers(evidence.length);
  for (const piece of evidence) writeEvidence(writer, piece);
}

function writeCrop(writer: RowWriter, crop: Crop): void {
  writer.put(crop.hash, crop.mediaType, crop.sourceHash);
  writer.numbers(crop.width, crop.height, crop.sourceWidth, crop.sourceHeight, ...crop.box);
}

function writeEvidence(writer: RowWriter, evidence: Evidence): void {
  const { taskId, runId, harness, backbone, model, tool, at } = evidence;
  writer.put(taskId, runId, harness, backbone, model, tool, at);
  writer.numbers(
    evidence.attempt,
    FEEDBACKS.indexOf(evidence.feedback),
    STRENGTHS.indexOf(evidence.strength),
    evidence.supports ? 1 : 0,
  );
}

function writeGroup(writer: RowWriter, { id, parent, title, summary }: Group): void {
  writer.numbers(GROUP | (summary === null ? 0 : SUMMARY));
  writer.put(id, parent, title);
  if (summary === null) return;
  const { supportedBy, conflicts } = summary;
  writer.numbers(supportedBy.length);
  writer.put(...supportedBy);
  writer.numbers(conflicts.length);
  for (const { lessons, settled } of conflicts) writer.put(...lessons, settled);
}

function readNode(reader: RowReader): Node {
  const flags = reader.number();
  return (flags & GROUP) === 0 ? readLesson(reader, flags) : readGroup(reader, flags);
}

function readLesson(reader: RowReader, flags: number): Lesson {
  const [id, parent, title] = [reader.word(), reader.wordOrNull(), reader.word()];
  const revises = reader.wordOrNull();
  const crop = (flags & CROP) === 0 ? null : readCrop(reader);
  const texts = { guidance: '', appliesWhen: '', cautions: [], topic: '', scope: '', anchor: '' };
  return {
    kind: 'lesson',
    id,
    parent,
    content: { title, ...texts, crop },
    contentHash: '',
    evidence: reader.list(() => readEvidence(reader)),
    status: (flags & RETIRED) === 0 ? 'active' : 'retired',
    trust: (flags & HELD) === 0 ? 'trusted' : 'held',
    revises,
  };
}

function readCrop(reader: RowReader): Crop {
  const [hash, mediaType, sourceHash] = [reader.word(), reader.word(), reader.word()];
  const [width, height] = [reader.number(), reader.number()];
  const [sourceWidth, sourceHeight] = [reader.number(), reader.number()];
  const box: Crop['box'] = [reader.number(), reader.number(), reader.number(), reader.number()];
  return { hash, mediaType, width, height, sourceHash, sourceWidth, sourceHeight, box };
}

function readEvidence(reader: RowReader): Evidence {
  const [taskId, runId, harness] = [reader.word(), reader.word(), reader.word()];
  const [backbone, model] = [reader.word(), reader.word()];
  const [tool, at] = [reader.word(), reader.word()];
  return {
    ...{ taskId, runId, harness, backbone, model, tool, at },
    attempt: reader.number(),
    feedback: reader.oneOf(FEEDBACKS),
    strength: reader.oneOf(STRENGTHS),
    supports: reader.number() === 1,
  };
}

function readGroup(reader: RowReader, flags: number): Group {
  const [id, parent, title] = [reader.word(), reader.wordOrNull(), reader.word()];
  if ((flags & SUMMARY) === 0) {
    return { kind: 'group', id, parent, title, scope: '', summary: null };
  }
  const supportedBy = reader.list(() => reader.word());
  const conflicts = reader.list(() => {
    const lessons: [string, string] = [reader.word(), reader.word()];
    return { lessons, about: '', settled: reader.wordOrNull() };
  });
  const summary = { text: '', procedure: [], conditions: '', conflicts, supportedBy };
  return { kind: 'group', id, parent, title, scope: '', summary };
}

/** Rows of numbers, and the words that some of them point at; 0 points at none. */
class RowWriter {
  readonly words: string[] = [];
  readonly rows: number[] = [];
  readonly #places = new Map<string, number>();

  put(...words: readonly (string | null)[]): void {
    for (const word of words) this.rows.push(word === null ? 0 : this.#placeOf(word));
  }

  numbers(...values: readonly number[]): void {
    this.rows.push(...values);
  }

  #placeOf(word: string): number {
    const known = this.#places.get(word);
    if (known !== undefined) return known;
    const place = this.words.push(word);
    this.#places.set(word, place);
    return place;
  }
}

/** Reads what a RowWriter wrote; `broken` once anything was not as it must be. */
class RowReader {
  broken = false;
  #at = 0;
  readonly #words: readonly unknown[];
  readonly #rows: readonly unknown[];

  constructor(words: readonly unknown[], rows: readonly unknown[]) {
    this.#words = words;
    this.#rows = rows;
  }

  static of(json: string): RowReader | null {
    const value = parseJson(json);
    if (typeof value !== 'object' || value === null) return null;
    if (!('words' in value) || !('rows' in value)) return null;
    const { words, rows } = value;
    return Array.isArray(words) && Array.isArray(rows) ? new RowReader(words, rows) : null;
  }

  get atEnd(): boolean {
    return this.broken || this.#at >= this.#rows.length;
  }

  number(): number {
    const value = this.#rows[this.#at++];
    return typeof value === 'number' ? value : this.#break(0);
  }

  wordOrNull(): string | null {
    const place = this.number();
    if (place === 0) return null;
    const word = this.#words[place - 1];
    return typeof word === 'string' ? word : this.#break('');
  }

  word(): string {
    return this.wordOrNull() ?? this.#break('');
  }

  oneOf<V>(values: readonly [V, ...V[]]): V {
    return values[this.number()] ?? this.#break(values[0]);
  }

  list<V>(read: () => V): V[] {
    const items: V[] = [];
    for (let left = this.number(); left > 0 && !this.atEnd; left -= 1) items.push(read());
    return items;
  }

  #break<V>(value: V): V {
    this.broken = true;
    return value;
  }
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
