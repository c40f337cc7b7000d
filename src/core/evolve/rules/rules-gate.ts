import type { RetrievalRecord } from '../../run.ts';
import type { Task } from '../../task.ts';
import type { GateDecision } from '../controller.ts';
import { contentWords } from './sentences.ts';

/** Words by which a lesson says that its crop shows how such images are read, not one image's content. */
const CONVENTION =
  /\b(?:legends?|symbols?|conventions?|notations?|arrows?|arrowheads?|markers?|signs?|keys?|colou?r codes?|icons?|abbreviations?|scale bars?|dashed|hatch(?:ed|ing))\b/iu;

/** How many content words a description must share with the question to fit it. */
const FITTING_WORDS = 2;

/**
 * The gate for retrieved visuals without a model (DESIGN.md §2): inject where some chosen memory has
 * a crop, its title and text share at least two content words with the question, and the crop is
 * either of one of the task's own images or shown by a text that speaks of a convention (a legend, a
 * symbol, an arrow), which carries over from one image to another.
 */
export function rulesGate(task: Task, chosen: RetrievalRecord['chosen']): GateDecision {
  const withCrop = chosen.filter(({ crop }) => crop !== null);
  if (withCrop.length === 0) {
    return { inject: false, reason: 'What was chosen has no crop.' };
  }
  const question = new Set(contentWords(`${task.question} ${task.publicInformation}`));
  const own = new Set(task.images.map((image) => image.hash));
  const fitting = withCrop.filter(
    ({ title, text }) =>
      contentWords(`${title} ${text}`).filter((word) => question.has(word)).length >= FITTING_WORDS,
  );
  if (fitting.length === 0) {
    return { inject: false, reason: 'No crop is described in the words of this question.' };
  }
  const same = fitting.find(({ crop }) => crop !== null && own.has(crop.sourceHash));
  if (same !== undefined) {
    return { inject: true, reason: `“${same.title}” shows a part of this task's own image.` };
  }
  const convention = fitting.find(({ title, text }) => CONVENTION.test(`${title} ${text}`));
  if (convention !== undefined) {
    return {
      inject: true,
      reason: `“${convention.title}” shows a convention that carries over to other images.`,
    };
  }
  return { inject: false, reason: 'The crops show other images, and no convention is named.' };
}
