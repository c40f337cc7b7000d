import type { z } from 'zod';
import {
  deltaBatchSchema,
  deltaOperationSchema,
  type DeltaBatch,
  type DeltaOperation,
} from '../ace/ace-delta.ts';
import { readSkillbook } from '../ace/ace-skillbook.ts';
import { groveLineSchema, type GroveLine } from './grove-lessons.ts';
import type { ItemFile, ReadRecords } from './item-file.ts';
import { isObject, type JsonObject, type JsonRecord } from '../text/json-records.ts';
import { readLabelled, type LabelledBlock } from '../text/labelled-text.ts';
import { checkShape, makeProblemList, type ProblemList } from '../text/problem.ts';
import {
  reasoningItemSchema,
  reasoningRecordSchema,
  type ReasoningItem,
  type ReasoningRecord,
} from './reasoning-bank.ts';

/** The records that fit a schema, as they are; the others are problems. */
export function fittingRecords<Item>(
  records: readonly JsonRecord[],
  schema: z.ZodType<Item>,
  problems: ProblemList,
): ReadRecords<Item> {
  return fitEach(records, problems, () => schema);
}

/** Lines of Grove's own export, and lessons written by hand. */
export function groveRecords(
  records: readonly JsonRecord[],
  problems: ProblemList,
): ReadRecords<GroveLine> {
  return fitEach(records, problems, ({ type }) => groveLineSchema(type));
}

/** Items and records of ReasoningBank, whichever each is. */
export function reasoningRecords(
  records: readonly JsonRecord[],
  problems: ProblemList,
): ReadRecords<ReasoningItem | ReasoningRecord> {
  return fitEach<ReasoningItem | ReasoningRecord>(records, problems, (value) =>
    'memory_items' in value ? reasoningRecordSchema : reasoningItemSchema,
  );
}

/** Operations and batches of them; a batch keeps those of its operations that fit. */
export function deltaRecords(
  records: readonly JsonRecord[],
  problems: ProblemList,
): ReadRecords<DeltaOperation | DeltaBatch> {
  const checked = records.map(({ line, value }) => ({
    line,
    value: withFittingOperations(line, value, problems),
  }));
  return fitEach<DeltaOperation | DeltaBatch>(checked, problems, (value) =>
    'operations' in value ? deltaBatchSchema : deltaOperationSchema,
  );
}

/** The skillbook that a file is; further records are problems. */
export function skillbookFile(
  records: readonly JsonRecord[],
  problems: ProblemList,
): ItemFile | null {
  const book = records.find(({ value }) => isObject(value['skills']));
  if (book === undefined) return null;
  for (const { line } of records) {
    if (line !== book.line) leaveOut(problems, line, { message: 'a skillbook is one object' });
  }
  const skillbook = readSkillbook(book, problems);
  const { skills: items } = skillbook;
  const lines = items.map(() => book.line);
  return { format: 'ace-skillbook', skillbook, items, lines, problems: problems.all() };
}

/** The items of a text with labels. */
export function textItems<Item>(
  text: string,
  labels: readonly string[],
  itemOf: (block: LabelledBlock) => Item,
): ReadRecords<Item> {
  const problems = makeProblemList();
  const blocks = readLabelled(text, labels, problems);
  return {
    items: blocks.map(itemOf),
    lines: blocks.map(({ line }) => line),
    problems: problems.all(),
  };
}

function fitEach<Item>(
  records: readonly JsonRecord[],
  problems: ProblemList,
  schemaOf: (value: JsonObject) => z.ZodType<Item>,
): ReadRecords<Item> {
  const items: Item[] = [];
  const lines: number[] = [];
  for (const { line, value } of records) {
    const shape = checkShape(schemaOf(value), value);
    if (shape.ok) {
      items.push(shape.value);
      lines.push(line);
    } else leaveOut(problems, line, shape.refusal);
  }
  return { items, lines, problems: problems.all() };
}

function withFittingOperations(line: number, value: JsonObject, problems: ProblemList): JsonObject {
  const { operations } = value;
  if (!Array.isArray(operations)) return value;
  const fitting = operations.filter((operation, index) => {
    const shape = checkShape(deltaOperationSchema, operation);
    if (shape.ok) return true;
    const { message, path = '' } = shape.refusal;
    const where = ['operations', index, ...(path === '' ? [] : [path])].join('.');
    const sentence = `Line ${line}: operation ${index + 1} was left out: ${message}.`;
    problems.add({ line, path: where, effect: 'left-out', message: sentence });
    return false;
  });
  return { ...value, operations: fitting };
}

function leaveOut(
  problems: ProblemList,
  line: number,
  { message, path = '' }: { readonly message: string; readonly path?: string },
): void {
  const sentence = `Line ${line} was left out: ${message}.`;
  problems.add({ line, path, effect: 'left-out', message: sentence });
}
