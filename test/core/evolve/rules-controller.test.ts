import { describe, expect, it } from 'vitest';
import type { UpdateInput, UpdateProposal } from '../../../src/core/evolve/controller.ts';
import { rulesController } from '../../../src/core/evolve/rules-controller.ts';
import { decodeUpdate } from '../../../src/core/evolve/update-codec.ts';
import type { Caller } from '../../../src/core/harness/harness.ts';
import { EMPTY_MEMORY } from '../../../src/core/memory.ts';
import { DEFAULT_RUN_CONFIG, NO_FEEDBACK, type RetrievalRecord } from '../../../src/core/run.ts';
import { ATIF_VERSION, type Step, type Trajectory } from '../../../src/core/trajectory.ts';
import { stopsTask } from './scripted-run.ts';

const noCaller: Caller = {
  async *call() {
    throw new Error('rules make no call');
  },
};

const trajectory = (...steps: Omit<Step, 'step_id' | 'source'>[]): Trajectory => ({
  schema_version: ATIF_VERSION,
  session_id: 's',
  agent: { name: 'a', version: '1' },
  steps: steps.map((step, index) => ({ step_id: index + 1, source: 'agent', ...step })),
});

const finding = (members: object): Omit<Step, 'step_id' | 'source'> => ({
  extra: { role: 'critic', findings: [{ what: 'Something is off.', ...members }] },
});

const zoom = (
  members: object,
  name = 'zoom',
  content = 'ok',
): Omit<Step, 'step_id' | 'source'> => ({
  tool_calls: [{ tool_call_id: 'c', function_name: name, arguments: { ...members } }],
  observation: { results: [{ source_call_id: 'c', content }] },
});

async function propose(members: Partial<UpdateInput>): Promise<UpdateProposal> {
  const input: UpdateInput = {
    memory: EMPTY_MEMORY,
    task: stopsTask,
    answer: '8',
    trajectory: trajectory(),
    feedback: NO_FEEDBACK,
    config: DEFAULT_RUN_CONFIG,
    rejected: [],
    ...members,
  };
  const next = await rulesController.update(input, noCaller).next();
  if (next.done !== true) throw new Error('rules yield nothing');
  return next.value;
}

describe('the text of the rules controller', () => {
  it('is the findings’ advice, and what has none is a caution', async () => {
    const { json } = await propose({
      trajectory: trajectory(
        finding({ advice: 'follow the arrows', appliesWhen: 'when a loop runs one way.' }),
        finding({ what: 'The two blues are alike' }),
      ),
    });
    expect(json).toMatchObject({
      guidance: 'Follow the arrows.',
      applies_when: 'a loop runs one way',
      cautions: ['The two blues are alike.'],
      use_visual: false,
    });
  });

  it('takes a person’s reason as guidance', async () => {
    const { json, reason } = await propose({
      feedback: {
        type: 'user',
        verdict: 'wrong',
        reason: 'that was wrong because the legend is at the bottom',
        region: null,
      },
    });
    expect(json).toMatchObject({ guidance: 'The legend is at the bottom.' });
    expect(reason).toContain('what a person said');
  });

  it('says what recovered from a failed tool call, and warns where nothing did', async () => {
    const { json } = await propose({
      trajectory: trajectory(
        zoom({ x: 5 }, 'measure', 'Error: x must be below 1\nat line 4'),
        zoom({ x: 0.5 }, 'measure'),
        zoom({}, 'ocr', 'Error: no text'),
      ),
    });
    expect(json).toMatchObject({
      guidance: 'Where measure fails with “Error: x must be below 1”, call it with x = 0.5.',
      cautions: ['Ocr failed with “Error: no text” and nothing that was tried worked.'],
    });
  });

  it('does not repeat itself', async () => {
    const steps = trajectory(finding({ advice: 'Follow the arrows.' }));
    const memory = { ...EMPTY_MEMORY, guidance: 'follow the arrows' };
    const { json } = await propose({ memory, trajectory: steps });
    expect(json).toMatchObject({ guidance: 'follow the arrows' });
  });

  it('stays within the budget by dropping whole sentences, oldest first', async () => {
    const memory = {
      ...EMPTY_MEMORY,
      guidance: 'The first one goes away. Start at St. Mark then.',
    };
    const { json } = await propose({
      memory,
      trajectory: trajectory(finding({ advice: 'Follow the arrows.' })),
      config: { ...DEFAULT_RUN_CONFIG, textBudgetChars: 55 },
    });
    expect(json).toMatchObject({ guidance: 'Start at St. Mark then. Follow the arrows.' });
  });

  it('proposes W itself where there is nothing to say', async () => {
    const { json } = await propose({});
    const context = { task: stopsTask, memory: EMPTY_MEMORY, budgetChars: 1200 };
    const decoded = decodeUpdate(json, context);
    expect(decoded.ok && decoded.value).toBe(EMPTY_MEMORY);
  });
});

