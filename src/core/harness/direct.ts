import { attemptTrajectory, callStep, questionStep } from './attempt-trajectory.ts';
import { parseAnswer, type ParsedAnswer } from './answer.ts';
import { HARNESS_INFO } from './harness-info.ts';
import type { Harness } from './harness.ts';
import { promptSchema } from './prompt.ts';
import promptJson from './prompts/direct-solver.json';
import { solveRequest } from './solve-request.ts';

const prompt = promptSchema.parse(promptJson);

/** One call. Ready where the reply is complete, holds an answer, and does not call it uncertain. */
export const direct: Harness = {
  ...HARNESS_INFO.direct,
  roles: ['solver'],
  async *solve(input, caller) {
    const record = yield* caller.call('solver', solveRequest(prompt, input));
    const answer = parseAnswer(record.response.text);
    const step = callStep(record, { id: 2, role: 'solver' });
    yield { type: 'step-finish', step };
    const cutOff = record.response.finishReason === 'length' && !answer.labelled;
    return {
      answer: answer.text,
      ...readiness(answer, cutOff),
      trajectory: attemptTrajectory(direct, input, [questionStep(input), step]),
    };
  },
};

function readiness(
  answer: ParsedAnswer,
  cutOff: boolean,
): { readonly ready: boolean; readonly readyReason: string } {
  if (answer.text === '') return { ready: false, readyReason: 'The reply holds no answer.' };
  if (cutOff) {
    return { ready: false, readyReason: 'The reply was cut off before its answer.' };
  }
  if (answer.uncertain !== null) {
    return {
      ready: false,
      readyReason: `The solver calls its answer uncertain: ${answer.uncertain}`,
    };
  }
  return { ready: true, readyReason: 'The solver gave an answer and did not call it uncertain.' };
}
