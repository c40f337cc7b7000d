import { z } from 'zod';
import { accept, refuse, type Refusal, type Result } from '../../result.ts';

/** What became of something odd in a file: left out, kept in another form, or kept to the letter. */
export type ProblemEffect = 'left-out' | 'changed' | 'kept';

/** Something odd in a file from outside, as a sentence for the person who brought it. */
export interface ItemProblem {
  /** Counted from 1; null where it is of the file as a whole. */
  readonly line: number | null;
  /** The member that did not fit: `metadata.score`; empty where it is of the whole line. */
  readonly path: string;
  readonly effect: ProblemEffect;
  readonly message: string;
}

/** How many problems of one file are told one by one; what is beyond is counted in a last one. */
export const MOST_PROBLEMS = 1000;

/** Collects problems, at most `MOST_PROBLEMS` of them and one that counts the rest. */
export interface ProblemList {
  add(problem: ItemProblem): void;
  all(): readonly ItemProblem[];
}

export function makeProblemList(): ProblemList {
  const problems: ItemProblem[] = [];
  let more = 0;
  return {
    add(problem) {
      if (problems.length < MOST_PROBLEMS) problems.push(problem);
      else more += 1;
    },
    all() {
      if (more === 0) return problems;
      const message = `There are ${more} more problems like these.`;
      return [...problems, { line: null, path: '', effect: 'left-out', message }];
    },
  };
}

/**
 * The value itself where it has the shape, so that its members keep their order and unknown ones
 * stay; else `bad-shape` with the path that failed. For schemas that transform nothing.
 */
export function checkShape<T>(
  schema: z.ZodType<T>,
  value: unknown,
): Result<T, Refusal<'bad-shape'>> {
  if (fits(schema, value)) return accept(value);
  const issue = schema.safeParse(value).error?.issues[0];
  const path = (issue?.path ?? []).map(String).join('.');
  const message = (issue?.message ?? 'does not fit').replace(/^Invalid input: /u, '');
  return refuse('bad-shape', path === '' ? message : `${path}: ${message}`, path);
}

function fits<T>(schema: z.ZodType<T>, value: unknown): value is T {
  return schema.safeParse(value).success;
}
