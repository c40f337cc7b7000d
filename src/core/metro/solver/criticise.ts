import { hashJson } from '../../canonical.ts';
import type { CriticReply } from '../../harness/critic-reply.ts';
import type { Finding } from '../../trajectory.ts';
import { answerQuestion, type Work } from './answer-question.ts';
import { boxToRead, tooSmallBox } from './look-closer.ts';
import type { Percept } from './perceive.ts';
import { questionText, type QuestionForm } from '../question-form.ts';
import { readMap } from './read-map.ts';
import { SLIPS, slipOf, type SlipId } from './slips.ts';

const NO_SLIPS: ReadonlySet<SlipId> = new Set();

/** One question in so many: the critic takes a slip for right. */
const OVERLOOKS_ONE_IN = 25;

/** One question in so many: the critic's first box is too small to point at. */
const SMALL_BOX_ONE_IN = 12;

/** What the critic says of a region that could not be read, by what is asked: general, without an answer. */
export const CLOSER: Readonly<
  Record<QuestionForm['kind'], Pick<Finding, 'what' | 'advice' | 'appliesWhen'>>
> = {
  'stops-between': {
    what: 'The legend and its small print were too small to read.',
    advice: 'Look in the enlarged small print for stations without stops before counting.',
    appliesWhen: 'stops on a line of a metro map are counted',
  },
  transfers: {
    what: 'The small print below the legend was too small to read.',
    advice: 'Look in the enlarged small print for stations closed to changes.',
    appliesWhen: 'changes on a metro map are counted',
  },
  'next-station': {
    what: 'The legend was too small to tell which line is meant.',
    advice: 'Find the named line in the enlarged legend before following it.',
    appliesWhen: 'a named line of a metro map is followed',
  },
  'line-by-legend': {
    what: 'The legend was too small to read the name of the line.',
    advice: 'Read the name of a line in the enlarged legend.',
    appliesWhen: 'a line of a metro map is named',
  },
  'loop-direction': {
    what: 'The small marks beside the loop were too small to read.',
    advice: 'Enlarge the small marks beside a loop before counting its stops.',
    appliesWhen: 'stops on a loop of a metro map are counted',
  },
};

/** What a critic works from: what it sees, what was asked, and the answer it checks. */
export interface CriticInput {
  readonly percept: Percept;
  readonly form: QuestionForm;
  readonly answer: string;
  /** Which map it is; with the question it decides what this critic overlooks. */
  readonly seed: number;
  /** Whether a crop of this map is among the views. */
  readonly hasCrop: boolean;
}

/**
 * The simulated critic: does the work again with care from the same views and tells one finding at a
 * time, an unread region before a slip; never the answer. In a few questions it overlooks a slip, in
 * a few its first box is too small; which ones follows from question and map.
 */
export function criticise(input: CriticInput): CriticReply {
  const { percept, form, answer } = input;
  const reading = readMap(percept);
  const careful = answerQuestion(reading, form, NO_SLIPS);
  const region = unreadRegion(input, careful);
  if (region !== null) return reject(region);
  if (same(careful.answer, answer)) return ready('The work was done again and came to the same.');
  const slip = slipOf(form);
  const slipped = answerQuestion(reading, form, new Set([slip]));
  if (!same(slipped.answer, answer)) {
    return reject({
      what: 'The work does not lead to this answer.',
      advice: 'Go through each step again and write down what it rests on.',
      appliesWhen: null,
      image: null,
      box: null,
      confidence: 0.6,
    });
  }
  if (draw(input, 'overlooks', OVERLOOKS_ONE_IN)) return ready('I find nothing wrong.');
  const { what, advice, appliesWhen } = SLIPS[slip];
  // No box: the crop that the answer rests on must stay where it is, and a slip is not a matter of looking.
  return reject({ what, advice, appliesWhen, image: null, box: null, confidence: 0.8 });
}

function unreadRegion(input: CriticInput, careful: Work): Finding | null {
  for (const doubt of careful.doubts) {
    const box = boxToRead(input.percept, doubt);
    if (box === null) continue;
    const small = !input.hasCrop && draw(input, 'small-box', SMALL_BOX_ONE_IN);
    const shown = small ? tooSmallBox(box, input.percept.size) : box;
    return { ...CLOSER[input.form.kind], image: 0, box: [...shown], confidence: 0.9 };
  }
  return null;
}

function ready(reason: string): CriticReply {
  return { ready: true, reason, findings: [] };
}

function reject(finding: Finding): CriticReply {
  return { ready: false, reason: finding.what, findings: [finding] };
}

function same(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}

/** A draw that is the same each time for a question on a map: true in about one of `oneIn`. */
function draw({ form, seed }: CriticInput, what: string, oneIn: number): boolean {
  const hash = hashJson({ what, question: questionText(form), seed });
  return Number.parseInt(hash.slice(0, 8), 16) % oneIn === 0;
}
