import { describe, expect, it } from 'vitest';
import { EMPTY_LOG } from '../../../src/core/bank/log.ts';
import { ModelCallError, StorageError } from '../../../src/core/errors.ts';
import { runTask } from '../../../src/core/evolve/evolve.ts';
import type { Retrieve } from '../../../src/core/evolve/run-ports.ts';
import type { ModelChunk, Role } from '../../../src/core/call.ts';
import type { Organizer } from '../../../src/core/organize/organizer.ts';
import { rulesOrganizer } from '../../../src/core/organize/rules-organizer.ts';
import { recallOf } from '../recall/recall-of.ts';
import { makeRetrieve } from '../../../src/core/recall/retrieve.ts';
import { lessonOf, treeOf } from '../bank/material.ts';
import type { Backbone, Grader } from '../../../src/core/ports.ts';
import { runEventSchema, type RetrievalRecord, type RunEvent } from '../../../src/core/run.ts';
import { isDurableEvent } from '../../../src/core/run.ts';
import { trajectorySchema } from '../../../src/core/trajectory.ts';
import {
  ADVICE,
  allEvents,
  durableEvents,
  MemoryJournal,
  ScriptedBackbone,
  steppingClock,
  stopsReply,
  stopsRun,
  stopsTask,
} from './scripted-run.ts';

const types = (events: readonly RunEvent[]) => events.map((event) => event.type);

function only<T extends RunEvent['type']>(
  events: readonly RunEvent[],
  type: T,
): readonly Extract<RunEvent, { type: T }>[] {
  return events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);
}

const rightIsSeven: Grader = {
  type: 'reference',
  async grade(_, answer) {
    return answer === '7' ? 'right' : 'wrong';
  },
};

