import { z } from 'zod';
import { promptSchema } from '../../harness/prompt.ts';
import { section } from '../../harness/sections.ts';
import { clipToTokens } from '../../harness/token-estimate.ts';
import { accept, refuse, type Result } from '../../result.ts';
import type { GroupView, MergeInput, MergeOperation } from '../organizer.ts';
import mergeJson from '../prompts/merge.json';
import type { ModelQuestion } from './model-question.ts';
import { oneLine, Shown } from './shown.ts';

export const MERGE_PROMPT = promptSchema.parse(mergeJson);

/** Lessons shown of each group; with six groups of so many tokens the prompt stays within 1,500. */
const LESSONS_SHOWN = 6;
const GROUP_TOKENS = 60;
const TITLE_TOKENS = 16;

const replySchema = z.object({
  merge: z.array(z.string().max(8)).max(6),
  title: z.string().max(80),
  scope: z.string().max(200),
  reason: z.string().max(300),
});
type Reply = z.infer<typeof replySchema>;

/** A merge with the model's reason. */
export interface Merge {
  readonly operation: MergeOperation;
  readonly reason: string;
}

/** Which siblings are about the same. null: none. */
export function mergeQuestion({ parent, groups }: MergeInput): ModelQuestion<Reply, Merge | null> {
  const shown = new Shown('G', groups);
  const under = clipToTokens(oneLine(parent.title), TITLE_TOKENS);
  return {
    prompt: MERGE_PROMPT,
    parts: [section('groups', `All stand under “${under}”.\n${shown.lines(groupLines)}`)],
    reply: replySchema,
    resolve: (reply) => resolveMerge(reply, shown),
  };
}

function groupLines({ group, lessons, childCount }: GroupView): string {
  const about = clipToTokens(oneLine(`${group.title}; ${group.scope}`), GROUP_TOKENS);
  const titles = lessons
    .slice(0, LESSONS_SHOWN)
    .map(({ content }) => `  - ${clipToTokens(oneLine(content.title), TITLE_TOKENS)}`);
  return [`${about} (${childCount} children)`, ...titles].join('\n');
}

function resolveMerge(
  { merge, title, scope, reason }: Reply,
  shown: Shown<GroupView>,
): Result<Merge | null> {
  const found = shown.findAll(merge);
  if (!found.ok) return found;
  const groups = [...new Set(found.value)];
  if (groups.length === 0) return accept(null);
  if (groups.length === 1) {
    return refuse('one-group', 'a merge names two groups at least, or none', 'merge');
  }
  if (title.trim() === '') return refuse('empty-title', 'a merged group needs a title', 'title');
  // The largest keeps its id, so that the least changes.
  const [largest] = groups.toSorted((first, second) => second.childCount - first.childCount);
  return accept({
    operation: {
      type: 'merge',
      groups: groups.map(({ group }) => group.id),
      into: largest?.group.id ?? '',
      title: oneLine(title),
      scope: oneLine(scope),
    },
    reason: oneLine(reason),
  });
}
