import type { Role } from '../call.ts';
import { EMPTY_MEMORY, type MemoryInput, type QuestionMemory } from '../memory.ts';
import { unreachable } from '../result.ts';
import type {
  Cost,
  Feedback,
  LessonDraft,
  RetrievalRecord,
  RunConfig,
  RunEnd,
  RunEvent,
} from '../run.ts';
import type { Step, Trajectory } from '../trajectory.ts';
import { addCost, ZERO_COST } from './cost.ts';

/** What an attempt came to, once it has finished. */
export interface AttemptOutcome {
  readonly answer: string;
  readonly ready: boolean;
  readonly readyReason: string;
  readonly trajectory: Trajectory;
  readonly feedback: Feedback;
}

/**
 * Where a thing lies on the lanes of solving and memory: milliseconds of work since the run began,
 * waiting between sessions left out, so that a resumed run draws as one that was never cut off.
 */
export interface LaneSpan {
  readonly lane: 'solving' | 'memory';
  readonly startMs: number;
  readonly cost: Cost;
}

export interface AttemptEntry {
  readonly type: 'attempt';
  readonly attempt: number;
  readonly memory: QuestionMemory;
  readonly input: MemoryInput;
  readonly steps: readonly Step[];
  /** null while it runs. */
  readonly outcome: AttemptOutcome | null;
  readonly span: LaneSpan;
}

export interface MemoryEntry {
  readonly type: 'memory-update';
  readonly attempt: number;
  readonly before: QuestionMemory;
  readonly after: QuestionMemory;
  readonly changed: boolean;
  readonly reason: string;
  readonly span: LaneSpan;
}

export interface RejectEntry {
  readonly type: 'proposal-reject';
  readonly attempt: number;
  readonly reason: string;
  readonly message: string;
  readonly proposal: unknown;
  readonly span: LaneSpan;
}

export type RunEntry = AttemptEntry | MemoryEntry | RejectEntry;

/** The model call in flight, with what it has streamed since it began or was last retried. */
export interface LiveCall {
  readonly attempt: number;
  readonly role: Role;
  readonly ordinal: number;
  /** Its label. */
  readonly backbone: string;
  readonly text: string;
  readonly reasoning: string;
  readonly retry: { readonly delayMs: number; readonly message: string } | null;
}

/** All that the Solve page draws of a run. Plain data. */
export interface RunView {
  readonly status: 'idle' | 'running' | RunEnd;
  readonly runId: string | null;
  readonly config: RunConfig | null;
  /** null until retrieval is over; its `record` is null where nothing was retrieved. */
  readonly retrieval: { readonly record: RetrievalRecord | null; readonly span: LaneSpan } | null;
  /** Attempts, memory changes and refusals, in the order they happened. */
  readonly entries: readonly RunEntry[];
  /** Apart from `entries`, so that a token touches one small object and no list. */
  readonly live: LiveCall | null;
  readonly totals: { readonly solving: Cost; readonly memory: Cost };
  /** W as it stands. */
  readonly memory: QuestionMemory;
  /** The last completed answer, also after a failure; null before the first. */
  readonly answer: string | null;
  readonly drafts: readonly LessonDraft[];
  /** What is to be said of how the last of them was distilled; empty where nothing is. */
  readonly draftReason: string;
  readonly failure: {
    readonly code: string;
    readonly message: string;
    readonly hint: string | null;
  } | null;
}

/** The view before a run's first event. */
export const EMPTY_RUN_VIEW: RunView = {
  status: 'idle',
  runId: null,
  config: null,
  retrieval: null,
  entries: [],
  live: null,
  totals: { solving: ZERO_COST, memory: ZERO_COST },
  memory: EMPTY_MEMORY,
  answer: null,
  drafts: [],
  draftReason: '',
  failure: null,
};

/**
 * The view after one more event. Pure: never changes what it was given, and every part that the event
 * does not touch is the same object, so that a framework redraws only what is new. `run-start` begins
 * afresh, so a run that is replayed to resume folds onto the view of its first part.
 */