describe('a run', () => {
  it('turns a critic’s finding into memory and gets it right on the next attempt', async () => {
    const events = await durableEvents(stopsRun());
    expect(types(events)).toEqual([
      'run-start',
      'retrieval-finish',
      'attempt-start',
      'step-finish',
      'step-finish',
      'attempt-finish',
      'proposal-reject',
      'memory-update',
      'attempt-start',
      'step-finish',
      'step-finish',
      'attempt-finish',
      'lesson-draft',
      'run-finish',
    ]);
    expect(only(events, 'attempt-finish').map(({ answer, ready }) => [answer, ready])).toEqual([
      ['8', false],
      ['7', true],
    ]);
    expect(events.at(-1)).toEqual({ type: 'run-finish', end: 'ready', answer: '7', attempts: 2 });
    for (const event of events) runEventSchema.parse(event);
  });

  it('shows a refused box with its reason, then takes a box grown from it', async () => {
    const events = await durableEvents(stopsRun());
    expect(only(events, 'proposal-reject')).toMatchObject([
      { reason: 'box-too-small', proposal: { box: [0.1, 0.2, 0.11, 0.21] } },
    ]);
    const [update] = only(events, 'memory-update');
    expect(update).toMatchObject({
      changed: true,
      after: {
        guidance: ADVICE,
        appliesWhen: 'stops between two stations are counted',
        inject: true,
      },
    });
    const [, second] = only(events, 'attempt-start');
    expect(second?.input.crops).toMatchObject([
      { from: 'question', crop: { width: 56, height: 56 } },
    ]);
    expect(second?.input.text).toContain(ADVICE);
  });

  it('gives valid ATIF trajectories whose metrics and roles are filled', async () => {
    const events = await durableEvents(stopsRun());
    const [first] = only(events, 'attempt-finish');
    const trajectory = trajectorySchema.parse(first?.trajectory);
    expect(
      trajectory.steps.map((step) => [step.step_id, step.source, step.extra?.['role']]),
    ).toEqual([
      [1, 'user', undefined],
      [2, 'agent', 'solver'],
      [3, 'agent', 'critic'],
    ]);
    expect(trajectory.steps[1]?.metrics).toEqual({ prompt_tokens: 100, completion_tokens: 37 });
  });

  it('drafts a lesson with crop, anchor and unverified evidence where nobody gave feedback', async () => {
    const [drafted] = only(await durableEvents(stopsRun()), 'lesson-draft');
    expect(drafted?.draft).toMatchObject({
      id: 'run-1-lesson',
      bankId: 'bank-1',
      heldFor: 'asked-for',
      content: {
        title: 'Do not count the station you start from',
        guidance: ADVICE,
        anchor: stopsTask.question,
        topic: 'stop lie line',
        crop: { sourceHash: stopsTask.images[0]?.hash },
      },
      source: { feedback: 'none', strength: 'unverified', attempt: 2, supports: true },
    });
  });

  it('distils nothing where lessons are off, where W is empty, or where it is still wrong', async () => {
    const off = await durableEvents(stopsRun({ config: { lessons: 'none' } }));
    const empty = await durableEvents(stopsRun({ config: { attemptLimit: 1 } }));
    const wrong: Grader = { type: 'reference', grade: async () => 'wrong' };
    const refuted = await durableEvents(
      stopsRun({ config: { feedback: 'reference', attemptLimit: 3 }, ports: { grader: wrong } }),
    );
    for (const events of [off, empty, refuted]) {
      expect(only(events, 'lesson-draft')).toEqual([]);
    }
    expect(refuted.at(-1)).toMatchObject({ end: 'attempt-limit', answer: '7', attempts: 3 });
  });

  it('lets a reference decide, and says so on the attempt and the lesson, without its answer', async () => {
    const events = await allEvents(
      stopsRun({
        config: { harness: 'direct', feedback: 'reference', lessons: 'accept', attemptLimit: 2 },
        ports: { grader: rightIsSeven },
      }),
    );
    const [first, second] = only(events, 'attempt-finish');
    expect(first?.feedback).toMatchObject({ type: 'reference', verdict: 'wrong' });
    expect(first?.ready).toBe(false);
    // Direct has no critic, so rules have nothing to go by and W stays as it was.
    expect(only(events, 'memory-update')[0]?.changed).toBe(false);
    expect(second?.ready).toBe(false);
    expect(JSON.stringify(events)).not.toContain('"7"');
  });

  it('calls a lesson verified where a reference found the last answer right', async () => {
    const events = await durableEvents(
      stopsRun({
        config: { feedback: 'reference', lessons: 'accept' },
        ports: { grader: rightIsSeven },
      }),
    );
    expect(only(events, 'lesson-draft')[0]?.draft).toMatchObject({
      heldFor: null,
      source: { feedback: 'reference', strength: 'verified' },
    });
  });

  it('goes on where a person says that the last answer was wrong, from the same journal', async () => {
    const backbone = new ScriptedBackbone((request) =>
      request.prompt.startsWith('team-critic')
        ? '{"ready": true, "reason": "Looks right."}'
        : stopsReply(request),
    );
    const journal = new MemoryJournal();
    const ports = { journal, backbone: () => backbone };
    const before = await durableEvents(stopsRun({ ports }));
    expect(before.at(-1)).toMatchObject({ end: 'ready', answer: '8', attempts: 1 });
    const feedback = {
      type: 'user' as const,
      verdict: 'wrong' as const,
      reason: 'That was wrong because do not count the station you start from',
      region: { image: 0, box: [0.1, 0.1, 0.4, 0.4] as const },
    };
    const after = await durableEvents(
      stopsRun({ ports, userFeedback: [{ attempt: 1, feedback }] }),
    );
    expect(backbone.requests).toHaveLength(4);
    expect(only(after, 'memory-update')[0]?.after).toMatchObject({
      guidance: ADVICE,
      visual: { box: [0.1, 0.1, 0.4, 0.4] },
    });
    expect(after.at(-1)).toMatchObject({ end: 'ready', answer: '7', attempts: 2 });
    expect(only(after, 'attempt-finish')[0]).toMatchObject({
      ready: false,
      feedback: { type: 'user' },
    });
  });

  it('drops the lesson where a person says at the limit that it is still wrong', async () => {
    const journal = new MemoryJournal();
    const config = { attemptLimit: 2 };
    const before = await durableEvents(stopsRun({ config, ports: { journal } }));
    expect(only(before, 'lesson-draft')).toHaveLength(1);
    const feedback = { type: 'user' as const, verdict: 'wrong' as const, reason: '', region: null };
    const userFeedback = [{ attempt: 2, feedback }];
    const after = await durableEvents(stopsRun({ config, ports: { journal }, userFeedback }));
    expect(only(after, 'lesson-draft')).toEqual([]);
    expect(after.at(-1)).toMatchObject({ end: 'attempt-limit', answer: '7' });
  });

  it('makes one attempt where W is switched off', async () => {
    const events = await durableEvents(stopsRun({ config: { evolve: false } }));
    expect(events.at(-1)).toMatchObject({ end: 'attempt-limit', attempts: 1 });
    expect(only(events, 'memory-update')).toEqual([]);
  });

  it('counts the attempt as not ready where the critic does not answer in JSON', async () => {
    const backbone = new ScriptedBackbone((request) =>
      request.prompt.startsWith('team-critic') ? 'Looks fine to me!' : stopsReply(request),
    );
    const events = await durableEvents(
      stopsRun({ config: { attemptLimit: 1 }, ports: { backbone: () => backbone } }),
    );
    const [finish] = only(events, 'attempt-finish');
    expect(finish?.ready).toBe(false);
    expect(finish?.readyReason).toContain('not valid JSON');
    expect(finish?.trajectory.steps[2]?.extra?.['invalid_reply']).toMatchObject({
      reason: 'not-json',
    });
  });
});

