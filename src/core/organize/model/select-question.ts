import { z } from 'zod';
import type { Part } from '../../call.ts';
import { promptSchema } from '../../harness/prompt.ts';
import { section, taskImagePart } from '../../harness/sections.ts';
import { clipToTokens, takeWithin } from '../../harness/token-estimate.ts';
import { accept, refuse, type Result } from '../../result.ts';
import type { CandidateView, SelectInput, Selection } from '../organizer.ts';
import selectJson from '../prompts/select.json';
import type { ModelQuestion } from './model-question.ts';
import { oneLine, Shown } from './shown.ts';

export const SELECT_PROMPT = promptSchema.parse(selectJson);

/** With the prompt within 1,500 tokens of text. */
const QUESTION_TOKENS = 300;
const CANDIDATES_TOKENS = 850;
const CANDIDATE_TOKENS = 100;
/** Of `either`: rules, or one concrete experience (DESIGN.md §4). */
const RULES_MOST = 3;

const replySchema = z.object({
  choose: z.array(z.string().max(8)).max(8),
  reason: z.string().max(300),
});
type Reply = z.infer<typeof replySchema>;

/** What is given to a solver. The one vision operation of an organizer: it sees the task's first image. */
export function selectQuestion(
  { task, candidates }: SelectInput,
  { images }: { readonly images: boolean },
): ModelQuestion<Reply, Selection> {
  const shown = new Shown(
    'C',
    takeWithin(candidates, CANDIDATES_TOKENS, (candidate) => `C9: ${candidateText(candidate)}`),
  );
  const question = [task.question, task.publicInformation].filter((text) => text.trim() !== '');
  const pictures: readonly Part[] = images ? task.images.slice(0, 1).map(taskImagePart) : [];
  return {
    prompt: SELECT_PROMPT,
    parts: [
      ...pictures,
      section(
        'question',
        clipToTokens(oneLine(question.join(' ')), QUESTION_TOKENS).toWellFormed(),
      ),
      section('candidates', shown.lines(candidateText)),
    ],
    reply: replySchema,
    resolve: (reply) => resolveSelection(reply, shown),
  };
}

function candidateText({
  kind,
  title,
  text,
  appliesWhen,
  support,
  failures,
}: CandidateView): string {
  const standing = kind === 'rule' ? `rule, ${support} for it, ${failures} against` : 'lesson';
  const when = appliesWhen === '' ? '' : ` Applies when ${appliesWhen}.`;
  return clipToTokens(oneLine(`(${standing}) ${title}. ${text}${when}`), CANDIDATE_TOKENS);
}

function resolveSelection(
  { choose, reason }: Reply,
  shown: Shown<CandidateView>,
): Result<Selection> {
  const found = shown.findAll(choose);
  if (!found.ok) return { ok: false, refusal: { ...found.refusal, path: 'choose' } };
  const chosen = [...new Set(found.value)];
  const rules = chosen.filter(({ kind }) => kind === 'rule').length;
  const mixed = rules > 0 && rules < chosen.length;
  if (mixed || chosen.length - rules > 1 || rules > RULES_MOST) {
    return refuse(
      'too-many',
      `choose up to ${RULES_MOST} rules, or one lesson, or nothing; never rules with lessons`,
      'choose',
    );
  }
  return accept({ nodeIds: chosen.map(({ nodeId }) => nodeId), reason: oneLine(reason) });
}
