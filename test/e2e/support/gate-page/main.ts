/** A page with nothing but the gate. It tries every way out before the gate is open, then on demand. */
import { openGate } from '../../../../src/gate/gate.ts';
import './window.ts';
import { tryEveryWay, workerFetch } from './ways-out.ts';

const outside = localStorage.getItem('outside');
if (outside !== null) {
  await tryEveryWay(`${outside}/early`);
  // Counted, so that a test knows that they were made in this document and the one before it.
  localStorage.setItem('tries', String(Number(localStorage.getItem('tries') ?? '0') + 1));
}
const state = await openGate();
if (state.type === 'open') {
  window.gate = state.gate;
  window.ledger = [];
  window.tryEveryWay = tryEveryWay;
  window.workerFetch = workerFetch;
  state.gate.drainLedger(async (entry) => void window.ledger.push(entry));
}
document.title = state.type;
