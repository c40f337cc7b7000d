import type { Caller } from '../harness/harness.ts';
import { ROOT_ID } from '../bank/node.ts';
import type { Refusal, Result } from '../result.ts';
import type { JsonReply } from '../harness/ask-for-json.ts';
import { consolidateQuestion } from './model/consolidate-question.ts';
import { mergeQuestion } from './model/merge-question.ts';
import { askOrganizer, type AskSettings } from './model/model-question.ts';
import { placeQuestion } from './model/place-question.ts';
import { selectQuestion } from './model/select-question.ts';
import { splitQuestion } from './model/split-question.ts';
import type { Organizer, OrganizerProposal, Selection } from './organizer.ts';
import { rulesOrganizer } from './rules-organizer.ts';

export interface ModelOrganizerOptions extends AskSettings {
  /** `model`, and which: part of every operation's actor. */
  readonly id: string;
  readonly label: string;
  /** Whether the model is shown images when it selects; without, a selection is by text alone. */
  readonly images: boolean;
  /** Whether the rules stand in where a selection cannot be read (DESIGN.md §2, fallbacks). */
  readonly fallback: boolean;
}

/**
 * The organizer on a language model (EpiCon 4.3, appendix B). Each question shows what its step needs
 * and no more: at most 1,500 tokens of text, whatever the bank's size. A reply that cannot be used is
 * put forward as refused, with the reason, and the maintenance step lets the rules stand in.
 */
export function makeModelOrganizer(options: ModelOrganizerOptions): Organizer {
  const { id, label, images, fallback } = options;
  return {
    id,
    label,
    seesImages: images,
    async *place(input, caller) {
      const reply = yield* askOrganizer(placeQuestion(input), options, caller);
      return proposalOf(reply, (operation) =>
        operation === null ? null : { operation, reason: 'The model chose each lesson’s group.' },
      );
    },
    async *merge(input, caller) {
      const reply = yield* askOrganizer(mergeQuestion(input), options, caller);
      return proposalOf(reply, (merge) => merge);
    },
    async *split(input, caller) {
      const reply = yield* askOrganizer(splitQuestion(input), options, caller);
      return proposalOf(reply, (split) => split);
    },
    async *consolidate(input, caller) {
      const { group } = input;
      // Nothing is said of everything at once: the root has no summary worth a model's tokens.
      if (group.id === ROOT_ID) return null;
      const reply = yield* askOrganizer(consolidateQuestion(input), options, caller);
      return proposalOf(reply, (summary) => ({
        operation: { type: 'consolidate', group: group.id, summary },
        reason: `The model's words, resting on ${summary.supportedBy.length} lessons.`,
      }));
    },
    async *select(input, caller) {
      const reply = yield* askOrganizer(selectQuestion(input, { images }), options, caller);
      if (reply.ok) return reply.value.value;
      return fallback
        ? yield* selectByRules(input, reply.refusal, caller)
        : { nodeIds: [], reason: `The reply could not be used: ${reply.refusal.message}.` };
    },
  };
}

/** What is put forward of a reply; where it could not be used, the refusal is. */
function proposalOf<T>(
  reply: Result<JsonReply<T>>,
  propose: (value: T) => OrganizerProposal | null,
): OrganizerProposal | null {
  if (!reply.ok) return { operation: null, reason: '', refusal: reply.refusal };
  const proposal = propose(reply.value.value);
  if (proposal === null || !reply.value.repaired) return proposal;
  return { ...proposal, reason: `${proposal.reason} (Its first reply had to be mended.)`.trim() };
}

async function* selectByRules(
  input: Parameters<Organizer['select']>[0],
  { message }: Refusal,
  caller: Caller,
): ReturnType<Organizer['select']> {
  const selection: Selection = yield* rulesOrganizer.select(input, caller);
  return {
    ...selection,
    reason: `The model’s reply could not be used (${message}); ${lowerFirst(selection.reason)}`,
  };
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
