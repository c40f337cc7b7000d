import { z } from 'zod';
import type { AttemptResult } from '../harness/harness.ts';
import { NO_FEEDBACK, type Feedback, type RunEvent } from '../run.ts';
import type { AttemptScope } from './run-scope.ts';

const verdictSchema = z.enum(['right', 'wrong', 'unknown']);

/** Whether an attempt is ready, why, and the feedback that decided it. */
export interface Judgement {
  readonly feedback: Feedback;
  readonly ready: boolean;
  readonly readyReason: string;
}

/**
 * Judges an attempt (DESIGN.md §2). A person's word decides where there is one; else, with feedback
 * `reference`, the grader's verdict, which is recorded; else the harness's own judgement, which with
 * `judged` is also the feedback where the harness has a critic. A grader says right or wrong and
 * nothing else: what the right answer is never leaves it.
 */
export async function* judgeAttempt(
  scope: AttemptScope,
  result: AttemptResult,
): AsyncGenerator<RunEvent, Judgement> {
  const own = { ready: result.ready, readyReason: result.readyReason };
  const said = scope.userFeedback.findLast(({ attempt }) => attempt === scope.attempt)?.feedback;
  if (said !== undefined) return byPerson(said, own);
  switch (scope.config.feedback) {
    case 'reference':
      return byVerdict(yield* grade(scope, result.answer), own);
    case 'judged': {
      if (!scope.ports.harness.roles.includes('critic')) return { feedback: NO_FEEDBACK, ...own };
      const verdict = result.ready ? 'right' : 'wrong';
      const reason = result.readyReason;
      return { feedback: { type: 'judged', verdict, reason, region: null }, ...own };
    }
    case 'user':
    case 'none':
      return { feedback: NO_FEEDBACK, ...own };
  }
}

async function* grade(
  { ports, task, config, doWork }: AttemptScope,
  answer: string,
): AsyncGenerator<RunEvent, z.infer<typeof verdictSchema>> {
  const { grader } = ports;
  if (grader === null || grader.type !== config.feedback) {
    throw new Error(`a run with feedback ${config.feedback} needs a grader of that type`);
  }
  const graded = yield* doWork({
    role: 'judge',
    name: 'reference-grade@1',
    input: { taskId: task.id, answer },
    result: verdictSchema,
    async *run() {
      return grader.grade(task, answer);
    },
  });
  return graded.value;
}

function byPerson(said: Feedback, own: Omit<Judgement, 'feedback'>): Judgement {
  const feedback: Feedback = { ...said, type: 'user' };
  if (said.verdict === 'unknown') return { feedback, ...own };
  const because = said.reason.trim() === '' ? '.' : `: ${said.reason.trim()}`;
  return {
    feedback,
    ready: said.verdict === 'right',
    readyReason: `A person said that it is ${said.verdict}${because}`,
  };
}

function byVerdict(
  verdict: z.infer<typeof verdictSchema>,
  own: Omit<Judgement, 'feedback'>,
): Judgement {
  if (verdict === 'unknown') {
    const reason = 'There is no reference answer for this task.';
    return { feedback: { type: 'reference', verdict, reason, region: null }, ...own };
  }
  const reason = `The reference answer says that it is ${verdict}.`;
  return {
    feedback: { type: 'reference', verdict, reason, region: null },
    ready: verdict === 'right',
    readyReason: reason,
  };
}
