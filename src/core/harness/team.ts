import { parseAnswer, type ParsedAnswer } from './answer.ts';
import { attemptTrajectory, callStep, questionStep } from './attempt-trajectory.ts';
import { CRITIC_JSON_SCHEMA, parseCriticReply } from './critic-reply.ts';
import { HARNESS_INFO } from './harness-info.ts';
import type { Harness } from './harness.ts';
import { promptSchema } from './prompt.ts';
import criticJson from './prompts/team-critic.json';
import solverJson from './prompts/team-solver.json';
import { solveRequest } from './solve-request.ts';

const solverPrompt = promptSchema.parse(solverJson);
const criticPrompt = promptSchema.parse(criticJson);

/**
 * A solver, then a critic that checks its work against the same images. Ready where the critic says
 * so and has no finding. A critic's reply that is not the wanted JSON is recorded on its step as
 * `extra.invalid_reply`, and the attempt counts as not ready.
 */
export const team: Harness = {
  ...HARNESS_INFO.team,
  roles: ['solver', 'critic'],
  async *solve(input, caller) {
    const solved = yield* caller.call('solver', solveRequest(solverPrompt, input));
    const answer = parseAnswer(solved.response.text);
    const solverStep = callStep(solved, { id: 2, role: 'solver' });
    yield { type: 'step-finish', step: solverStep };

    const checked = yield* caller.call(
      'critic',
      solveRequest(criticPrompt, input, {
        sections: [
          ['work', solved.response.text],
          ['answer', answer.text],
        ],
        responseSchema: CRITIC_JSON_SCHEMA,
      }),
    );
    const reply = parseCriticReply(checked.response.text);
    const criticStep = callStep(checked, {
      id: 3,
      role: 'critic',
      findings: reply.ok ? reply.value.findings : [],
      extra: reply.ok ? {} : { invalid_reply: reply.refusal },
    });
    yield { type: 'step-finish', step: criticStep };
    return {
      answer: answer.text,
      ...readiness(answer, reply),
      trajectory: attemptTrajectory(team, input, [questionStep(input), solverStep, criticStep]),
    };
  },
};

function readiness(
  answer: ParsedAnswer,
  reply: ReturnType<typeof parseCriticReply>,
): { readonly ready: boolean; readonly readyReason: string } {
  if (answer.text === '') return { ready: false, readyReason: 'The reply holds no answer.' };
  if (!reply.ok) {
    const { reason, message } = reply.refusal;
    return {
      ready: false,
      readyReason:
        reason === 'not-json'
          ? `The critic's reply is not valid JSON: ${message}.`
          : `The critic's reply is not of the wanted form: ${message}.`,
    };
  }
  const { ready, reason, findings } = reply.value;
  const first = findings[0];
  if (first !== undefined)
    return { ready: false, readyReason: ready || reason === '' ? first.what : reason };
  if (!ready) return { ready: false, readyReason: reason || 'The critic is not satisfied.' };
  return { ready: true, readyReason: reason || 'The critic found nothing wrong.' };
}
