import { BankHistory } from '../core/bank/history/bank-history.ts';
import { EMPTY_LOG, headOf, verifyChain } from '../core/bank/log.ts';
import type { BankManifest, LogEntry } from '../core/bank/operation.ts';
import { StorageError } from '../core/errors.ts';
import type { BankStore, LogHead } from '../core/ports.ts';
import { logPages } from './log-pages.ts';

/**
 * A bank's whole log, read behind its tree: what undo, history and who-did-what need. Its chain is
 * checked as it is read.
 */
export class LogReading {
  /** All entries once they are read; none before. */
  entries: readonly LogEntry[] = $state.raw([]);
  /** The bank at any of its steps; null until the log is read. */
  history: BankHistory | null = $state.raw(null);
  /** How many entries are read; null when that is done. */
  done: number | null = $state(null);

  readonly #banks: BankStore;
  #bankId: string | null = null;
  /** Ends a reading that another has overtaken. */
  #turn = 0;

  constructor(banks: BankStore) {
    this.#banks = banks;
  }

  /**
   * Reads what the log has beyond what is here; all of it where it is another bank's, or was rewritten
   * by an erasure or a bundle. Throws StorageError `corrupt` where the chain is broken, naming the entry.
   */
  async follow(manifest: BankManifest, head: LogHead): Promise<void> {
    if (manifest.id !== this.#bankId) this.forget();
    this.#bankId = manifest.id;
    const last = this.entries.at(-1);
    if (last?.hash === head.hash) return;
    const turn = (this.#turn += 1);
    const known = last !== undefined && (await this.#isOnLog(manifest.id, last));
    if (turn !== this.#turn) return;
    if (!known) this.#clear();
    const entries = [...this.entries];
    this.done = entries.length;
    try {
      for await (const page of logPages(this.#banks, manifest.id, entries.length)) {
        if (turn !== this.#turn) return;
        checkPage(page, entries.at(-1));
        for (const entry of page) entries.push(entry);
        this.done = entries.length;
      }
    } finally {
      if (turn === this.#turn) this.done = null;
    }
    if (turn !== this.#turn) return;
    this.entries = entries;
    this.history = this.history?.extended(entries) ?? new BankHistory(manifest, entries);
  }

  forget(): void {
    this.#turn += 1;
    this.#bankId = null;
    this.#clear();
    this.done = null;
  }

  #clear(): void {
    this.entries = [];
    this.history = null;
  }

  async #isOnLog(bankId: string, { seq, hash }: LogEntry): Promise<boolean> {
    const [entry] = await this.#banks.readLog(bankId, seq - 1, 1);
    return entry?.hash === hash;
  }
}

function checkPage(page: readonly LogEntry[], last: LogEntry | undefined): void {
  const broken = verifyChain(page, last === undefined ? EMPTY_LOG : headOf(last));
  if (broken === null) return;
  throw new StorageError('corrupt', `The bank's log is broken: ${broken.message}.`);
}
