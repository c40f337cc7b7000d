import { generateMap } from './generate-map.ts';
import { questionsOf, type MetroQuestion } from './questions.ts';

/** One task of the sample story: which metro question, and what it is about in two or three words. */
export interface StoryTask {
  /** A `MetroQuestion`'s id. */
  readonly id: string;
  readonly about: string;
}

/** The sample: tasks that build a bank, in order, then one on a map that none of them is of. */
export interface SampleStory {
  readonly build: readonly StoryTask[];
  readonly last: StoryTask;
}

/**
 * The metro sample (issue 2, items 6 and 9). The build tasks run with feedback `reference`, the team
 * harness, and lessons accepted; the last with feedback `none`: without the bank the loop ends with a
 * wrong answer, with it with the right one. A test runs the story and proves it.
 */
export const SAMPLE_STORY: SampleStory = {
  build: [
    { id: 'metro-03-1', about: 'Counting stops' },
    { id: 'metro-12-8', about: 'Naming a line' },
    { id: 'metro-05-9', about: 'Going round a loop' },
    { id: 'metro-21-1', about: 'Counting stops' },
  ],
  last: { id: 'metro-18-1', about: 'Counting stops' },
};

/** What the page says of the simulation: three sentences. */
export const SIMULATION_EXPLANATION =
  'The solver and the critic here are a simulation without a model: they see only what could be read ' +
  'in the picture shown at 512 pixels or in the enlarged crop that memory adds. ' +
  'They guess where something is too small to read, and they make three known slips (counting the ' +
  'start, going against one-way arrows, confusing look-alike colours) until their memory warns of them. ' +
  'Everything else is real: the question loop, the memory updates and their checks, the bank and what ' +
  'is found in it.';

/** The question that a task of the story asks. Throws where there is no such question. */
export function storyQuestion({ id }: StoryTask): MetroQuestion {
  const seed = Number(/^metro-(\d+)-\d+$/u.exec(id)?.[1]);
  const question = questionsOf(generateMap(seed)).find((candidate) => candidate.id === id);
  if (question === undefined) throw new Error(`there is no metro question ${id}`);
  return question;
}
