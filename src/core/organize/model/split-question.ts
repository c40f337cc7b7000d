import { z } from 'zod';
import { promptSchema } from '../../harness/prompt.ts';
import { section } from '../../harness/sections.ts';
import { clipToTokens } from '../../harness/token-estimate.ts';
import { accept, refuse, type Result } from '../../result.ts';
import type { ChildView, SplitInput, SplitOperation } from '../organizer.ts';
import splitJson from '../prompts/split.json';
import type { ModelQuestion } from './model-question.ts';
import { lessonLine, oneLine, Shown } from './shown.ts';

export const SPLIT_PROMPT = promptSchema.parse(splitJson);

/** All children together, in tokens: with the prompt within 1,500. */
const CHILDREN_TOKENS = 1000;
const CHILD_TOKENS = 60;

const replySchema = z.object({
  parts: z
    .array(
      z.object({
        title: z.string().min(1).max(80),
        scope: z.string().max(200),
        children: z.array(z.string().max(8)).min(1).max(48),
      }),
    )
    .max(8),
  reason: z.string().max(300),
});
type Reply = z.infer<typeof replySchema>;

/** A split with the model's reason. */
export interface Split {
  readonly operation: SplitOperation;
  readonly reason: string;
}

/** Whether a group's children fall into parts. Whether those lie beside or under it is for the tree to say. */
export function splitQuestion(input: SplitInput): ModelQuestion<Reply, Split | null> {
  const { group, children } = input;
  const shown = new Shown('C', children);
  const tokens = Math.min(
    CHILD_TOKENS,
    Math.floor(CHILDREN_TOKENS / Math.max(1, children.length)) - 4,
  );
  const about = clipToTokens(oneLine(`${group.title}; ${group.scope}`), CHILD_TOKENS);
  return {
    prompt: SPLIT_PROMPT,
    parts: [
      section('groups', about),
      section(
        'lessons',
        shown.lines((child) => childLine(child, tokens)),
      ),
    ],
    reply: replySchema,
    resolve: (reply) => resolveSplit(reply, shown, input),
  };
}

function childLine({ node, lessons }: ChildView, tokens: number): string {
  if (node.kind === 'lesson') return lessonLine(node, tokens);
  const titles = lessons.map(({ content }) => oneLine(content.title));
  return clipToTokens(`group “${oneLine(node.title)}”: ${titles.join('; ')}`, tokens);
}

function resolveSplit(
  { parts, reason }: Reply,
  shown: Shown<ChildView>,
  { group, liftRoom, underRoom, newIds }: SplitInput,
): Result<Split | null> {
  if (parts.length === 0) return accept(null);
  if (parts.length === 1)
    return refuse('one-part', 'a split has two parts at least, or none', 'parts');
  const most = Math.min(newIds.length, Math.max(liftRoom, underRoom));
  if (parts.length > most) {
    return refuse('too-many-parts', `there is room for ${most} parts`, 'parts');
  }
  const taken = new Set<string>();
  const made: SplitOperation['parts'][number][] = [];
  for (const [at, { title, scope, children }] of parts.entries()) {
    const found = shown.findAll(children);
    if (!found.ok)
      return { ok: false, refusal: { ...found.refusal, path: `parts.${at}.children` } };
    const ids = found.value.map(({ node }) => node.id);
    const twice = ids.find((id) => taken.has(id));
    if (twice !== undefined || new Set(ids).size !== ids.length) {
      return refuse('twice', 'a child belongs to one part, once', `parts.${at}.children`);
    }
    for (const id of ids) taken.add(id);
    made.push({
      id: newIds[at] ?? '',
      title: oneLine(title),
      scope: oneLine(scope),
      children: ids,
    });
  }
  if (taken.size !== shown.size) {
    const left = shown.size - taken.size;
    return refuse('left-out', `${left} of ${shown.size} children belong to no part`, 'parts');
  }
  const operation: SplitOperation = {
    type: 'split',
    group: group.id,
    parts: made,
    lift: made.length <= liftRoom,
    forced: false,
  };
  return accept({ operation, reason: oneLine(reason) });
}
