import {
  callKeyId,
  callRecordSchema,
  type CallKey,
  type CallRecord,
  type ModelChunk,
  type ModelRequest,
} from '../../../src/core/call.ts';
import type { RunOptions } from '../../../src/core/evolve/run-scope.ts';
import { runTask } from '../../../src/core/evolve/evolve.ts';
import { rulesController } from '../../../src/core/evolve/rules-controller.ts';
import { hashJson } from '../../../src/core/canonical.ts';
import { boxToPixels } from '../../../src/core/box.ts';
import { HARNESSES } from '../../../src/core/harness/harnesses.ts';
import { readSection } from '../../../src/core/harness/sections.ts';
import type { Backbone, CallJournal, Clock, Cropper } from '../../../src/core/ports.ts';
import { DEFAULT_RUN_CONFIG, isDurableEvent, type RunEvent } from '../../../src/core/run.ts';
import { makeTask, type Task } from '../../../src/core/task.ts';

/** The journal port over a map. Records pass through JSON, as a real store would make them. */
export class MemoryJournal implements CallJournal {
  readonly records = new Map<string, string>();
  /** Called once a record is stored; a throw stands for the tab dying right after. */
  afterRecord: (count: number) => void = () => {};

  async find(key: CallKey): Promise<CallRecord | undefined> {
    const text = this.records.get(callKeyId(key));
    return text === undefined ? undefined : callRecordSchema.parse(JSON.parse(text));
  }

  async record(record: CallRecord): Promise<void> {
    this.records.set(callKeyId(record.key), JSON.stringify(callRecordSchema.parse(record)));
    this.afterRecord(this.records.size);
  }
}

/** A backbone whose reply is a function of the request; it streams word by word. */
export class ScriptedBackbone implements Backbone {
  readonly id = 'scripted';
  readonly label = 'Scripted';
  readonly device = 'this-device' as const;
  readonly requests: ModelRequest[] = [];
  readonly #reply: (request: ModelRequest) => string;

  constructor(reply: (request: ModelRequest) => string) {
    this.#reply = reply;
  }

  async *generate(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelChunk> {
    this.requests.push(request);
    const text = this.#reply(request);
    for (const piece of text.match(/\S+\s*/gu) ?? []) {
      signal.throwIfAborted();
      await Promise.resolve();
      yield { type: 'text-delta', text: piece };
    }
    const images = request.messages.flatMap(({ parts }) => parts).filter((p) => p.type === 'image');
    yield {
      type: 'finish',
      response: {
        text,
        reasoning: '',
        finishReason: 'stop',
        usage: {
          promptTokens: 100,
          completionTokens: text.length,
          images: images.length,
          estimated: true,
        },
        model: 'scripted-1',
      },
    };
  }
}

/** A clock that stands still, or moves by `stepMs` each time it is read. */
export function steppingClock(startMs: number, stepMs: number): Clock {
  let at = startMs;
  const tick = () => (at += stepMs);
  return { now: () => new Date(tick()).toISOString(), monotonicMs: tick };
}

/** The cropper port without pixels: same source and box, same crop. */
export const describedCropper: Cropper = {
  async crop(image, box) {
    const { width, height } = boxToPixels(box, image);
    const { hash: sourceHash, width: sourceWidth, height: sourceHeight } = image;
    const hash = hashJson({ sourceHash, box });
    const size = { width, height, sourceHash, sourceWidth, sourceHeight };
    return { hash, mediaType: 'image/png', ...size, box };
  },
};

export const stopsTask: Task = makeTask({
  question: 'How many stops lie between Elm Park and Harbour on the Green line?',
  images: [
    {
      hash: 'a'.repeat(64),
      name: 'map.png',
      mediaType: 'image/png',
      width: 1000,
      height: 500,
      byteLength: 1,
    },
  ],
  publicInformation: '',
});

export const ADVICE = 'Do not count the station you start from.';

/** Counts the origin unless memory says not to; the critic sees it and points at where. */
export function stopsReply(request: ModelRequest): string {
  const memory = readSection(request, 'memory') ?? '';
  if (request.prompt.startsWith('team-critic')) {
    const wrong = readSection(request, 'answer') === '8';
    return JSON.stringify({
      ready: !wrong,
      reason: wrong ? 'The origin was counted.' : 'Each stop was counted once.',
      findings: wrong
        ? [
            {
              what: 'The count starts at the origin.',
              advice: ADVICE,
              appliesWhen: 'stops between two stations are counted',
              image: 0,
              box: [0.1, 0.2, 0.11, 0.21],
              confidence: 0.9,
            },
          ]
        : [],
    });
  }
  const count = memory.includes(ADVICE) ? 7 : 8;
  return `I count along the line.\n**Answer:** ${count}`;
}

/** Options of a run of the stops task; override what a test is about. */
export function stopsRun(
  overrides: Partial<Omit<RunOptions, 'ports' | 'config'>> & {
    readonly ports?: Partial<RunOptions['ports']>;
    readonly config?: Partial<RunOptions['config']>;
  } = {},
): RunOptions {
  const { ports, config, ...rest } = overrides;
  const backbone = new ScriptedBackbone(stopsReply);
  return {
    runId: 'run-1',
    task: stopsTask,
    userFeedback: [],
    signal: new AbortController().signal,
    ...rest,
    config: { ...DEFAULT_RUN_CONFIG, bankId: 'bank-1', ...config },
    ports: {
      journal: new MemoryJournal(),
      backbone: () => backbone,
      harness: HARNESSES[config?.harness ?? 'team'],
      controller: rulesController,
      retrieve: null,
      grader: null,
      cropper: describedCropper,
      clock: steppingClock(0, 0),
      ...ports,
    },
  };
}

/** Runs to the end and gives every event. */
export async function allEvents(options: RunOptions): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of runTask(options)) events.push(event);
  return events;
}

export async function durableEvents(options: RunOptions): Promise<readonly RunEvent[]> {
  return (await allEvents(options)).filter(isDurableEvent);
}
