import type { Gate } from '../../../../src/gate/gate.ts';
import type { LedgerEntry } from '../../../../src/gate/ledger-entry.ts';
import type { workerFetch } from './ways-out.ts';

declare global {
  /** What the page of this folder offers to tests once its gate is open. */
  interface Window {
    gate: Gate;
    ledger: LedgerEntry[];
    workerFetch: typeof workerFetch;
  }
}
