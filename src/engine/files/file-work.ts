import { ModelFileError } from '../../core/models/model-store.ts';
import { fileReportSchema, type FileOrder, type FileReport } from './file-protocol.ts';

/** How long a worker that was told to stop may take to close its file. */
const STOP_MS = 3000;

type Progress = Extract<FileReport, { type: 'progress' }>;
type Done = Omit<Extract<FileReport, { type: 'done' }>, 'type'>;

/** A worker for the files of one model, one after the other. */
export interface FileWork {
  /**
   * Has a file brought in or hashed. Told to stop, the worker closes its file first, so that the next try
   * can open it. Throws ModelFileError; the signal's reason.
   */
  run(
    order: FileOrder,
    signal: AbortSignal | undefined,
    tell: (progress: Progress) => void,
  ): Promise<Done>;
}

/** Works on files with a worker that ends with the work. */
export async function withFileWorker<T>(work: (files: FileWork) => Promise<T>): Promise<T> {
  const worker = new Worker(new URL('./file-worker.ts', import.meta.url), { type: 'module' });
  try {
    return await work({ run: (order, signal, tell) => run(worker, order, { signal, tell }) });
  } finally {
    worker.terminate();
  }
}

async function run(
  worker: Worker,
  order: FileOrder,
  { signal, tell }: { signal: AbortSignal | undefined; tell: (progress: Progress) => void },
): Promise<Done> {
  signal?.throwIfAborted();
  const ended = Promise.withResolvers<Done>();
  const over = new AbortController();
  const heard = ({ data }: MessageEvent<unknown>) => {
    const report = fileReportSchema.parse(data);
    if (report.type === 'progress') tell(report);
    else if (report.type === 'done') {
      ended.resolve({ bytes: report.bytes, sha256: report.sha256 });
    } else ended.reject(failureOf(report, signal));
  };
  const broke = ({ message }: ErrorEvent) => {
    const sentence = `The work on ${order.path} broke off: ${message}. Try again.`;
    ended.reject(new ModelFileError('failed', sentence));
  };
  let late: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    worker.postMessage({ type: 'stop' });
    late = setTimeout(() => ended.reject(signal?.reason), STOP_MS);
  };
  worker.addEventListener('message', heard, { signal: over.signal });
  worker.addEventListener('error', broke, { signal: over.signal });
  signal?.addEventListener('abort', stop, { signal: over.signal });
  try {
    worker.postMessage(order);
    return await ended.promise;
  } finally {
    clearTimeout(late);
    over.abort();
  }
}

function failureOf(
  { code, message }: Extract<FileReport, { type: 'failure' }>,
  signal: AbortSignal | undefined,
): unknown {
  return code === 'stopped' ? signal?.reason : new ModelFileError(code, message);
}
