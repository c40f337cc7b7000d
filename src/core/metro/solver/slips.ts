import { splitSentences } from '../../evolve/rules/sentences.ts';
import type { QuestionForm } from '../question-form.ts';

/** A slip of procedure: something done wrongly though all that is needed was read. */
export type SlipId = 'counts-origin' | 'ignores-one-way' | 'look-alike';

/** A slip, and what a critic says of it: general, never with an answer. */
export interface Slip {
  readonly id: SlipId;
  /** As people read it. */
  readonly label: string;
  /** What went wrong, one sentence. */
  readonly what: string;
  /** What would have prevented it, one imperative sentence. */
  readonly advice: string;
  /** Completes "when …". */
  readonly appliesWhen: string;
}

/** The three slips of the simulated solver (issue 2, metro world). */
export const SLIPS: Readonly<Record<SlipId, Slip>> = {
  'counts-origin': {
    id: 'counts-origin',
    label: 'Counts the start of the journey',
    what: 'The count includes the station where the journey starts or the first boarding.',
    advice: 'Count only what comes after the station where you board, not the start itself.',
    appliesWhen: 'stops or changes on a metro journey are counted',
  },
  'ignores-one-way': {
    id: 'ignores-one-way',
    label: 'Ignores one-way running',
    what: 'The work goes round the loop the shorter way, against the arrows.',
    advice:
      'On a one-way loop follow the direction of the arrows, even where the other way is shorter.',
    appliesWhen: 'stops on a metro loop with arrows are counted',
  },
  'look-alike': {
    id: 'look-alike',
    label: 'Confuses look-alike colours',
    what: 'The work takes one line for another line of nearly the same colour.',
    advice:
      'Compare the exact shade of the track with each legend swatch, because two lines have similar colours.',
    appliesWhen: 'a line on a metro map is told by its colour',
  },
};

/** The slip that a kind of question invites. */
export function slipOf(form: QuestionForm): SlipId {
  switch (form.kind) {
    case 'stops-between':
    case 'transfers':
      return 'counts-origin';
    case 'loop-direction':
      return 'ignores-one-way';
    case 'next-station':
    case 'line-by-legend':
      return 'look-alike';
  }
}

const NEGATION =
  /\b(?:not|dont|never|without|exclud\w*|except|omit\w*|leav\w* out|skip\w*|ignor\w*|minus|rather than|only\b.*\bafter)\b|n[’']t\b/u;
/** A reproach says what not to do as well: "you counted the start". */
const REPROACH = /\b(?:you|it|i|solver) (?:\w+ ){0,2}(?:counted|included|added)\b/u;
const COUNTING = /\b(?:count\w*|number\w*|includ\w*|exclud\w*|add\w*|start at zero)\b/u;
const ORIGIN =
  /\b(?:start\w*|origin\w*|board\w*|depart\w*|first (?:station|stop|train|line)|begin\w*|get on|where (?:you|i|one) (?:are|am|is))\b/u;

const ONE_WAY =
  /\bone[- ]way\b|\bwrong (?:way|direction)\b|\b(?:one|single) direction\b|\b(?:anti|counter-?)?clockwise\b/u;
const ARROW = /\b(?:arrow\w*|direction of travel|direction)\b/u;
const FOLLOW =
  /\b(?:follow\w*|obey\w*|respect\w*|against|only|along|backwards?|wrong way|even (?:where|when|if)|must|point\w*|heed)\b/u;

const SIMILAR =
  /\b(?:similar\w*|alike|look-?alikes?|confus\w*|mix(?:ed|ing)? (?:up|them)|mistak\w*|mistook|nearly the same|almost the same|resembl\w*|tell(?:ing)? (?:\w+ )*apart|distinguish\w*|compare\w*|exact shade|wrong)\b/u;
const COLOUR =
  /\b(?:colou?r\w*|shades?|hues?|tints?|swatch\w*|reds?|blues?|greens?|teals?|oranges?|yellows?|purples?|pinks?|browns?|lines)\b/u;

/**
 * Whether a text carries guidance about a slip: a sentence of it speaks of the matter in words that
 * mean what to do, whoever's words they are ("don't count the start" will do).
 */
export function carriesGuidance(text: string, slip: SlipId): boolean {
  return splitSentences(text).some((sentence) => {
    const said = sentence.toLowerCase();
    // A condition says when guidance applies; it is none itself.
    if (said.startsWith('applies when:')) return false;
    switch (slip) {
      case 'counts-origin':
        return (
          (NEGATION.test(said) || REPROACH.test(said)) && COUNTING.test(said) && ORIGIN.test(said)
        );
      case 'ignores-one-way':
        return ONE_WAY.test(said) || (ARROW.test(said) && FOLLOW.test(said));
      case 'look-alike':
        return SIMILAR.test(said) && COLOUR.test(said);
    }
  });
}

/** The slips that a memory's text does not speak of, and that are therefore made. */
export function slipsDespite(text: string): ReadonlySet<SlipId> {
  return new Set(Object.values(SLIPS).flatMap(({ id }) => (carriesGuidance(text, id) ? [] : [id])));
}
