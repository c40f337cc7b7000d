/**
 * The composition root. First the gate: nothing else runs before the page is under its control, and a
 * first visit, which is loaded twice for that, fetches no more than this in its first load.
 */
import { openGate } from './gate/gate.ts';

void start();

async function start(): Promise<void> {
  const target = document.getElementById('app');
  if (target === null) return;
  // Under control already, as on every later visit: what comes next is fetched meanwhile.
  const ahead = navigator.serviceWorker?.controller ? import('./compose.ts') : undefined;
  const opened = await openGate(undefined, ahead);
  if (opened.type === 'reloading') return;
  if (opened.type === 'closed') return fail(target, opened.message);
  try {
    const { startApp } = await (ahead ?? import('./compose.ts'));
    await startApp(target, opened.gate);
  } catch (error) {
    await fail(target, error instanceof Error ? error.message : 'Grove could not start.');
  }
}

async function fail(target: HTMLElement, message: string): Promise<void> {
  const { mountFailure } = await import('./ui/shell/mount-failure.ts');
  mountFailure(target, message);
}
