import type { Evidence } from '../node.ts';
import type { Actor, LogEntry, Operation } from '../operation.ts';
import { takenBack } from './taken-back.ts';

/** What one way of working brought to a bank, by the evidence its attempts left. */
export interface SourceContribution {
  readonly harness: string;
  readonly backbone: string;
  readonly model: string;
  readonly tool: string;
  /** First and last date of its evidence, ISO 8601. */
  readonly firstAt: string;
  readonly lastAt: string;
  /** Lessons that began with it. */
  readonly lessons: number;
  /** Lessons that it revised. */
  readonly revisions: number;
  /** Pieces of evidence it added to lessons that existed. */
  readonly supports: number;
  /** Pieces of evidence of its that contradict their lesson. */
  readonly contradictions: number;
  /** Distinct tasks. */
  readonly tasks: number;
}

/** What one actor did to a bank, by the entries they wrote. */
export interface ActorContribution {
  readonly actor: Actor;
  /** First and last date of their entries, ISO 8601. */
  readonly firstAt: string;
  readonly lastAt: string;
  /** Maintenance steps they took part in. */
  readonly steps: number;
  readonly lessons: number;
  readonly revisions: number;
  readonly supports: number;
  /** Lessons they gave a place. */
  readonly placed: number;
  readonly summaries: number;
  /** Operations of every other kind. */
  readonly others: number;
}

export interface Contributions {
  readonly sources: readonly SourceContribution[];
  readonly actors: readonly ActorContribution[];
}

/**
 * Who contributed what to a bank (EpiCon 5.3): ways of working by their evidence, and actors by their
 * entries. What was taken back or erased does not count. In the order in which they first came.
 */
export function contributions(log: readonly LogEntry[]): Contributions {
  const taken = takenBack(log);
  const sources = new Sources();
  const actors = new Map<string, ActorTally>();
  for (const entry of log) {
    if (taken.has(entry.seq)) continue;
    sources.take(entry.operation);
    const key = `${entry.by.kind}/${entry.by.name}`;
    const tally = actors.get(key) ?? newTally(entry);
    actors.set(key, tally);
    takeEntry(tally, entry);
  }
  return {
    sources: sources.list(),
    actors: [...actors.values()].map(({ stepsSeen, ...tally }) => ({
      ...tally,
      steps: stepsSeen.size,
    })),
  };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface ActorTally extends Mutable<Omit<ActorContribution, 'steps'>> {
  readonly stepsSeen: Set<number>;
}

interface SourceTally extends Mutable<Omit<SourceContribution, 'tasks'>> {
  readonly tasksSeen: Set<string>;
}

/** Evidence, counted by the way of working that left it. */
class Sources {
  readonly #tallies = new Map<string, SourceTally>();
  /** Evidence of each lesson seen so far: a revision may carry that of its predecessor. */
  readonly #known = new Map<string, ReadonlySet<string>>();

  take(operation: Operation): void {
    switch (operation.type) {
      case 'add-lesson': {
        const { id, evidence } = operation.lesson;
        for (const tally of this.#tallyAll(evidence)) tally.lessons += 1;
        this.#known.set(id, new Set(evidence.map(evidenceKey)));
        return;
      }
      case 'revise-lesson': {
        const { id, evidence } = operation.lesson;
        const known = this.#known.get(operation.predecessor);
        const fresh = evidence.filter((item) => known?.has(evidenceKey(item)) !== true);
        for (const tally of this.#tallyAll(fresh)) tally.revisions += 1;
        this.#known.set(id, new Set(evidence.map(evidenceKey)));
        return;
      }
      case 'support-lesson': {
        const { lesson, evidence } = operation;
        for (const tally of this.#tallyAll([evidence])) if (evidence.supports) tally.supports += 1;
        const known = this.#known.get(lesson) ?? new Set();
        this.#known.set(lesson, new Set([...known, evidenceKey(evidence)]));
        return;
      }
      default:
    }
  }

  list(): readonly SourceContribution[] {
    return [...this.#tallies.values()].map(({ tasksSeen, ...tally }) => ({
      ...tally,
      tasks: tasksSeen.size,
    }));
  }

  /** The tallies that the evidence counts for, each once. */
  #tallyAll(evidence: readonly Evidence[]): ReadonlySet<SourceTally> {
    return new Set(
      evidence.map((item) => {
        const { harness, backbone, model, tool } = item;
        const key = JSON.stringify([harness, backbone, model, tool]);
        const tally = this.#tallies.get(key) ?? newSource(item);
        this.#tallies.set(key, tally);
        if (item.at < tally.firstAt) tally.firstAt = item.at;
        if (item.at > tally.lastAt) tally.lastAt = item.at;
        if (!item.supports) tally.contradictions += 1;
        tally.tasksSeen.add(item.taskId);
        return tally;
      }),
    );
  }
}

function evidenceKey({ runId, attempt }: Evidence): string {
  return `${runId}/${attempt}`;
}

function newSource({ harness, backbone, model, tool, at }: Evidence): SourceTally {
  const counts = { lessons: 0, revisions: 0, supports: 0, contradictions: 0 };
  const dates = { firstAt: at, lastAt: at };
  return { harness, backbone, model, tool, ...dates, ...counts, tasksSeen: new Set() };
}

function newTally({ by, at }: LogEntry): ActorTally {
  const counts = { lessons: 0, revisions: 0, supports: 0, placed: 0, summaries: 0, others: 0 };
  return { actor: by, firstAt: at, lastAt: at, ...counts, stepsSeen: new Set() };
}

function takeEntry(tally: ActorTally, { at, step, operation }: LogEntry): void {
  if (at < tally.firstAt) tally.firstAt = at;
  if (at > tally.lastAt) tally.lastAt = at;
  tally.stepsSeen.add(step);
  switch (operation.type) {
    case 'add-lesson':
      tally.lessons += 1;
      return;
    case 'revise-lesson':
      tally.revisions += 1;
      return;
    case 'support-lesson':
      tally.supports += 1;
      return;
    case 'place':
      tally.placed += operation.assignments.length;
      return;
    case 'consolidate':
      tally.summaries += 1;
      return;
    default:
      tally.others += 1;
  }
}
