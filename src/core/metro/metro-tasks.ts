import { z } from 'zod';
import { makeTask, type Reference, type Task } from '../task.ts';
import { generateMap } from './generate-map.ts';
import index from './index.json' with { type: 'json' };
import { questionsOf, type MetroQuestion } from './questions.ts';
import { MAP_SIZE } from './scene.ts';

/** The seeds of the sample's 40 maps. */
export const METRO_SEEDS: readonly number[] = Array.from({ length: 40 }, (_, seed) => seed + 1);

const indexSchema = z.array(
  z.object({ seed: z.int(), sha256: z.string().length(64), byteLength: z.int() }),
);

/** Hash and length of each map's PNG, worked out beforehand so that no map need be drawn to name a task. */
const images = new Map(indexSchema.parse(index).map((entry) => [entry.seed, entry]));

/** All 400 questions, map by map. Takes about a second: for tests and benchmarks. */
export function metroQuestions(): readonly MetroQuestion[] {
  return METRO_SEEDS.flatMap((seed) => questionsOf(generateMap(seed)));
}

/** What a map's PNG is called, hashes to and weighs. Throws for a seed outside `METRO_SEEDS`. */
export function metroImage(seed: number): Task['images'][number] {
  const entry = images.get(seed);
  if (entry === undefined) throw new RangeError(`no metro map has the seed ${seed}`);
  const name = `metro-${String(seed).padStart(2, '0')}.png`;
  const { sha256: hash, byteLength } = entry;
  return { hash, name, mediaType: 'image/png', ...MAP_SIZE, byteLength };
}

/** The question as a task with its map's image; nothing in it leads to the answer. */
export function metroTask({ seed, question }: MetroQuestion): Task {
  return makeTask({ question, images: [metroImage(seed)], publicInformation: '' });
}

/** The right answer to a question, apart from its task. */
export function metroReference(question: MetroQuestion): Reference {
  return { taskId: metroTask(question).id, answers: [question.reference] };
}
