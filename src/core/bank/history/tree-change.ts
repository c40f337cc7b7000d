import type { Rank } from '../rank.ts';

/** A node as a change names it: its title is there even where the node is not any more. */
export interface Named {
  readonly id: string;
  readonly title: string;
}

/** A conflict between two lessons of a group's summary. */
interface ConflictNamed extends Named {
  readonly lessons: readonly [string, string];
  readonly about: string;
}

/**
 * What differs between two trees of a bank, told as knowledge, not as records. `id` and `title` are of
 * the lesson or group that changed; `undone` where a merge or split was taken back in between.
 */
export type TreeChange =
  | (Named & { readonly type: 'lesson-add'; readonly under: string | null })
  | (Named & { readonly type: 'lesson-revise'; readonly predecessor: Named })
  | (Named & { readonly type: 'lesson-retire' })
  /** Active again: a retirement was taken back. */
  | (Named & { readonly type: 'lesson-return'; readonly under: string | null })
  /** Not there any more: its adding was taken back, or it was erased. */
  | (Named & { readonly type: 'lesson-remove' })
  /** Pieces of evidence gained, or lost where below 0. */
  | (Named & { readonly type: 'lesson-support'; readonly gained: number })
  | (Named & { readonly type: 'lesson-place'; readonly under: string })
  | (Named & { readonly type: 'lesson-move'; readonly from: string; readonly to: string })
  | (Named & { readonly type: 'lesson-unplace'; readonly from: string })
  | (Named & { readonly type: 'lesson-trust'; readonly trust: 'trusted' | 'held' })
  | (Named & { readonly type: 'group-add'; readonly under: string | null })
  | (Named & { readonly type: 'group-remove' })
  | (Named & { readonly type: 'group-rename'; readonly was: string; readonly scope: string })
  | (Named & { readonly type: 'group-move'; readonly from: string; readonly to: string })
  | (Named & {
      readonly type: 'groups-merge';
      readonly groups: readonly Named[];
      readonly undone: boolean;
    })
  | (Named & {
      readonly type: 'group-split';
      readonly parts: readonly Named[];
      /** The parts stand where the group stood, and it is gone. */
      readonly lifted: boolean;
      readonly undone: boolean;
    })
  | (Named & { readonly type: 'summary-write' | 'summary-change' | 'summary-void' })
  | (ConflictNamed & { readonly type: 'conflict-open' })
  /** Settled for a lesson, or `both`. */
  | (ConflictNamed & { readonly type: 'conflict-settle'; readonly settled: string })
  /** No summary names it any more. */
  | (ConflictNamed & { readonly type: 'conflict-close' })
  /** null: the group was not there, or is not any more. */
  | (Named & { readonly type: 'rank-change'; readonly from: Rank | null; readonly to: Rank | null })
  | (Named & {
      readonly type: 'outcome-record' | 'outcome-remove';
      readonly retrievalId: string;
      readonly result: 'success' | 'failure';
    })
  | (Named & { readonly type: 'bank-freeze' | 'bank-unfreeze' });

export type TreeChangeType = TreeChange['type'];

/** In the order in which they are listed. */
export const TREE_CHANGE_TYPES: readonly TreeChangeType[] = [
  'bank-freeze',
  'bank-unfreeze',
  'lesson-add',
  'lesson-revise',
  'lesson-return',
  'lesson-retire',
  'lesson-remove',
  'lesson-support',
  'lesson-trust',
  'groups-merge',
  'group-split',
  'group-add',
  'group-remove',
  'group-rename',
  'group-move',
  'lesson-place',
  'lesson-move',
  'lesson-unplace',
  'summary-write',
  'summary-change',
  'summary-void',
  'rank-change',
  'conflict-open',
  'conflict-settle',
  'conflict-close',
  'outcome-record',
  'outcome-remove',
];
