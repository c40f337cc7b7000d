import { z } from 'zod';
import { addUp } from '../../bank/claim.ts';
import type { BankEntry } from './bank-entries.ts';
import { groveNote, readGroveNote, splitCautions } from './grove-note.ts';
import { originOf, otherMembers } from './item-origin.ts';
import type { LabelledBlock } from '../text/labelled-text.ts';
import { conditionOf, guidanceWithCautions, whenToUse } from './lesson-text.ts';
import type { LessonParts } from './make-lesson.ts';

const text = z.string().nullish();

/** A memory of ReMe, as its stores write it: one of these a line. Members that are not here stay. */
export const remeItemSchema = z.looseObject({
  when_to_use: z.string(),
  content: z.string(),
  score: z.number().nullish(),
  memory_id: text,
  author: text,
  time_created: text,
  time_modified: text,
  metadata: z.looseObject({}).nullish(),
});
export type RemeItem = z.infer<typeof remeItemSchema>;

/** The labels of ReMe items in prose. */
export const REME_LABELS: readonly string[] = ['When To Use', 'Content'];

const NAMED = [
  'when_to_use',
  'content',
  'score',
  'memory_id',
  'author',
  'time_created',
  'time_modified',
];

export function remeFromBlock({ texts }: LabelledBlock): RemeItem {
  return { when_to_use: texts[0] ?? '', content: texts[1] ?? '' };
}

/** What a ReMe item says as a lesson; exactly the lesson, where Grove wrote the item. */
export function remeLesson(item: RemeItem): LessonParts {
  const note = readGroveNote(item.metadata?.['grove']);
  const appliesWhen =
    note !== null && whenToUse(note.appliesWhen) === item.when_to_use
      ? note.appliesWhen
      : conditionOf(item.when_to_use);
  const title = z.string().safeParse(item.metadata?.['title']);
  const tags = z.array(z.string()).safeParse(item.metadata?.['tags']);
  return {
    title: title.success ? title.data : (note?.title ?? ''),
    ...splitCautions(item.content, note ?? { cautions: [] }),
    appliesWhen,
    topic: note?.topic ?? (tags.success ? tags.data.join(', ') : ''),
    scope: note?.scope ?? '',
    anchor: note?.anchor ?? '',
    origin: originOf('reme', {
      id: item.memory_id ?? null,
      score: item.score ?? null,
      freq: countIn(item.metadata?.['freq']),
      utility: countIn(item.metadata?.['utility']),
      author: item.author ?? null,
      createdAt: item.time_created ?? null,
      modifiedAt: item.time_modified ?? null,
      crop: note?.crop ?? null,
      members: otherMembers(item, NAMED),
    }),
  };
}

/**
 * Lessons of a bank as ReMe items. The score is the share of tasks that went well here, or else the one
 * it came with; `freq` and `utility` are how often a lesson was given and helped, there and here: ReMe
 * forgets by them. Times and author are
 * those of the evidence. What ReMe has no member for stands in `metadata.grove`.
 */
export function* remeItems(
  entries: Iterable<BankEntry>,
  { workspace }: { readonly workspace: string },
): Generator<RemeItem, void, undefined> {
  for (const entry of entries) {
    const { content, lesson, claim } = entry;
    const { support, failures } = entry.own;
    const tasks = support + failures;
    const times = (lesson?.evidence ?? []).map(({ at }) => at).sort();
    const [first, last] = [times[0], times.at(-1)];
    yield {
      workspace_id: workspace,
      memory_id: entry.id,
      memory_type: 'task',
      when_to_use: whenToUse(content.appliesWhen),
      content: guidanceWithCautions(content),
      score: tasks === 0 ? (claim.score ?? 0) : Math.round((support / tasks) * 1e4) / 1e4,
      ...(first === undefined ? {} : { time_created: remeTime(first) }),
      ...(last === undefined ? {} : { time_modified: remeTime(last) }),
      author: lesson?.evidence[0]?.model ?? 'grove',
      metadata: {
        title: content.title,
        freq: addUp(claim.freq ?? 0, entry.given),
        utility: addUp(claim.utility ?? 0, entry.succeeded),
        grove: groveNote(entry),
      },
    };
  }
}

/** ISO 8601 as ReMe writes times: "2025-07-24 21:15:17". */
function remeTime(at: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/u.exec(at)?.[0].replace('T', ' ') ?? at;
}

function countIn(value: unknown): number | null {
  const read = z.int().nonnegative().safeParse(value);
  return read.success ? read.data : null;
}
