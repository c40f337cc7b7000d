import { ModelCallError } from '../../errors.ts';
import type { CallEvent } from '../../harness/harness.ts';
import type { Asked } from '../check-proposal.ts';
import type { AskedFor, MaintainEvent } from '../maintain-event.ts';
import type { Organizer, OrganizerProposal, Proposing } from '../organizer.ts';
import { rulesOrganizer } from '../rules-organizer.ts';
import type { MaintenanceStep } from './maintenance-step.ts';

/** An organizer that tells this many events without a proposal never comes to one. */
const MOST_EVENTS = 50_000;

/**
 * Asks the step's organizer and puts what it proposes forward; where that is refused, the rules stand
 * in. Says whether anything was accepted.
 */
export async function* consultAndPropose(
  work: MaintenanceStep,
  question: Question,
  asked: Asked,
): AsyncGenerator<MaintainEvent, boolean> {
  const consulted = yield* consult(work, question);
  if (consulted === null) return false;
  const event = work.propose(consulted.by, consulted.proposal, asked);
  yield event;
  if (event.type === 'operation-accept') return true;
  if (consulted.by === rulesOrganizer) return false;
  const proposal = yield* question.ask(rulesOrganizer);
  if (proposal === null) return false;
  const second = work.propose(rulesOrganizer, proposal, asked);
  yield second;
  return second.type === 'operation-accept';
}

/** A proposal and who made it. */
export interface Consulted {
  readonly by: Organizer;
  readonly proposal: OrganizerProposal;
}

/** How to ask an organizer, and how to stop it. */
export interface Question {
  readonly asked: AskedFor;
  readonly signal: AbortSignal | undefined;
  ask(organizer: Organizer): Proposing;
}

/**
 * Asks the step's organizer. Where it throws or never comes to a proposal that is told, and the rules
 * are asked in its stead, now and for the rest of the step. null where nothing is proposed. Throws as
 * soon as the signal fires, whether the organizer ends or not.
 */
export async function* consult(
  work: MaintenanceStep,
  question: Question,
): AsyncGenerator<MaintainEvent, Consulted | null> {
  const { organizer } = work;
  if (organizer !== rulesOrganizer) {
    let message: string;
    try {
      const heard = yield* hear(question.ask(organizer), question.signal);
      if (heard !== 'endless') return heard && { by: organizer, proposal: heard };
      message = 'It went on without coming to a proposal.';
    } catch (error) {
      if (isAbort(error, question.signal)) throw error;
      message = error instanceof Error ? error.message : String(error);
    }
    work.organizer = rulesOrganizer;
    yield {
      type: 'organizer-fail',
      organizer: organizer.label,
      asked: question.asked,
      message,
    };
  }
  const proposal = yield* question.ask(rulesOrganizer);
  return proposal && { by: rulesOrganizer, proposal };
}

async function* hear(
  flow: Proposing,
  signal: AbortSignal | undefined,
): AsyncGenerator<CallEvent, OrganizerProposal | 'endless' | null> {
  for (let events = 0; events < MOST_EVENTS; events += 1) {
    const next = await unlessAborted(flow.next(), signal);
    // An organizer in plain JavaScript may return nothing at all.
    if (next.done === true) return next.value ?? null;
    yield next.value;
  }
  void flow.return(null).catch(() => undefined);
  return 'endless';
}

/** The promise, or the signal's reason as an error as soon as it fires. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  promise.catch(() => undefined);
  signal.throwIfAborted();
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function isAbort(error: unknown, signal: AbortSignal | undefined): boolean {
  if (signal?.aborted === true) return true;
  if (error instanceof ModelCallError) return error.code === 'aborted';
  return error instanceof Error && error.name === 'AbortError';
}
