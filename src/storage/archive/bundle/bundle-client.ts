import type { z } from 'zod';
import { StorageError } from '../../../core/errors.ts';
import { BundleError } from '../../../core/transfer/bundle/bundle-error.ts';
import type { BundleRun } from '../../../core/transfer/bundle/bundle-progress.ts';
import type { BundleStore } from '../../../core/transfer/bundle/bundle-store.ts';
import type { Database } from '../../database.ts';
import type { BundleOrder } from './bundle-protocol.ts';

/** Banks as files over one connection; each export and import runs in a worker of its own. */
export function bundleStore(database: Database, databaseName: string): BundleStore<Blob> {
  // Bundles are rare and their code is not small: it loads when asked for.
  const held = async () => (await import('./held-banks.ts')).heldBanks(database);
  const protocol = () => import('./bundle-protocol.ts');
  return {
    async previewExport(bankId, { sources = false, ...run } = {}) {
      const order = { type: 'preview', databaseName, bankId, sources } as const;
      return runJob(order, (await protocol()).previewSchema, run);
    },
    async exportBundle(bankId, { sources = false, passphrase, ...run } = {}) {
      const order = { type: 'export', databaseName, bankId, sources, passphrase } as const;
      return runJob(order, (await protocol()).exportedSchema, run);
    },
    async importBundle(file, { now, fileName, passphrase, as, ...run }) {
      const choices = { now, fileName, passphrase, as };
      const order = { type: 'import', databaseName, file, ...choices } as const;
      return runJob(order, (await protocol()).outcomeSchema, run);
    },
    listHeld: async () => (await held()).listHeld(),
    trustHeld: async (heldId) => (await held()).trustHeld(heldId),
    discardHeld: async (heldId) => (await held()).discardHeld(heldId),
  };
}

/**
 * Runs one job in a worker, which ends with it. An abort lets the worker tidy up first, so that
 * nothing is left by the time the reason is thrown.
 */
async function runJob<T>(
  order: BundleOrder,
  schema: z.ZodType<T>,
  { signal, onProgress }: BundleRun,
): Promise<T> {
  signal?.throwIfAborted();
  const { bundleReportSchema } = await import('./bundle-protocol.ts');
  const worker = new Worker(new URL('./bundle-worker.ts', import.meta.url), { type: 'module' });
  const ended = Promise.withResolvers<unknown>();
  const stop = () => worker.postMessage({ type: 'stop' } satisfies BundleOrder);
  worker.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const report = bundleReportSchema.parse(data);
    switch (report.type) {
      case 'progress':
        onProgress?.(report.progress);
        return;
      case 'finish':
        ended.resolve(report.value);
        return;
      case 'stopped':
        ended.reject(signal?.reason);
        return;
      case 'refusal': {
        const { code, message, place } = report;
        ended.reject(new BundleError(code, message, { place }));
        return;
      }
      case 'failure':
        ended.reject(new StorageError(report.code, report.message));
    }
  });
  worker.addEventListener('error', (event) => {
    const why = event.message || 'it did not start';
    ended.reject(new StorageError('failed', `The work on the bundle stopped (${why}).`));
  });
  signal?.addEventListener('abort', stop);
  try {
    worker.postMessage(order);
    if (signal?.aborted === true) stop();
    return schema.parse(await ended.promise);
  } finally {
    signal?.removeEventListener('abort', stop);
    worker.terminate();
  }
}
