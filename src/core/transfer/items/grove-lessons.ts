import { z } from 'zod';
import { evidenceSchema, lessonContentSchema } from '../../bank/node.ts';
import { levelOf, rankOf, standingOf } from '../../bank/rank.ts';
import type { Tree } from '../../bank/tree.ts';
import type { LogHead } from '../../ports.ts';
import { isShown, walkBank, type BankStop, type EntrySelection } from './bank-entries.ts';
import { originOf, otherMembers } from './item-origin.ts';
import { lineOfJson } from '../text/json-records.ts';
import type { LessonParts } from './make-lesson.ts';

/** What the first line of an export says it is. */
export const GROVE_LESSONS = 'grove-lessons';
export const GROVE_LESSONS_VERSION = 1;

const header = z.looseObject({
  type: z.literal('header'),
  format: z.literal(GROVE_LESSONS),
  version: z.int().positive(),
});
const group = z.looseObject({ type: z.literal('group'), id: z.string(), title: z.string() });
const lesson = z.looseObject({
  type: z.literal('lesson'),
  id: z.string(),
  content: lessonContentSchema.loose(),
  path: z.array(z.string()).optional(),
  evidence: z.array(evidenceSchema).optional(),
});
const text = z.string().optional();
/** A lesson as people write one by hand: guidance, and what else they care to say. */
const bareLesson = z.looseObject({
  type: z.undefined().optional(),
  guidance: z.string(),
  title: text,
  appliesWhen: text,
  cautions: z.array(z.string()).optional(),
  topic: text,
  scope: text,
  anchor: text,
});

/** A line of Grove's lessons as JSON Lines. Members that are not named stay. */
export type GroveLine = z.infer<typeof header | typeof group | typeof lesson | typeof bareLesson>;

/** What a line must fit, by the type it says it is: so that what fails can be named. */
export function groveLineSchema(type: unknown): z.ZodType<GroveLine> {
  switch (type) {
    case 'header':
      return header;
    case 'group':
      return group;
    case 'lesson':
      return lesson;
    default:
      return bareLesson;
  }
}

/** The bank that an export is of. */
export interface ExportedBank {
  readonly tree: Tree;
  readonly head: LogHead;
}

/**
 * A bank as JSON Lines, a line a piece: a header, then each group before what lies in it, then the
 * lessons in no group. A line is one JSON object. Summaries that rest on held lessons are left out
 * with them.
 */
export function* exportJsonLines(
  { tree, head }: ExportedBank,
  selection: EntrySelection = {},
): Generator<string, void, undefined> {
  const { id, name } = tree.manifest;
  yield `${lineOfJson({
    type: 'header',
    format: GROVE_LESSONS,
    version: GROVE_LESSONS_VERSION,
    bank: { id, name },
    head,
  })}\n`;
  for (const stop of walkBank(tree, { ...selection, rules: false })) {
    yield `${lineOfJson(lineOf(tree, stop, selection))}\n`;
  }
}

/** What a line says as a lesson, or null for headers and groups. */
export function groveLesson(line: GroveLine): LessonParts | null {
  if (line.type === undefined) {
    const { title, guidance, appliesWhen, cautions, topic, scope, anchor } = line;
    return {
      title: title ?? '',
      guidance,
      appliesWhen: appliesWhen ?? '',
      cautions: cautions ?? [],
      topic: topic ?? '',
      scope: scope ?? '',
      anchor: anchor ?? '',
      origin: originOf('grove-lesson', { members: otherMembers(line, TEXT_MEMBERS) }),
    };
  }
  if (line.type !== 'lesson') return null;
  const { title, guidance, appliesWhen, cautions, topic, scope, anchor, crop } = line.content;
  return {
    title,
    guidance,
    appliesWhen,
    cautions,
    topic,
    scope,
    anchor,
    origin: originOf('grove-lesson', {
      id: line.id,
      section: (line.path ?? []).join(' › '),
      evidence: line.evidence ?? [],
      crop,
      members: otherMembers(line, ['type', 'id', 'content', 'path', 'evidence']),
    }),
  };
}

const TEXT_MEMBERS = ['title', 'guidance', 'appliesWhen', 'cautions', 'topic', 'scope', 'anchor'];

function lineOf(tree: Tree, stop: BankStop, selection: EntrySelection): object {
  if (stop.type === 'group') {
    const { id, parent, title, scope, summary } = stop.group;
    return {
      type: 'group',
      id,
      parent,
      path: stop.groups.map((above) => above.title),
      title,
      scope,
      rank: rankOf(tree, id),
      level: levelOf(tree, id),
      ...standingOf(tree, id),
      summary: isShown(tree, stop.group, selection) ? summary : null,
    };
  }
  const { id, content, groups, standing, given, succeeded, lesson: node } = stop.entry;
  return {
    type: 'lesson',
    id,
    path: groups.map((above) => above.title),
    content,
    evidence: node?.evidence ?? [],
    ...standing,
    given,
    succeeded,
    trust: node?.trust ?? 'trusted',
    groups,
  };
}
