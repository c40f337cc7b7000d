import { z } from 'zod';
import { hashJson, type Hash } from './canonical.ts';

/** One image of a task. The bytes lie in the blob store under `hash`. Sizes are of the upright image. */
export const taskImageSchema = z.object({
  hash: z.string(),
  name: z.string(),
  mediaType: z.string(),
  width: z.int().positive(),
  height: z.int().positive(),
  byteLength: z.int().nonnegative(),
});
export type TaskImage = z.infer<typeof taskImageSchema>;

/**
 * A question with its images and public information. `id` is its content address: two tasks that
 * ask the same of the same images are one task, whoever asks (what "distinct task" means in §3).
 * Reference answers live in `Reference`, another type in another table; nothing here leads to them.
 */
export const taskSchema = z.object({
  id: z.string(),
  question: z.string(),
  images: z.array(taskImageSchema),
  publicInformation: z.string(),
});
export type Task = z.infer<typeof taskSchema>;

/** The known right answers of a task, apart from it. No solver, controller or prompt takes this type. */
export const referenceSchema = z.object({
  taskId: z.string(),
  answers: z.array(z.string()).min(1),
});
export type Reference = z.infer<typeof referenceSchema>;

/** NFC, white space folded to single spaces, trimmed: what two questions are compared by. */
export function normalizeText(text: string): string {
  return text.toWellFormed().normalize('NFC').replace(/\s+/gu, ' ').trim();
}

/** The content address of a task: normalised question, image hashes in order, public information. */
export function taskId(task: Omit<Task, 'id'>): Hash {
  return hashJson({
    question: normalizeText(task.question),
    images: task.images.map((image) => image.hash),
    publicInformation: normalizeText(task.publicInformation),
  });
}

/** A task with its id worked out. */
export function makeTask(task: Omit<Task, 'id'>): Task {
  return { id: taskId(task), ...task };
}
