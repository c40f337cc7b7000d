/** Exports and imports bundles off the page's thread, over a connection of its own. One job, then it ends. */
import { StorageError } from '../../../core/errors.ts';
import { BundleError } from '../../../core/transfer/bundle/bundle-error.ts';
import type { BundleProgress } from '../../../core/transfer/bundle/bundle-progress.ts';
import { openDatabase, type Database } from '../../database.ts';
import { bundleOrderSchema, type BundleOrder, type BundleReport } from './bundle-protocol.ts';
import { exportBundle, previewExport } from './export-bundle.ts';
import { importBundle } from './import-bundle.ts';

/** Progress is told at most this often, so that the page draws and does not drown. */
const TELL_EVERY_MS = 50;

type Job = Exclude<BundleOrder, { type: 'stop' }>;

const stopping = new AbortController();

function report(message: BundleReport): void {
  postMessage(message);
}

function teller(): (progress: BundleProgress) => void {
  let told = -Infinity;
  let phase = '';
  return (progress) => {
    const now = performance.now();
    const isDone = progress.done === progress.total;
    if (progress.phase === phase && !isDone && now - told < TELL_EVERY_MS) return;
    [told, phase] = [now, progress.phase];
    report({ type: 'progress', progress });
  };
}

function carryOut(database: Database, job: Job): Promise<unknown> {
  const { signal } = stopping;
  const run = { signal, onProgress: teller() };
  switch (job.type) {
    case 'preview':
      return previewExport(database, job.bankId, { sources: job.sources, ...run });
    case 'export': {
      const { bankId, sources, passphrase } = job;
      return exportBundle(database, bankId, { sources, passphrase, ...run });
    }
    case 'import': {
      const { file, now, fileName, passphrase, as } = job;
      return importBundle(database, file, { now, fileName, passphrase, as, ...run });
    }
  }
}

/** What is no expected failure is thrown on, and reaches the page as the worker's own error. */
function reportFailure(error: unknown): void {
  if (error instanceof BundleError) {
    const { code, message, place } = error;
    report({ type: 'refusal', code, message, place });
  } else if (error instanceof StorageError) {
    report({ type: 'failure', code: error.code, message: error.message });
  } else if (stopping.signal.aborted && error === stopping.signal.reason) {
    report({ type: 'stopped' });
  } else {
    reportError(error);
  }
}

async function work(job: Job): Promise<void> {
  let database: Database | undefined;
  try {
    database = await openDatabase({ name: job.databaseName });
    const value = await carryOut(database, job);
    await database.shut();
    report({ type: 'finish', value });
  } catch (error) {
    await database?.shut();
    reportFailure(error);
  }
}

addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  const order = bundleOrderSchema.parse(data);
  if (order.type === 'stop') stopping.abort();
  else void work(order);
});
