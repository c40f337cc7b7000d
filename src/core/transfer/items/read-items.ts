import { accept, refuse, type Refusal, type Result } from '../../result.ts';
import { bulletsOf, isPlaybook, readPlaybook } from '../ace/ace-playbook.ts';
import {
  deltaRecords,
  fittingRecords,
  groveRecords,
  reasoningRecords,
  skillbookFile,
  textItems,
} from './fit-records.ts';
import type { ItemFile } from './item-file.ts';
import type { ItemFormat } from './item-origin.ts';
import { isObject, readRecords, type JsonObject } from '../text/json-records.ts';
import { labelLayout } from '../text/labelled-text.ts';
import { REASONING_LABELS, reasoningFromBlock } from './reasoning-bank.ts';
import { REME_LABELS, remeFromBlock, remeItemSchema } from './reme.ts';

export type ItemFileReason = 'empty-file' | 'not-text' | 'unknown-format';

/**
 * Reads a file of memory items; what it is shows in what it holds, never in its name. A line or
 * member that cannot be read is a problem with its number and path, and the rest is kept. Text stays
 * text: nothing in it is run, resolved or rendered.
 */
export function readItems(file: string): Result<ItemFile, Refusal<ItemFileReason>> {
  const text = file.startsWith('\uFEFF') ? file.slice(1) : file;
  if (text.trim() === '') return refuse('empty-file', 'The file is empty.');
  if (text.includes('\0')) {
    return refuse('not-text', 'The file is not text, or is in an encoding other than UTF-8.');
  }
  const read = readJsonItems(text) ?? readTextItems(text.toWellFormed());
  if (read === null) {
    const known =
      'Grove lessons, ReasoningBank items, ReMe memories, ACE playbooks and their deltas';
    return refuse('unknown-format', `Nothing in the file looks like one of ${known}.`);
  }
  return accept(read);
}

type Kind = Exclude<ItemFormat, 'ace-playbook'>;

function readJsonItems(text: string): ItemFile | null {
  const found = readRecords(text);
  if (found === null) return null;
  const { layout, records, problems } = found;
  const format = formatOf(records.map(({ value }) => value));
  switch (format) {
    case null:
      return null;
    case 'grove-lesson':
      return { format, layout, ...groveRecords(records, problems) };
    case 'reme':
      return { format, layout, ...fittingRecords(records, remeItemSchema, problems) };
    case 'reasoning-bank':
      return { format, layout, ...reasoningRecords(records, problems) };
    case 'ace-delta':
      return { format, layout, ...deltaRecords(records, problems) };
    case 'ace-skillbook':
      return skillbookFile(records, problems);
  }
}

function readTextItems(text: string): ItemFile | null {
  const reme = labelLayout(text, REME_LABELS);
  if (reme !== null) {
    return { format: 'reme', layout: reme, ...textItems(text, REME_LABELS, remeFromBlock) };
  }
  const reasoning = labelLayout(text, REASONING_LABELS);
  if (reasoning !== null) {
    const items = textItems(text, REASONING_LABELS, reasoningFromBlock);
    return { format: 'reasoning-bank', layout: reasoning, ...items };
  }
  if (!isPlaybook(text)) return null;
  const read = readPlaybook(text);
  const items = bulletsOf(read.playbook);
  return { format: 'ace-playbook', ...read, items, lines: items.map(({ line }) => line) };
}

/** The format that most records are of, or null. */
function formatOf(records: readonly JsonObject[]): Kind | null {
  const counts = new Map<Kind, number>();
  for (const record of records) {
    const kind = kindOf(record);
    if (kind !== null) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

function kindOf(record: JsonObject): Kind | null {
  if ('when_to_use' in record) return 'reme';
  if ('memory_items' in record) return 'reasoning-bank';
  if (isObject(record['skills'])) return 'ace-skillbook';
  if (Array.isArray(record['operations'])) return 'ace-delta';
  const { type, content } = record;
  if (typeof type === 'string' && /^(?:ADD|UPDATE|TAG|REMOVE|DELETE|MERGE)$/iu.test(type)) {
    return 'ace-delta';
  }
  if ('guidance' in record || (type === 'lesson' && isObject(content))) return 'grove-lesson';
  if (type === 'header' || type === 'group') return 'grove-lesson';
  return 'title' in record && 'content' in record ? 'reasoning-bank' : null;
}
