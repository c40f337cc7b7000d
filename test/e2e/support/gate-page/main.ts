/** A page with nothing but the gate. */
import { openGate } from '../../../../src/gate/gate.ts';
import './window.ts';
import { workerFetch } from './ways-out.ts';

const state = await openGate();
if (state.type === 'open') {
  window.gate = state.gate;
  window.ledger = [];
  window.workerFetch = workerFetch;
  state.gate.drainLedger(async (entry) => void window.ledger.push(entry));
}
document.title = state.type;
