import { z } from 'zod';
import type { Json } from '../../core/canonical.ts';
import { EngineError } from '../../core/models/engine.ts';
import type { LanguageEntry } from '../../core/models/model-entry.ts';
import type { ModelRack } from '../../core/models/model-rack.ts';
import { selfTest, wrongAnswer, type SelfTestOutcome } from '../../core/models/self-test.ts';
import {
  speedReportSchema,
  testSpeed,
  type SpeedProgress,
  type SpeedReport,
} from '../../core/models/speed-test.ts';

export interface ModelTestsPorts {
  readonly rack: ModelRack;
  getSetting(key: string): Promise<Json | undefined>;
  setSetting(key: string, value: Json): Promise<void>;
  /** Monotonic milliseconds. */
  nowMs(): number;
  /** The time, ISO 8601. */
  now(): string;
  /** A model's answer was wrong; it is unloaded. */
  onWrongAnswer(entry: LanguageEntry): void;
}

/** A test that goes on. */
export interface RunningTest {
  readonly id: string;
  readonly name: string;
  /** null: a self-test. */
  readonly speed: SpeedProgress | null;
}

const SPEED_KEY = 'models.speed';
const speedsSchema = z.record(z.string(), speedReportSchema);

/** Tests of models, one at a time, and what came of them; speeds are kept. */
export class ModelTests {
  running: RunningTest | null = $state.raw(null);
  speeds: ReadonlyMap<string, SpeedReport> = $state.raw(new Map());
  answers: ReadonlyMap<string, SelfTestOutcome> = $state.raw(new Map());
  /** Why a test did not go through, by model. */
  problems: ReadonlyMap<string, string> = $state.raw(new Map());

  readonly #ports: ModelTestsPorts;
  #stopping = new AbortController();

  constructor(ports: ModelTestsPorts) {
    this.#ports = ports;
  }

  /** Reads the speeds that were measured before. */
  async open(): Promise<void> {
    const kept = await this.#ports.getSetting(SPEED_KEY);
    this.speeds = new Map(Object.entries(speedsSchema.safeParse(kept).data ?? {}));
  }

  /** Asks a model what it must know, loading it first where it is not. */
  async ask(entry: LanguageEntry): Promise<void> {
    const { rack, onWrongAnswer } = this.#ports;
    await this.#run({ id: entry.id, name: entry.name, speed: null }, async (signal) => {
      const model = await rack.load(entry.id, signal);
      const outcome = await selfTest(entry, model, signal);
      this.answers = put(this.answers, entry.id, outcome);
      if (outcome.type !== 'wrong') return;
      rack.unload(entry.id);
      onWrongAnswer(entry);
      throw wrongAnswer(entry, outcome);
    });
  }

  /** Measures a model, loading it first where it is not. */
  async measure(entry: LanguageEntry): Promise<void> {
    const { rack, nowMs, now, setSetting } = this.#ports;
    const test = { id: entry.id, name: entry.name };
    const speed: SpeedProgress = { done: 0, of: 0, wanted: null };
    await this.#run({ ...test, speed }, async (signal) => {
      const model = await rack.load(entry.id, signal);
      const steps = testSpeed(entry, model, { signal, nowMs, now });
      let next = await steps.next();
      for (; next.done !== true; next = await steps.next()) {
        this.running = { ...test, speed: next.value };
      }
      this.speeds = put(this.speeds, entry.id, next.value);
      await setSetting(SPEED_KEY, Object.fromEntries(this.speeds));
    });
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #run(test: RunningTest, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.running !== null) return;
    const stopping = new AbortController();
    this.#stopping = stopping;
    this.running = test;
    this.problems = new Map([...this.problems].filter(([id]) => id !== test.id));
    try {
      await work(stopping.signal);
    } catch (error) {
      if (stopping.signal.aborted) return;
      if (!(error instanceof EngineError)) throw error;
      // That it did not load is told by the rack.
      if (this.#ports.rack.states.get(test.id)?.type === 'failed') return;
      this.problems = put(this.problems, test.id, error.message);
    } finally {
      this.running = null;
    }
  }
}

function put<T>(map: ReadonlyMap<string, T>, id: string, value: T): ReadonlyMap<string, T> {
  return new Map(map).set(id, value);
}
