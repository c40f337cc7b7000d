import { getNode, titleOf } from '../core/bank/tree.ts';
import { rankOf, type Rank } from '../core/bank/rank.ts';
import { StorageError } from '../core/errors.ts';
import {
  type EncoderId,
  type RecallCandidate,
  type RecallFilter,
  type RecallMode,
} from '../core/recall/index/recall-types.ts';
import { GIVEN } from '../core/recall/retrieve.ts';
import { RecallError } from '../core/recall/recall-port.ts';
import type { BankRecall } from '../core/recall/recalled-bank.ts';

export interface RecallTrialPorts {
  recall(): Promise<BankRecall>;
  nowMs(): number;
}

/** A candidate with what there is to say of its node. */
export interface TriedCandidate {
  readonly nodeId: string;
  readonly title: string;
  readonly kind: Rank;
  readonly score: number;
  readonly matchedWords: readonly string[];
  readonly found: RecallCandidate;
}

/** What one question found. */
export interface Trial {
  readonly candidates: readonly TriedCandidate[];
  /** From the question to the candidates, the way to the worker and back included. */
  readonly durationMs: number;
  /** null: there is none, and words alone decided. */
  readonly encoder: EncoderId | null;
  readonly wasDamaged: boolean;
}

const MOST = 20;

/** “Try a question”: what recall finds in a bank, and why. Nothing of it is kept. */
export class RecallTrial {
  text = $state('');
  mode: RecallMode = $state('fused');
  filter: RecallFilter = $state.raw(GIVEN);
  trial: Trial | null = $state.raw(null);
  /** How much of the log the index has taken in, while it does; null otherwise. */
  reading: { readonly done: number; readonly of: number } | null = $state.raw(null);
  problem: string | null = $state(null);
  /** Whether the index was what the log says, where that was asked; null otherwise. */
  checked: boolean | null = $state(null);

  readonly #ports: RecallTrialPorts;
  /** Ends an answer that a later question has overtaken. */
  #turn = 0;

  constructor(ports: RecallTrialPorts) {
    this.#ports = ports;
  }

  /** Asks a bank the question as it stands; an empty one finds nothing. */
  async ask(bankId: string): Promise<void> {
    const turn = (this.#turn += 1);
    this.problem = null;
    if (this.text.trim() === '') {
      this.trial = null;
      return;
    }
    try {
      const trial = await this.#find(bankId, turn);
      if (turn === this.#turn) this.trial = trial;
    } catch (error) {
      if (!(error instanceof RecallError || error instanceof StorageError)) throw error;
      if (turn === this.#turn) this.problem = error.message;
    } finally {
      if (turn === this.#turn) this.reading = null;
    }
  }

  /** Compares the index with one made from the log; tells by `checked`. */
  async check(bankId: string): Promise<void> {
    this.checked = null;
    this.problem = null;
    this.reading = { done: 0, of: 1 };
    try {
      const recall = await this.#ports.recall();
      this.checked = await recall.check(bankId, {
        tell: (done, of) => (this.reading = { done, of }),
      });
      if (!this.checked) await this.ask(bankId);
    } catch (error) {
      if (!(error instanceof RecallError || error instanceof StorageError)) throw error;
      this.problem = error.message;
    } finally {
      this.reading = null;
    }
  }

  /** Forgets what was found: another bank is shown. */
  forget(): void {
    this.#turn += 1;
    this.trial = null;
    this.reading = null;
    this.problem = null;
    this.checked = null;
  }

  async #find(bankId: string, turn: number): Promise<Trial> {
    const { text, mode, filter } = this;
    const recall = await this.#ports.recall();
    const bank = await recall.at(bankId, {
      tell: (done, of) => {
        if (turn === this.#turn) this.reading = { done, of };
      },
    });
    const startedAt = this.#ports.nowMs();
    const found = await bank.find({ text, mode, filter, limit: MOST });
    const durationMs = this.#ports.nowMs() - startedAt;
    const candidates = found.map((candidate): TriedCandidate => {
      const node = getNode(bank.tree, candidate.nodeId);
      const title = node === undefined ? 'Not in the bank any more' : titleOf(node);
      const { nodeId, score, matchedWords } = candidate;
      const kind = rankOf(bank.tree, nodeId);
      return { nodeId, title, kind, score, matchedWords, found: candidate };
    });
    return {
      ...{ candidates, durationMs },
      encoder: bank.making.encoder,
      wasDamaged: bank.wasDamaged,
    };
  }
}