describe('retrieval', () => {
  const crop = {
    hash: 'c'.repeat(64),
    mediaType: 'image/png',
    width: 40,
    height: 40,
    sourceHash: 'b'.repeat(64),
    sourceWidth: 400,
    sourceHeight: 400,
    box: [0, 0, 0.1, 0.1] as const,
  };
  function record(text: string): RetrievalRecord {
    return {
      id: 'run-1-retrieval',
      bankId: 'bank-1',
      head: '0',
      query: 'q',
      mode: 'bm25',
      candidates: [],
      chosen: [
        { nodeId: 'l1', title: 'Stops on a line', text, crop: { ...crop, box: [0, 0, 0.1, 0.1] } },
      ],
      reason: 'fits',
      inject: false,
      injectReason: '',
      textOnly: true,
      fingerprint: 'f',
    };
  }

  it('happens once a run, reaches the first attempt, and is not repeated on a replay', async () => {
    let times = 0;
    const journal = new MemoryJournal();
    const options = stopsRun({
      ports: {
        journal,
        async *retrieve() {
          times += 1;
          return record(`${ADVICE} The legend names each line.`);
        },
      },
    });
    const events = await durableEvents(options);
    expect(events.at(-1)).toMatchObject({ end: 'ready', answer: '7', attempts: 1 });
    expect(only(events, 'retrieval-finish')[0]?.record).toMatchObject({ inject: true });
    expect(only(events, 'attempt-start')[0]?.input.crops).toMatchObject([{ from: 'retrieved' }]);
    expect(await durableEvents(options)).toEqual(events);
    expect(times).toBe(1);
  });

  it('keeps a crop of another image aside where the lesson names no convention', async () => {
    const events = await durableEvents(
      stopsRun({
        ports: {
          async *retrieve() {
            return record(ADVICE);
          },
        },
      }),
    );
    expect(only(events, 'retrieval-finish')[0]?.record).toMatchObject({ inject: false });
    expect(only(events, 'attempt-start')[0]?.input).toMatchObject({ crops: [] });
  });
});

class Crash extends Error {}

describe('resuming', () => {
  const reference = {
    config: { feedback: 'reference' as const, lessons: 'accept' as const },
    grader: rightIsSeven,
  };

  async function crashAt(n: number, stepMs: number) {
    const journal = new MemoryJournal();
    journal.afterRecord = (count) => {
      if (count === n) throw new Crash();
    };
    const backbone = new ScriptedBackbone(stopsReply);
    const ports = { journal, backbone: () => backbone, grader: reference.grader };
    const seen: RunEvent[] = [];
    const crashing = async () => {
      const clock = steppingClock(0, stepMs);
      const run = stopsRun({ config: reference.config, ports: { ...ports, clock } });
      for await (const event of runTask(run)) if (isDurableEvent(event)) seen.push(event);
    };
    await expect(crashing()).rejects.toBeInstanceOf(Crash);
    journal.afterRecord = () => {};
    const clock = steppingClock(stepMs * 1_000_000, stepMs);
    const again = stopsRun({ config: reference.config, ports: { ...ports, clock } });
    return { seen, resumed: await durableEvents(again), again, backbone };
  }

  const uninterrupted = async () => {
    const journal = new MemoryJournal();
    const run = stopsRun({
      config: reference.config,
      ports: { journal, grader: reference.grader },
    });
    return { events: await durableEvents(run), records: journal.records.size };
  };

  it('after a crash behind any call gives the same durable events and repeats no call', async () => {
    const { events, records } = await uninterrupted();
    expect(records).toBe(10);
    for (let n = 1; n <= records; n += 1) {
      const { seen, resumed, backbone } = await crashAt(n, 0);
      expect(resumed, `crash after record ${n}`).toEqual(events);
      expect(resumed.slice(0, seen.length)).toEqual(seen);
      const hashes = backbone.requests.map((request) => JSON.stringify(request));
      expect(new Set(hashes).size).toBe(hashes.length);
      expect(hashes).toHaveLength(4);
    }
  });

  it('takes times and durations from the journal, so that a replay tells the same to the millisecond', async () => {
    for (let n = 1; n <= 10; n += 1) {
      const { seen, resumed, again } = await crashAt(n, 7);
      expect(resumed.slice(0, seen.length)).toEqual(seen);
      expect(await durableEvents(again)).toEqual(resumed);
    }
  });

  it('streams nothing for a call that has a record', async () => {
    const options = stopsRun();
    const first = await allEvents(options);
    expect(types(first)).toContain('token-delta');
    const second = await allEvents(options);
    expect(second).toEqual(first.filter(isDurableEvent));
  });
});

