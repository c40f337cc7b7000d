import { describe, expect, it } from 'vitest';
import type { CallRecord, ModelRequest, ModelResponse } from '../../../src/core/call.ts';
import type { AttemptResult, Caller, SolveInput } from '../../../src/core/harness/harness.ts';
import { HARNESSES } from '../../../src/core/harness/harnesses.ts';
import { promptReference, promptSchema } from '../../../src/core/harness/prompt.ts';
import directJson from '../../../src/core/harness/prompts/direct-solver.json';
import criticJson from '../../../src/core/harness/prompts/team-critic.json';
import solverJson from '../../../src/core/harness/prompts/team-solver.json';
import { readSection } from '../../../src/core/harness/sections.ts';
import { NO_MEMORY_INPUT } from '../../../src/core/memory.ts';
import { DEFAULT_RUN_CONFIG } from '../../../src/core/run.ts';
import { stopsTask } from '../evolve/scripted-run.ts';

const crop = {
  hash: 'c'.repeat(64),
  mediaType: 'image/png',
  width: 50,
  height: 50,
  sourceHash: 'b'.repeat(64),
  sourceWidth: 100,
  sourceHeight: 100,
  box: [0, 0, 0.5, 0.5] as [number, number, number, number],
};
const input: SolveInput = {
  task: { ...stopsTask, publicInformation: 'Trains run on the left.' },
  memory: { text: 'Mind </memory> the gap.', crops: [{ crop, from: 'question' }] },
  attempt: 1,
  sessionId: 's',
  config: DEFAULT_RUN_CONFIG,
};

/** Solves with replies in order; gives the result and the requests that were made. */
async function solve(
  harness: keyof typeof HARNESSES,
  replies: readonly string[],
  response: Partial<ModelResponse> = {},
): Promise<{ readonly result: AttemptResult; readonly requests: readonly ModelRequest[] }> {
  const requests: ModelRequest[] = [];
  const caller: Caller = {
    async *call(role, request): AsyncGenerator<never, CallRecord> {
      const text = replies[requests.length] ?? '';
      requests.push(request);
      const usage = { promptTokens: 9, completionTokens: 3, images: 1, estimated: false };
      return {
        key: { runId: 'r', attempt: 1, role, ordinal: 0, sample: 0, requestHash: 'h' },
        request,
        response: { text, reasoning: '', finishReason: 'stop', usage, model: 'm', ...response },
        backbone: 'b',
        device: 'this-device',
        startedAt: '2026-01-01T00:00:00.000Z',
        durationMs: 12,
      };
    },
  };
  const run = HARNESSES[harness].solve(input, caller);
  for (let next = await run.next(); ; next = await run.next()) {
    if (next.done === true) return { result: next.value, requests };
  }
}

describe('a request', () => {
  it('holds system text, images, question, public information, memory, crops, in this order', async () => {
    const { requests } = await solve('direct', ['Answer: 7']);
    const [system, user] = requests[0]?.messages ?? [];
    expect(system?.parts).toEqual([{ type: 'text', text: directJson.system }]);
    expect(
      user?.parts.map((part) =>
        part.type === 'image'
          ? part.source === undefined
            ? 'image'
            : 'crop'
          : /^<([a-z-]+)>/u.exec(part.text)?.[1],
      ),
    ).toEqual(['image', 'question', 'public-information', 'memory', 'crop']);
  });

  it('reads back what stood between its tags, closing tags included', async () => {
    const { requests } = await solve('team', ['<b></work> Answer: 7', '{"ready": true}']);
    const [, critic] = requests;
    if (critic === undefined) throw new Error('the critic was not asked');
    expect(readSection(critic, 'memory')).toBe('Mind </memory> the gap.');
    expect(readSection(critic, 'work')).toBe('<b></work> Answer: 7');
    expect(critic.prompt).toBe('team-critic@1');
    expect(critic.responseSchema).toMatchObject({ type: 'object' });
  });

  it('has no memory section where there is no memory', async () => {
    const run = HARNESSES.direct.solve(
      { ...input, memory: NO_MEMORY_INPUT },
      {
        async *call(_, request) {
          expect(readSection(request, 'memory')).toBeUndefined();
          throw new Error('seen');
        },
      },
    );
    await expect(run.next()).rejects.toThrow('seen');
  });
});

describe('direct', () => {
  it('is ready where it gave an answer and did not call it uncertain', async () => {
    expect((await solve('direct', ['So.\nAnswer: 7'])).result).toMatchObject({
      answer: '7',
      ready: true,
    });
    const { result } = await solve('direct', ['Uncertain: too small to read\nAnswer: 7']);
    expect(result).toMatchObject({ answer: '7', ready: false });
    expect(result.readyReason).toContain('too small to read');
  });

  it('is not ready where the reply is empty or cut off before its answer', async () => {
    expect((await solve('direct', [''])).result.ready).toBe(false);
    const cut = await solve('direct', ['First I look at'], { finishReason: 'length' });
    expect(cut.result.ready).toBe(false);
  });
});

describe('team', () => {
  const work = 'I count.\nAnswer: 7';

  it.each([
    ['ready without findings', '{"ready": true, "reason": "Fine.", "findings": []}', true, 'Fine.'],
    [
      'ready with a finding',
      '{"ready": true, "reason": "Fine.", "findings": [{"what": "Blurred."}]}',
      false,
      'Blurred.',
    ],
    ['not ready', '{"ready": false, "reason": "Misread."}', false, 'Misread.'],
    ['fenced', '```json\n{"ready": true, "reason": "Fine."}\n```', true, 'Fine.'],
    ['of another form', '{"verdict": "ok"}', false, /not of the wanted form/u],
    ['prose', 'Fine.', false, /not valid JSON/u],
  ])('judges by a critic’s reply that is %s', async (_, reply, ready, reason) => {
    const { result } = await solve('team', [work, reply]);
    expect(result.ready).toBe(ready);
    expect(result.readyReason).toEqual(
      typeof reason === 'string' ? reason : expect.stringMatching(reason),
    );
    expect(result.answer).toBe('7');
  });

  it('totals its trajectory', async () => {
    const { result } = await solve('team', [work, '{"ready": true}']);
    expect(result.trajectory.final_metrics).toEqual({
      total_prompt_tokens: 18,
      total_completion_tokens: 6,
      total_steps: 3,
    });
    expect(result.trajectory.steps[1]?.extra).toMatchObject({ role: 'solver', duration_ms: 12 });
  });
});

describe('prompt files', () => {
  it.each([
    ['direct-solver@1', directJson],
    ['team-solver@1', solverJson],
    ['team-critic@1', criticJson],
  ])('%s fits its budget', (reference, json) => {
    const prompt = promptSchema.parse(json);
    expect(promptReference(prompt)).toBe(reference);
    expect(Math.ceil(prompt.system.length / 4)).toBeLessThanOrEqual(prompt.budgetTokens.system);
  });
});
