import { z } from 'zod';
import { boxSchema } from './box.ts';

/** Where the visual half of a memory points: a source image by hash, and a box on it. */
export const visualSchema = z.object({ imageHash: z.string(), box: boxSchema });
export type Visual = z.infer<typeof visualSchema>;

/**
 * Question memory W (EpiCon 4.2): text and visual evidence that live for one task. `inject` is the
 * gate g of eq. 3: false keeps `visual` stored and leaves it out of the next input.
 */
export const questionMemorySchema = z.object({
  guidance: z.string(),
  appliesWhen: z.string(),
  cautions: z.array(z.string()),
  visual: visualSchema.nullable(),
  inject: z.boolean(),
});
export type QuestionMemory = z.infer<typeof questionMemorySchema>;

/** W before the first attempt. */
export const EMPTY_MEMORY: QuestionMemory = {
  guidance: '',
  appliesWhen: '',
  cautions: [],
  visual: null,
  inject: false,
};

/** Whether there is nothing in W that could be given to a solver. */
export function isEmptyMemory(memory: QuestionMemory): boolean {
  return memory.guidance === '' && memory.visual === null;
}

/** A crop: pixels of a box of a source image, stored by content hash. */
export const cropSchema = z.object({
  hash: z.string(),
  mediaType: z.string(),
  width: z.int().positive(),
  height: z.int().positive(),
  sourceHash: z.string(),
  sourceWidth: z.int().positive(),
  sourceHeight: z.int().positive(),
  box: boxSchema,
});
export type Crop = z.infer<typeof cropSchema>;

/**
 * What memory adds to a solver's input, c of eq. 3: text, and crops within the image budget. The
 * task's own images are always there besides. `from` says where each part came from.
 */
export const memoryInputSchema = z.object({
  text: z.string(),
  crops: z.array(z.object({ crop: cropSchema, from: z.enum(['retrieved', 'question']) })),
});
export type MemoryInput = z.infer<typeof memoryInputSchema>;

/** No memory: the input of a first attempt without a bank. */
export const NO_MEMORY_INPUT: MemoryInput = { text: '', crops: [] };
