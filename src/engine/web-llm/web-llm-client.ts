import type { LanguageEngine } from '../../core/models/engine.ts';
import { SILENT_MS } from '../protocol/engine-connection.ts';
import { loadModel, overWorker } from '../protocol/engine-worker.ts';

/** Models in WebLLM, each in a worker of its own, which ends where anything fails in it. */
export function webLlmEngine({ silentMs = SILENT_MS } = {}): LanguageEngine {
  return {
    load(model, options) {
      const worker = new Worker(new URL('./web-llm-worker.ts', import.meta.url), {
        type: 'module',
      });
      return loadModel(overWorker(worker, { name: model.name, silentMs }), model, options);
    },
  };
}
