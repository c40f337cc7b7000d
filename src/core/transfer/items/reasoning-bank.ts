import { z } from 'zod';
import type { LessonContent } from '../../bank/node.ts';
import type { BankEntry } from './bank-entries.ts';
import { groveNote, readGroveNote, splitCautions } from './grove-note.ts';
import { originOf, otherMembers } from './item-origin.ts';
import { readLabelled, type LabelledBlock } from '../text/labelled-text.ts';
import { guidanceWithCautions, whenToUse } from './lesson-text.ts';
import type { LessonParts } from './make-lesson.ts';
import { makeProblemList } from '../text/problem.ts';

/** A memory item of ReasoningBank. Members that are not here stay. */
export const reasoningItemSchema = z.looseObject({
  title: z.string(),
  description: z.string().nullish(),
  content: z.string(),
});
export type ReasoningItem = z.infer<typeof reasoningItemSchema>;

/** A line of a ReasoningBank store: a task and its items, each as an object or as Markdown. */
export const reasoningRecordSchema = z.looseObject({
  memory_items: z.union([z.string(), z.array(z.union([z.string(), reasoningItemSchema]))]),
  task_id: z.union([z.string(), z.number()]).nullish(),
  query: z.string().nullish(),
});
export type ReasoningRecord = z.infer<typeof reasoningRecordSchema>;

/** The labels of ReasoningBank items in Markdown and prose. */
export const REASONING_LABELS: readonly string[] = ['Title', 'Description', 'Content'];

export function reasoningFromBlock({ texts }: LabelledBlock): ReasoningItem {
  return { title: texts[0] ?? '', description: texts[1] ?? '', content: texts[2] ?? '' };
}

/** What an item or a record says as lessons: a record's items share its query as their anchor. */
export function reasoningLessons(item: ReasoningItem | ReasoningRecord): readonly LessonParts[] {
  if (isItem(item)) return [itemLesson(item, '', {})];
  const { memory_items: items, query } = item;
  const shared = otherMembers(item, ['memory_items', 'query']);
  return (typeof items === 'string' ? [items] : items)
    .flatMap((piece) => (typeof piece === 'string' ? itemsOfText(piece) : [piece]))
    .map((piece) => itemLesson(piece, query ?? '', shared));
}

/**
 * Lessons of a bank as ReasoningBank items. The description says when the lesson applies, or else
 * what it is about. What the format has no member for stands in `grove`.
 */
export function* reasoningItems(
  entries: Iterable<BankEntry>,
): Generator<ReasoningItem, void, undefined> {
  for (const entry of entries) {
    const { content } = entry;
    yield {
      title: content.title,
      description: describe(content),
      content: guidanceWithCautions(content),
      grove: groveNote(entry),
    };
  }
}

function describe({
  appliesWhen,
  topic,
  scope,
}: Pick<LessonContent, 'appliesWhen' | 'topic' | 'scope'>): string {
  return whenToUse(appliesWhen) || topic || scope;
}

function isItem(item: ReasoningItem | ReasoningRecord): item is ReasoningItem {
  return !('memory_items' in item);
}

/** Items inside a text; a text without labels is one item without a title. */
function itemsOfText(piece: string): readonly ReasoningItem[] {
  const blocks = readLabelled(piece, REASONING_LABELS, makeProblemList());
  if (blocks.length > 0) return blocks.map(reasoningFromBlock);
  return [{ title: '', description: '', content: piece }];
}

function itemLesson(
  item: ReasoningItem,
  query: string,
  shared: Readonly<Record<string, unknown>>,
): LessonParts {
  const note = readGroveNote(item['grove']);
  const description = item.description ?? '';
  return {
    title: item.title,
    ...splitCautions(item.content, note ?? { cautions: [] }),
    appliesWhen: note?.appliesWhen ?? '',
    topic: note !== null && describe(note) === description ? note.topic : description,
    scope: note?.scope ?? '',
    anchor: note?.anchor ?? query,
    origin: originOf('reasoning-bank', {
      crop: note?.crop ?? null,
      members: { ...shared, ...otherMembers(item, ['title', 'description', 'content']) },
    }),
  };
}
