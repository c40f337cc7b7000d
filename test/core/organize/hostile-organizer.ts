import type { Caller } from '../../../src/core/harness/harness.ts';
import type {
  MergeInput,
  Organizer,
  OrganizerProposal,
  PlaceInput,
  Proposing,
  SplitInput,
} from '../../../src/core/organize/organizer.ts';
import { rulesOrganizer } from '../../../src/core/organize/rules-organizer.ts';
import { seededRandom, type Random } from '../../../src/core/metro/random.ts';

/** What an organizer may do wrong, each now and then. */
const WRONGS = [
  'garbage',
  'throw',
  'nothing',
  'not-asked-for',
  'partial',
  'too-much',
  'random',
  'rules',
  'rules',
] as const;

/**
 * An organizer that means harm, or means well and knows no better: garbage, exceptions, nothing at all,
 * what it was not asked for, half of what it was, moves into full or unknown groups, and now and then
 * what the rules would propose. The same seed does the same.
 */
export function hostileOrganizer(seed: number): Organizer {
  const random = seededRandom(seed);
  const wrongly = async function* (
    right: () => Proposing,
    over: Partial<Record<(typeof WRONGS)[number], () => unknown>>,
  ): Proposing {
    yield { type: 'token-delta', role: 'organizer', text: 'x', reasoning: false };
    const wrong = random.pick(WRONGS);
    const proposal = yield* right();
    switch (wrong) {
      case 'throw':
        // Rarely, for from then on the rules do the rest of a step.
        if (random.below(4) === 0) throw new Error('the model broke');
        return null;
      case 'nothing':
        return null;
      case 'rules':
        return proposal;
      default:
        return proposalOf((over[wrong] ?? (() => garbage(random)))());
    }
  };
  return {
    ...rulesOrganizer,
    id: 'hostile',
    label: 'Hostile',
    place: (input, caller) =>
      wrongly(() => rulesOrganizer.place(input, caller), {
        'not-asked-for': () => stolen(random, input),
        partial: () => placing(random, input, Math.ceil(input.lessons.length / 2)),
        'too-much': () => heaped(input),
        random: () => placing(random, input, input.lessons.length),
      }),
    merge: (input, caller) => merging(wrongly, random, { input, caller }),
    split: (input, caller) =>
      wrongly(() => rulesOrganizer.split(input, caller), {
        random: () => cut(random, input),
        partial: () => ({ ...cut(random, input), parts: cut(random, input).parts.slice(1) }),
        'too-much': () => ({ ...cut(random, input), forced: true }),
        'not-asked-for': () => ({ type: 'freeze', reason: 'mine' }),
      }),
    consolidate: (input, caller) =>
      wrongly(() => rulesOrganizer.consolidate(input, caller), {
        'not-asked-for': () => ({
          type: 'retire-lesson',
          lesson: input.lessons[0]?.id,
          reason: '',
        }),
        'too-much': () =>
          summary(
            input.group.id,
            ['x'.repeat(5000)],
            input.lessons.map(({ id }) => id),
          ),
        partial: () => summary(input.group.id, ['y'], []),
        random: () => summary(input.group.id, ['z'], ['nobody']),
      }),
  };
}

type Wrongly = (
  right: () => Proposing,
  over: Partial<Record<(typeof WRONGS)[number], () => unknown>>,
) => Proposing;

function merging(
  wrongly: Wrongly,
  random: Random,
  { input, caller }: { readonly input: MergeInput; readonly caller: Caller },
): Proposing {
  const merge = (groups: readonly string[], into: string) => ({
    type: 'merge',
    groups,
    into,
    title: 'All',
    scope: '',
  });
  const ids = input.groups.map(({ group }) => group.id);
  return wrongly(() => rulesOrganizer.merge(input, caller), {
    random: () => merge(random.shuffle(ids).slice(0, 2), ids[0] ?? ''),
    'too-much': () => merge(ids, ids[0] ?? ''),
    'not-asked-for': () => merge([...ids, 'root'], 'root'),
    partial: () => merge(ids.slice(0, 1), ids[0] ?? ''),
  });
}

function proposalOf(operation: unknown): OrganizerProposal {
  return { operation, reason: 'because' };
}

function garbage(random: Random): unknown {
  return random.pick<unknown>([
    null,
    undefined,
    'place',
    42,
    [],
    {},
    { type: 'place' },
    { type: 'place', groups: [{}], assignments: [{}] },
    { type: 'merge', groups: 'all' },
    { type: 'restore', of: null, records: [] },
    { type: 'erase', lessons: ['l0'], entries: [], reason: '' },
  ]);
}

/** Lessons anywhere it was shown, some in new groups, some nowhere. */
function placing(random: Random, input: PlaceInput, count: number) {
  const groups: { id: string; parent: string; title: string; scope: string }[] = [];
  const under = (at: number): string => {
    const known = random.pick(input.groups).group.id;
    const id = input.newIds[at] ?? 'none';
    if (random.below(2) === 0) return known;
    groups.push({ id, parent: known, title: `New ${at}`, scope: '' });
    return id;
  };
  const lessons = random.shuffle(input.lessons).slice(0, count);
  const assignments = lessons.map(({ id }, at) => ({ lesson: id, under: under(at) }));
  return { type: 'place', groups, assignments };
}

/** Moves a lesson that lies somewhere else. */
function stolen(random: Random, input: PlaceInput) {
  const placed = input.groups.flatMap(({ lessons }) => lessons);
  const lesson = placed.length === 0 ? 'nobody' : random.pick(placed).id;
  return { type: 'place', groups: [], assignments: [{ lesson, under: 'root' }] };
}

/** All in one group, full or not. */
function heaped(input: PlaceInput) {
  const under = input.groups.at(-1)?.group.id ?? 'root';
  return {
    type: 'place',
    groups: [{ id: input.newIds[0], parent: under, title: 'Empty', scope: '' }],
    assignments: input.lessons.map(({ id }) => ({ lesson: id, under })),
  };
}

function cut(random: Random, { group, children, newIds }: SplitInput) {
  const ids = random.shuffle(children.map(({ node }) => node.id));
  const at = 1 + random.below(Math.max(1, ids.length - 1));
  return {
    type: 'split',
    group: group.id,
    lift: random.below(2) === 0,
    forced: false,
    parts: [ids.slice(0, at), ids.slice(at)].map((part, number) => ({
      id: newIds[number] ?? `${group.id}-part-${number}`,
      title: `Part ${number}`,
      scope: '',
      children: part,
    })),
  };
}

function summary(group: string, text: readonly string[], supportedBy: readonly string[]) {
  return {
    type: 'consolidate',
    group,
    summary: { text: text.join(' '), procedure: [], conditions: '', conflicts: [], supportedBy },
  };
}
