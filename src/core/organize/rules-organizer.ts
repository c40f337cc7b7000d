import type { Organizer } from './organizer.ts';
import { mergeByLikeness } from './rules/merge-by-likeness.ts';
import { placeByLikeness } from './rules/place-by-likeness.ts';
import { SELECT_SETTINGS, selectByScore } from './rules/select-by-score.ts';
import { splitByLikeness } from './rules/split-by-likeness.ts';
import { summarise } from './rules/summarise.ts';

/**
 * The organizer without a model: placement by likeness to groups, agglomerative merge, split on
 * likeness, extractive consolidation, selection by score with diversity. The same input gives the same
 * proposal.
 */
export const rulesOrganizer: Organizer = {
  id: 'rules',
  label: 'Rules: no model',
  settings: SELECT_SETTINGS,
  async *place(input) {
    const operation = placeByLikeness(input);
    return operation && { operation, reason: 'Each lesson goes to the group most like it.' };
  },
  async *merge(input) {
    const operation = mergeByLikeness(input);
    return operation && { operation, reason: 'The groups say the same, or one is too small.' };
  },
  async *split(input) {
    const operation = splitByLikeness(input);
    return (
      operation && {
        operation,
        reason: `Its children fall into ${operation.parts.length} parts that are unlike each other.`,
      }
    );
  },
  async *consolidate({ group, lessons, budgetChars }) {
    return {
      operation: { type: 'consolidate', group: group.id, summary: summarise(lessons, budgetChars) },
      reason: `The sentences that represent ${lessons.length} lessons, and the conditions they share.`,
    };
  },
  async *select(input) {
    return selectByScore(input);
  },
};