export function foldRun(view: RunView, event: RunEvent): RunView {
  switch (event.type) {
    case 'run-start':
      return {
        ...EMPTY_RUN_VIEW,
        status: 'running',
        runId: event.runId,
        config: event.config,
      };
    case 'call-start':
    case 'call-retry':
    case 'token-delta':
      return { ...view, live: foldLive(view.live, event) };
    case 'retrieval-finish': {
      const span = nextSpan(view, 'memory', event.cost);
      return spend({ ...view, live: null, retrieval: { record: event.record, span } }, span);
    }
    case 'attempt-start': {
      const { attempt, memory, input } = event;
      const span = nextSpan(view, 'solving', ZERO_COST);
      return withEntry(view, {
        type: 'attempt',
        attempt,
        memory,
        input,
        steps: [],
        outcome: null,
        span,
      });
    }
    case 'step-finish':
      return withAttempt(view, event.attempt, (entry) => ({
        ...entry,
        steps: [...entry.steps, event.step],
      }));
    case 'attempt-finish': {
      const { answer, ready, readyReason, trajectory, feedback } = event;
      const span = nextSpan(view, 'solving', event.cost);
      const outcome = { answer, ready, readyReason, trajectory, feedback };
      const next = withAttempt(view, event.attempt, (entry) => ({ ...entry, outcome, span }));
      return spend({ ...next, answer }, span);
    }
    case 'memory-update': {
      const { attempt, before, after, changed, reason } = event;
      const span = nextSpan(view, 'memory', event.cost);
      const entry = { type: event.type, attempt, before, after, changed, reason, span };
      return spend({ ...withEntry(view, entry), memory: after }, span);
    }
    case 'proposal-reject': {
      const { attempt, reason, message, proposal } = event;
      const span = nextSpan(view, 'memory', event.cost);
      return spend(
        withEntry(view, { type: event.type, attempt, reason, message, proposal, span }),
        span,
      );
    }
    case 'lesson-draft': {
      const span = nextSpan(view, 'memory', event.cost);
      const { draft, reason: draftReason = '' } = event;
      const drafts = [...view.drafts, draft];
      return spend({ ...view, live: null, drafts, draftReason }, span);
    }
    case 'run-finish':
      return { ...view, live: null, status: event.end, answer: event.answer };
    case 'run-fail': {
      const { code, message, hint } = event;
      return { ...view, live: null, status: 'failed', failure: { code, message, hint } };
    }
    default:
      return unreachable(event);
  }
}

function foldLive(
  live: LiveCall | null,
  event: Extract<RunEvent, { type: 'call-start' | 'call-retry' | 'token-delta' }>,
): LiveCall | null {
  switch (event.type) {
    case 'call-start': {
      const { attempt, role, ordinal, backbone } = event;
      return { attempt, role, ordinal, backbone, text: '', reasoning: '', retry: null };
    }
    case 'call-retry': {
      const { delayMs, message } = event;
      // What streamed before a retry does not count.
      return live && { ...live, text: '', reasoning: '', retry: { delayMs, message } };
    }
    case 'token-delta':
      if (live === null) return null;
      return event.reasoning
        ? { ...live, reasoning: live.reasoning + event.text, retry: null }
        : { ...live, text: live.text + event.text, retry: null };
  }
}

function nextSpan(view: RunView, lane: LaneSpan['lane'], cost: Cost): LaneSpan {
  const { solving, memory } = view.totals;
  return { lane, startMs: solving.durationMs + memory.durationMs, cost };
}

function spend(view: RunView, { lane, cost }: LaneSpan): RunView {
  return { ...view, totals: { ...view.totals, [lane]: addCost(view.totals[lane], cost) } };
}

function withEntry(view: RunView, entry: RunEntry): RunView {
  return { ...view, live: null, entries: [...view.entries, entry] };
}

function withAttempt(
  view: RunView,
  attempt: number,
  change: (entry: AttemptEntry) => AttemptEntry,
): RunView {
  const entries = view.entries.map((entry) =>
    entry.type === 'attempt' && entry.attempt === attempt ? change(entry) : entry,
  );
  return { ...view, live: null, entries };
}