describe('stopping and failing', () => {
  const hanging: Backbone = {
    id: 'hanging',
    label: 'Hanging',
    device: 'this-device',
    async *generate(): AsyncGenerator<ModelChunk> {
      yield { type: 'text-delta', text: 'I look' };
      await new Promise(() => {});
    },
  };

  it('stops within 200 ms of an abort even where the backbone hangs, and can go on later', async () => {
    const journal = new MemoryJournal();
    const controller = new AbortController();
    const scripted = new ScriptedBackbone(stopsReply);
    let abortedAt = 0;
    const events: RunEvent[] = [];
    const run = stopsRun({
      signal: controller.signal,
      ports: { journal, backbone: (role) => (role === 'critic' ? hanging : scripted) },
    });
    for await (const event of runTask(run)) {
      events.push(event);
      if (event.type === 'token-delta' && event.role === 'critic') {
        abortedAt = performance.now();
        queueMicrotask(() => controller.abort());
      }
    }
    expect(performance.now() - abortedAt).toBeLessThan(200);
    expect(events.at(-1)).toEqual({
      type: 'run-finish',
      end: 'stopped',
      answer: null,
      attempts: 0,
    });
    const resumed = await durableEvents(stopsRun({ ports: { journal, backbone: () => scripted } }));
    expect(resumed.at(-1)).toMatchObject({ end: 'ready', answer: '7' });
    expect(scripted.requests).toHaveLength(4);
  });

  it('closes the backbone’s stream where the consumer of its events leaves', async () => {
    let closed = false;
    const endless: Backbone = {
      ...hanging,
      async *generate(): AsyncGenerator<ModelChunk> {
        try {
          while (true) yield { type: 'text-delta', text: 'x' };
        } finally {
          closed = true;
        }
      },
    };
    for await (const event of runTask(stopsRun({ ports: { backbone: () => endless } }))) {
      if (event.type === 'token-delta') break;
    }
    expect(closed).toBe(true);
  });

  it('ends with run-fail on a model failure and keeps the answer of the last completed attempt', async () => {
    let calls = 0;
    const scripted = new ScriptedBackbone((request) => {
      calls += 1;
      if (calls > 2) {
        throw new ModelCallError('wrong-key', 'The server refused the key.', { hint: 'Check it.' });
      }
      return stopsReply(request);
    });
    const events = await durableEvents(stopsRun({ ports: { backbone: () => scripted } }));
    expect(only(events, 'attempt-finish').map(({ answer }) => answer)).toEqual(['8']);
    expect(events.at(-1)).toEqual({
      type: 'run-fail',
      code: 'wrong-key',
      message: 'The server refused the key.',
      hint: 'Check it.',
    });
  });

  it('says a stream that ends without a finish is truncated, and records nothing of it', async () => {
    const journal = new MemoryJournal();
    const short: Backbone = {
      ...hanging,
      async *generate(): AsyncGenerator<ModelChunk> {
        yield { type: 'text-delta', text: 'I' };
      },
    };
    const events = await durableEvents(stopsRun({ ports: { journal, backbone: () => short } }));
    expect(events.at(-1)).toMatchObject({ type: 'run-fail', code: 'truncated-stream' });
    expect(journal.records.size).toBe(0);
  });

  it('ends with run-fail where the journal is full', async () => {
    const journal = new MemoryJournal();
    journal.afterRecord = () => {
      throw new StorageError('quota-exceeded', 'This browser has no room left for Grove.');
    };
    const events = await durableEvents(stopsRun({ ports: { journal } }));
    expect(events.at(-1)).toMatchObject({ type: 'run-fail', code: 'quota-exceeded' });
  });

  it('sends nothing to a remote model where the run is local only', async () => {
    const scripted = new ScriptedBackbone(stopsReply);
    const remote: Backbone = {
      id: 'endpoint:x',
      label: 'x at example.test',
      device: 'remote',
      generate: (request, signal) => scripted.generate(request, signal),
    };
    const events = await durableEvents(
      stopsRun({ config: { localOnly: true }, ports: { backbone: () => remote } }),
    );
    expect(events.at(-1)).toMatchObject({ type: 'run-fail', code: 'blocked-by-gate' });
    expect(scripted.requests).toEqual([]);
  });

  describe('over a bank that may not leave this device', () => {
    const SECRET = 'The origin of the Quay line is never counted.';
    const tree = treeOf(
      [
        {
          type: 'add-lesson',
          lesson: lessonOf('a', { guidance: SECRET, topic: stopsTask.question }),
        },
      ],
      { localOnly: true },
    );
    const organizer: Organizer = {
      ...rulesOrganizer,
      async *select({ candidates }) {
        return { nodeIds: candidates.map(({ nodeId }) => nodeId), reason: 'all of it' };
      },
    };
    const retrieve = makeRetrieve({
      recall: recallOf(tree),
      organizer: () => organizer,
    });
    /** A scripted model, on this device or not. */
    const modelOn = (device: Backbone['device']) => {
      const scripted = new ScriptedBackbone(stopsReply);
      const backbone: Backbone = {
        id: 'x',
        label: 'x at example.test',
        device,
        generate: (request, signal) => scripted.generate(request, signal),
      };
      return { scripted, backbone };
    };
    const textOf = ({ requests }: ScriptedBackbone) => JSON.stringify(requests);

    it('puts none of its lessons into a prompt of a remote model, and says why', async () => {
      const { scripted, backbone } = modelOn('remote');
      const journal = new MemoryJournal();
      const ports = { journal, retrieve, backbone: () => backbone };
      const events = await durableEvents(stopsRun({ ports }));
      expect(events.at(-1)).toMatchObject({ type: 'run-finish', answer: '7' });
      expect(scripted.requests.length).toBeGreaterThan(0);
      expect(textOf(scripted)).not.toContain(SECRET);
      expect(JSON.stringify([...journal.records.values()])).not.toContain(SECRET);
      const [{ record } = { record: null }] = only(events, 'retrieval-finish');
      expect(record).toMatchObject({ candidates: [], chosen: [] });
      expect(record?.reason).toContain('kept on this device');
      expect(await durableEvents(stopsRun({ ports }))).toEqual(events);
    });

    it('gives nothing either where only one role of the run is served from elsewhere', async () => {
      const [here, there] = [modelOn('this-device'), modelOn('remote')];
      const ports = {
        retrieve,
        backbone: (role: Role) => (role === 'critic' ? there.backbone : here.backbone),
      };
      await durableEvents(stopsRun({ ports }));
      expect(there.scripted.requests.length).toBeGreaterThan(0);
      expect(textOf(here.scripted) + textOf(there.scripted)).not.toContain(SECRET);
    });

    it('gives its lessons to a model on this device', async () => {
      const { scripted, backbone } = modelOn('this-device');
      await durableEvents(stopsRun({ ports: { retrieve, backbone: () => backbone } }));
      expect(textOf(scripted)).toContain(SECRET);
    });

    it('has every later call to a remote model refused once it gave something', async () => {
      const { scripted, backbone } = modelOn('remote');
      // Whoever retrieves is told wrongly that all models are here.
      const careless: Retrieve = (input, caller) => retrieve({ ...input, isRemote: false }, caller);
      const events = await durableEvents(
        stopsRun({ ports: { retrieve: careless, backbone: () => backbone } }),
      );
      expect(events.at(-1)).toMatchObject({ type: 'run-fail', code: 'blocked-by-gate' });
      expect(scripted.requests).toEqual([]);
    });
  });

  it('throws a bug instead of telling it as a failure of the run', async () => {
    const scripted = new ScriptedBackbone(() => {
      throw new TypeError('a bug');
    });
    await expect(durableEvents(stopsRun({ ports: { backbone: () => scripted } }))).rejects.toThrow(
      'a bug',
    );
  });
});
