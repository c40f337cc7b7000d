import type {
  AttemptEntry,
  MemoryEntry,
  RejectEntry,
  RunView,
} from '../../core/evolve/run-view.ts';
import type { Cost } from '../../core/run.ts';
import { tokensOf } from '../parts/format.ts';

/** What happened to W after one attempt: refused proposals, then what it came to, where it came to anything. */
export interface ChangeItem {
  readonly type: 'change';
  readonly attempt: number;
  readonly startMs: number;
  readonly rejects: readonly RejectEntry[];
  readonly update: MemoryEntry | null;
}

export interface AttemptItem {
  readonly type: 'attempt';
  readonly startMs: number;
  readonly entry: AttemptEntry;
  /** Costs of the memory work that followed it. */
  readonly memoryCosts: readonly Cost[];
}

export type TimelineItem = AttemptItem | ChangeItem;

/** A run's entries as its timeline shows them: an attempt, then one strip for what changed in memory. */
export function timelineItems(view: RunView): readonly TimelineItem[] {
  const items: TimelineItem[] = [];
  for (const entry of view.entries) {
    if (entry.type === 'attempt') {
      const memoryCosts = view.entries.flatMap((other) =>
        other.type !== 'attempt' && other.attempt === entry.attempt ? [other.span.cost] : [],
      );
      items.push({ type: 'attempt', startMs: entry.span.startMs, entry, memoryCosts });
      continue;
    }
    const last = items.at(-1);
    const open = last?.type === 'change' && last.attempt === entry.attempt ? last : undefined;
    if (open !== undefined) items.pop();
    items.push({
      type: 'change',
      attempt: entry.attempt,
      startMs: open?.startMs ?? entry.span.startMs,
      rejects: [...(open?.rejects ?? []), ...(entry.type === 'proposal-reject' ? [entry] : [])],
      update: entry.type === 'memory-update' ? entry : (open?.update ?? null),
    });
  }
  return items;
}

/** One stretch of the run at a glance. */
export interface LaneSegment {
  readonly lane: 'solving' | 'memory';
  readonly label: string;
  readonly durationMs: number;
  readonly attempt: AttemptEntry | null;
}

/** The run at a glance: its stretches in order, each as long as it took. */
export function laneSegments(view: RunView): readonly LaneSegment[] {
  const segments: LaneSegment[] = [];
  if (view.retrieval !== null && view.retrieval.record !== null) {
    const { durationMs } = view.retrieval.span.cost;
    segments.push({ lane: 'memory', label: 'Recall', durationMs, attempt: null });
  }
  for (const item of timelineItems(view)) {
    if (item.type === 'attempt') {
      const { entry } = item;
      const { durationMs } = entry.span.cost;
      segments.push({ lane: 'solving', label: `${entry.attempt}`, durationMs, attempt: entry });
    } else {
      const spans = [...item.rejects, ...(item.update === null ? [] : [item.update])];
      const durationMs = spans.reduce((sum, { span }) => sum + span.cost.durationMs, 0);
      segments.push({ lane: 'memory', label: `Update ${item.attempt}`, durationMs, attempt: null });
    }
  }
  return segments;
}

/** Time and tokens of an attempt and the memory work after it, for the two-part bar. */
export function attemptCosts(item: AttemptItem): {
  readonly timeMs: readonly [solving: number, memory: number];
  readonly tokens: readonly [solving: number, memory: number];
} {
  const { cost } = item.entry.span;
  return {
    timeMs: [cost.durationMs, sum(item.memoryCosts.map(({ durationMs }) => durationMs))],
    tokens: [tokensOf(cost), sum(item.memoryCosts.map(tokensOf))],
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
