/** Draws the sample's maps and works the simulated solver's replies out, off the page's thread. */
import { ModelCallError } from '../core/errors.ts';
import { drawMap } from '../core/metro/draw-map.ts';
import { generateMap } from '../core/metro/generate-map.ts';
import { layOut } from '../core/metro/lay-out.ts';
import { METRO_SEEDS, metroImage, metroReference, metroTask } from '../core/metro/metro-tasks.ts';
import { storyQuestion } from '../core/metro/sample-story.ts';
import type { Scene } from '../core/metro/scene.ts';
import { simulatedReply } from '../core/metro/simulated-backbone.ts';
import { metroOrderSchema, type MetroAnswer, type MetroOrder } from './metro-protocol.ts';

const seeds = new Map(METRO_SEEDS.map((seed) => [metroImage(seed).hash, seed]));
const scenes = new Map<number, Scene>();

function sceneOf(seed: number): Scene {
  const known = scenes.get(seed) ?? layOut(generateMap(seed));
  scenes.set(seed, known);
  return known;
}

function pictures(hash: string): Scene | undefined {
  const seed = seeds.get(hash);
  return seed === undefined ? undefined : sceneOf(seed);
}

function draw(questionId: string) {
  const question = storyQuestion({ id: questionId, about: '' });
  return {
    task: metroTask(question),
    reference: metroReference(question),
    bytes: drawMap(sceneOf(question.seed)),
  };
}

function carryOut(order: MetroOrder): MetroAnswer {
  const { id } = order;
  try {
    return order.type === 'question'
      ? { type: 'question', id, ...draw(order.questionId) }
      : { type: 'reply', id, text: simulatedReply(order.request, pictures) };
  } catch (error) {
    if (!(error instanceof ModelCallError)) throw error;
    const { message, hint } = error;
    return { type: 'failure', id, message, ...(hint === undefined ? {} : { hint }) };
  }
}

addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  postMessage(carryOut(metroOrderSchema.parse(data)));
});
