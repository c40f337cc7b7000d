import type { TreeChange, TreeChangeType } from '../../../core/bank/history/tree-change.ts';
import { unreachable } from '../../../core/result.ts';

/** How a change is marked: gained, lost, or changed. */
export type ChangeKind = 'gain' | 'loss' | 'change';

/** Headings of the list of changes, with the changes below each. */
export const CHANGE_HEADINGS: readonly (readonly [
  heading: string,
  types: readonly TreeChangeType[],
])[] = [
  ['Rank', ['rank-change']],
  [
    'Lessons',
    [
      'lesson-add',
      'lesson-revise',
      'lesson-return',
      'lesson-retire',
      'lesson-remove',
      'lesson-support',
      'lesson-trust',
    ],
  ],
  ['Summaries', ['summary-write', 'summary-change', 'summary-void']],
  ['Conflicts', ['conflict-open', 'conflict-settle', 'conflict-close']],
  [
    'Places',
    [
      'groups-merge',
      'group-split',
      'group-add',
      'group-remove',
      'group-rename',
      'group-move',
      'lesson-place',
      'lesson-move',
      'lesson-unplace',
    ],
  ],
  ['Outcomes', ['outcome-record', 'outcome-remove']],
  ['The bank', ['bank-freeze', 'bank-unfreeze']],
];

/** A change in words, after the title of what changed. `titleOf` names a node by its id. */
export function changeWords(
  change: TreeChange,
  titleOf: (id: string) => string,
): { readonly kind: ChangeKind; readonly text: string } {
  const gain = (text: string) => ({ kind: 'gain', text }) as const;
  const loss = (text: string) => ({ kind: 'loss', text }) as const;
  const other = (text: string) => ({ kind: 'change', text }) as const;
  const under = (id: string | null) =>
    id === null ? 'without a place yet' : `under ${titleOf(id)}`;
  switch (change.type) {
    case 'lesson-add':
      return gain(`new, ${under(change.under)}`);
    case 'lesson-revise':
      return other(`revises “${change.predecessor.title}”`);
    case 'lesson-retire':
      return loss('retired');
    case 'lesson-return':
      return gain(`active again, ${under(change.under)}`);
    case 'lesson-remove':
      return loss('not there any more');
    case 'lesson-support':
      return change.gained > 0
        ? gain(change.gained === 1 ? 'one more source' : `${change.gained} more sources`)
        : loss(change.gained === -1 ? 'one source fewer' : `${-change.gained} sources fewer`);
    case 'lesson-place':
      return other(`placed under ${titleOf(change.under)}`);
    case 'lesson-move':
    case 'group-move':
      return other(`moved from ${titleOf(change.from)} to ${titleOf(change.to)}`);
    case 'lesson-unplace':
      return loss(`no longer under ${titleOf(change.from)}`);
    case 'lesson-trust':
      return change.trust === 'trusted' ? gain('trusted') : loss('held for review');
    case 'group-add':
      return gain(`new group, ${under(change.under)}`);
    case 'group-remove':
      return loss('group not there any more');
    case 'group-rename':
      return other(change.was === change.title ? 'other scope' : `was “${change.was}”`);
    case 'groups-merge': {
      const names = change.groups.map(({ title }) => `“${title}”`).join(', ');
      return other(change.undone ? `no longer merged from ${names}` : `merged from ${names}`);
    }
    case 'group-split': {
      const names = change.parts.map(({ title }) => `“${title}”`).join(', ');
      if (change.undone) return other('no longer split');
      return other(`split into ${names}${change.lifted ? ', which stand in its place' : ''}`);
    }
    case 'summary-write':
      return gain('summary written');
    case 'summary-change':
      return other('summary changed');
    case 'summary-void':
      return loss('summary void');
    case 'conflict-open':
      return loss(`in conflict: ${change.about}`);
    case 'conflict-settle':
      return gain(
        change.settled === 'both'
          ? `conflict settled: both hold (${change.about})`
          : `conflict settled: “${titleOf(change.settled)}” holds (${change.about})`,
      );
    case 'conflict-close':
      return other(`no longer in conflict: ${change.about}`);
    case 'rank-change': {
      const from = change.from ?? 'not there';
      const to = change.to ?? 'not there';
      return RANKS.indexOf(to) > RANKS.indexOf(from)
        ? gain(`${from} → ${to}`)
        : loss(`${from} → ${to}`);
    }
    case 'outcome-record':
      return change.result === 'success'
        ? gain('helped a later task')
        : loss('given to a later task that failed');
    case 'outcome-remove':
      return other('an outcome was taken back');
    case 'bank-freeze':
      return other('frozen');
    case 'bank-unfreeze':
      return other('live again');
    default:
      return unreachable(change);
  }
}

const RANKS: readonly string[] = ['not there', 'lesson', 'group', 'summary', 'rule'];
