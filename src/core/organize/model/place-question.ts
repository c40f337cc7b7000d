import { z } from 'zod';
import { ROOT_ID, type Lesson } from '../../bank/node.ts';
import { promptSchema } from '../../harness/prompt.ts';
import { section } from '../../harness/sections.ts';
import { clipToTokens, takeWithin } from '../../harness/token-estimate.ts';
import { accept, refuse, type Result } from '../../result.ts';
import type { GroupView, PlaceInput, PlaceOperation } from '../organizer.ts';
import { placementText } from '../placement-text.ts';
import placeJson from '../prompts/place.json';
import { cosine, wordVector } from '../similarity.ts';
import type { ModelQuestion } from './model-question.ts';
import { lessonLine, oneLine, Shown } from './shown.ts';

export const PLACE_PROMPT = promptSchema.parse(placeJson);

/** A lesson is weighed against so many groups (cost rule, DESIGN.md §3). */
const GROUPS_A_LESSON = 8;
/** All lessons together, and all groups, in tokens: with the prompt within 1,500. */
const LESSONS_TOKENS = 500;
const GROUPS_TOKENS = 600;
const GROUP_LINE_TOKENS = 40;

const replySchema = z.object({
  groups: z
    .array(
      z.object({
        name: z.string().max(8),
        parent: z.string().max(8),
        title: z.string().min(1).max(80),
        scope: z.string().max(200),
      }),
    )
    .max(6),
  assignments: z.array(z.object({ lesson: z.string().max(8), under: z.string().max(8) })).max(12),
});
type Reply = z.infer<typeof replySchema>;

/** Where lessons go: the model sees each in a line, and the groups most like any of them. */
export function placeQuestion(input: PlaceInput): ModelQuestion<Reply, PlaceOperation | null> {
  const line = Math.floor(LESSONS_TOKENS / Math.max(1, input.lessons.length)) - 3;
  const lessons = new Shown('L', input.lessons);
  const groups = new Shown('G', groupsSeen(input));
  return {
    prompt: PLACE_PROMPT,
    parts: [
      section('groups', groups.lines(groupLine)),
      section(
        'lessons',
        lessons.lines((lesson) => lessonLine(lesson, line)),
      ),
    ],
    reply: replySchema,
    resolve: (reply) => resolvePlace(reply, { lessons, groups, newIds: input.newIds }),
  };
}

function groupLine({ group, path, childCount }: GroupView): string {
  if (group.id === ROOT_ID) return 'the root';
  const title = clipToTokens(oneLine(path), GROUP_LINE_TOKENS / 2);
  const scope = clipToTokens(oneLine(group.scope), GROUP_LINE_TOKENS / 2 - 6);
  return `${title}${scope === '' ? '' : `; ${scope}`} (${childCount} children)`;
}

/** The root, then each lesson's best group, each one's second best, and so on, while they fit. */
function groupsSeen({ lessons, groups, maxChildren }: PlaceInput): readonly GroupView[] {
  const root = groups.filter(({ group }) => group.id === ROOT_ID);
  const others = groups.filter(
    ({ group, childCount }) => group.id !== ROOT_ID && childCount < maxChildren,
  );
  const vectors = others.map((view) => wordVector(aboutGroup(view), () => 1));
  const ranked = lessons.map((lesson) => {
    const vector = wordVector(placementText(lesson), () => 1);
    return others
      .map((view, at) => ({ view, likeness: cosine(vector, vectors[at] ?? new Map()) }))
      .toSorted((first, second) => second.likeness - first.likeness)
      .slice(0, GROUPS_A_LESSON);
  });
  const seen = new Set<GroupView>(root);
  for (let rank = 0; rank < GROUPS_A_LESSON; rank += 1) {
    for (const list of ranked) {
      const found = list[rank];
      if (found !== undefined) seen.add(found.view);
    }
  }
  return takeWithin([...seen], GROUPS_TOKENS, (view) => `G99: ${groupLine(view)}`);
}

function aboutGroup({ group, path, lessons }: GroupView): string {
  return [path, group.scope, ...lessons.map(({ content }) => content.title)].join('\n');
}

/** Names become ids; a new group is made for each one that is used. Nothing assigned is no proposal. */
function resolvePlace(
  { groups: made, assignments }: Reply,
  shown: {
    readonly lessons: Shown<Lesson>;
    readonly groups: Shown<GroupView>;
    readonly newIds: readonly string[];
  },
): Result<PlaceOperation | null> {
  if (made.length > shown.newIds.length) {
    return refuse('too-many-groups', `at most ${shown.newIds.length} groups may be new`, 'groups');
  }
  const ids = new Map<string, string>();
  const idOf = (name: string): Result<string> => {
    const own = ids.get(name.trim());
    if (own !== undefined) return accept(own);
    const known = shown.groups.find(name);
    return known.ok ? accept(known.value.group.id) : known;
  };
  const groups: PlaceOperation['groups'][number][] = [];
  for (const [at, { name, parent, title, scope }] of made.entries()) {
    if (ids.has(name.trim())) return refuse('twice', `${name} is made twice`, `groups.${at}`);
    const above = idOf(parent);
    if (!above.ok) return { ok: false, refusal: { ...above.refusal, path: `groups.${at}.parent` } };
    const id = shown.newIds[at] ?? '';
    ids.set(name.trim(), id);
    groups.push({ id, parent: above.value, title: oneLine(title), scope: oneLine(scope) });
  }
  const placed: PlaceOperation['assignments'][number][] = [];
  for (const [at, { lesson, under }] of assignments.entries()) {
    const found = shown.lessons.find(lesson);
    const group = idOf(under);
    if (!found.ok) return { ok: false, refusal: { ...found.refusal, path: `assignments.${at}` } };
    if (!group.ok) return { ok: false, refusal: { ...group.refusal, path: `assignments.${at}` } };
    placed.push({ lesson: found.value.id, under: group.value });
  }
  if (placed.length === 0) return accept(null);
  return accept({ type: 'place', groups, assignments: placed });
}
