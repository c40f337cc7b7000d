import { EngineError, type LoadedModel, type LoadOptions } from '../../core/models/engine.ts';
import type { LanguageEntry } from '../../core/models/model-entry.ts';
import { EngineConnection, type ConnectionOptions } from './engine-connection.ts';

/** A connection to a worker; that it broke off or never started is told through it. */
export function overWorker(worker: Worker, options: ConnectionOptions): EngineConnection {
  const connection = new EngineConnection(
    {
      postMessage: (message) => worker.postMessage(message),
      addEventListener: (type, listen) => worker.addEventListener(type, listen),
      close: () => worker.terminate(),
    },
    options,
  );
  worker.addEventListener('error', ({ message }) => {
    const why = message === '' ? 'its worker could not be started' : message;
    connection.stop(new EngineError('failed', `${options.name} stopped working: ${why}.`));
  });
  return connection;
}

/** Loads a language model at the other end of a connection. Throws as `LanguageEngine.load` does. */
export async function loadModel(
  connection: EngineConnection,
  model: LanguageEntry,
  { device, signal, onPhase }: LoadOptions,
): Promise<LoadedModel> {
  const { name } = model;
  const unload = () => connection.stop(new EngineError('stopped', `${name} was unloaded.`));
  const abort = () => unload();
  signal?.throwIfAborted();
  signal?.addEventListener('abort', abort);
  try {
    await connection.ask({ type: 'load', model, device }, 'loaded', (answer) => {
      if (answer.type === 'phase') onPhase?.(answer.phase);
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
  return {
    device,
    generate: (request, abortSignal) => connection.generate(request, abortSignal),
    score: (messages) => connection.score(messages),
    unload,
    ended: connection.ended,
  };
}