describe('the box of the rules controller', () => {
  const pointed = finding({ advice: 'Look.', image: 0, box: [0, 0, 0.4, 0.4] });

  it('is the agent’s own latest zoom before a finding’s region', async () => {
    const { json } = await propose({
      trajectory: trajectory(
        zoom({ box: [0.1, 0.1, 0.2, 0.2] }),
        zoom({ bbox: [0.5, 0.5, 0.9, 0.9], image: 0 }, 'crop_image'),
        pointed,
      ),
    });
    expect(json).toMatchObject({ use_visual: true, image: 0, box: [0.5, 0.5, 0.9, 0.9] });
  });

  it('is the surest finding’s region where nobody zoomed', async () => {
    const { json } = await propose({
      trajectory: trajectory(
        finding({ box: [0, 0, 0.1, 0.1], confidence: 0.2 }),
        finding({ box: [0.2, 0.2, 0.3, 0.3], confidence: 0.9 }),
      ),
    });
    expect(json).toMatchObject({ box: [0.2, 0.2, 0.3, 0.3] });
  });

  it('is what a person drew before anything else', async () => {
    const region = { image: 0, box: [0.3, 0.3, 0.6, 0.6] as const };
    const { json } = await propose({
      trajectory: trajectory(zoom({ box: [0, 0, 1, 1] }), pointed),
      feedback: {
        type: 'user',
        verdict: 'wrong',
        reason: '',
        region: { ...region, box: [0.3, 0.3, 0.6, 0.6] },
      },
    });
    expect(json).toMatchObject({ box: [0.3, 0.3, 0.6, 0.6] });
  });

  it('stays the stored one where nobody points anywhere', async () => {
    const visual = { imageHash: stopsTask.images[0]?.hash ?? '', box: [0, 0, 0.5, 0.5] as const };
    const memory = {
      ...EMPTY_MEMORY,
      guidance: 'Look.',
      visual: { ...visual, box: [0, 0, 0.5, 0.5] as [number, number, number, number] },
      inject: true,
    };
    const { json } = await propose({ memory });
    expect(json).toMatchObject({ use_visual: true, image: 0, box: [0, 0, 0.5, 0.5] });
  });

  it('after box-too-small is the finding around it, where one holds it', async () => {
    const { json } = await propose({
      trajectory: trajectory(zoom({ box: [0.1, 0.1, 0.11, 0.11] }), pointed),
      rejected: ['box-too-small'],
    });
    expect(json).toMatchObject({ box: [0, 0, 0.4, 0.4] });
  });

  it('after box-too-small is grown around its centre, at the edge too, and is then accepted', async () => {
    for (const box of [
      [0.5, 0.5, 0.51, 0.51],
      [0, 0, 0.001, 0.001],
      [0.999, 0.9, 1, 0.95],
    ]) {
      const steps = trajectory(zoom({ box }), finding({ advice: 'Look.' }));
      const { json } = await propose({ trajectory: steps, rejected: ['box-too-small'] });
      const context = { task: stopsTask, memory: EMPTY_MEMORY, budgetChars: 1200 };
      expect(decodeUpdate(json, context).ok).toBe(true);
    }
  });

  it('after box-out-of-range is clamped to the image', async () => {
    const steps = trajectory(zoom({ box: [0.5, -0.2, 1.4, 0.5] }));
    const { json } = await propose({ trajectory: steps, rejected: ['box-out-of-range'] });
    expect(json).toMatchObject({ box: [0.5, 0, 1, 0.5] });
  });

  it('after box-out-of-range is another region, else none, where the box was not in fractions', async () => {
    const pixels = zoom({ box: [120, 40, 400, 300] });
    const rejected = ['box-out-of-range'];
    const other = await propose({ trajectory: trajectory(pixels, pointed), rejected });
    expect(other.json).toMatchObject({ image: 0, box: [0, 0, 0.4, 0.4] });
    const none = await propose({ trajectory: trajectory(pixels), rejected });
    expect(none.json).toMatchObject({ use_visual: false, image: null, box: null });
  });

  it('after no-such-image is one on an image that exists, else none', async () => {
    const lost = zoom({ box: [0, 0, 1, 1], image: 7 });
    const rejected = ['no-such-image'];
    const other = await propose({ trajectory: trajectory(lost, pointed), rejected });
    expect(other.json).toMatchObject({ image: 0, box: [0, 0, 0.4, 0.4] });
    const none = await propose({ trajectory: trajectory(lost), rejected });
    expect(none.json).toMatchObject({ use_visual: false, image: null, box: null });
  });
});

describe('the gate of the rules controller', () => {
  const chosen = (text: string, sourceHash: string): RetrievalRecord['chosen'] => [
    {
      nodeId: 'n',
      title: 'Counting stops',
      text,
      crop: {
        hash: 'c',
        mediaType: 'image/png',
        width: 50,
        height: 50,
        sourceHash,
        sourceWidth: 100,
        sourceHeight: 100,
        box: [0, 0, 0.5, 0.5],
      },
    },
  ];
  const decide = async (list: RetrievalRecord['chosen']) => {
    const input = { task: stopsTask, chosen: list, config: DEFAULT_RUN_CONFIG };
    const next = await rulesController.gate(input, noCaller).next();
    return next.done === true && next.value.inject;
  };
  const own = stopsTask.images[0]?.hash ?? '';

  it('injects a fitting crop of the task’s own image, or of a named convention', async () => {
    expect(await decide(chosen('Count stops along the line.', own))).toBe(true);
    expect(await decide(chosen('The legend names each line with its stops.', 'other'))).toBe(true);
  });

  it('keeps aside what does not fit, shows another image, or has no crop', async () => {
    expect(await decide(chosen('Count stops along the line.', 'other'))).toBe(false);
    expect(await decide(chosen('The legend of a bar chart.', own))).toBe(false);
    expect(await decide([{ nodeId: 'n', title: 'Stops', text: 'Line', crop: null }])).toBe(false);
  });
});
