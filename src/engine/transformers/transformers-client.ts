import {
  EngineError,
  type EncoderEngine,
  type LanguageEngine,
  type LoadedEncoder,
} from '../../core/models/engine.ts';
import { SILENT_MS, type EngineConnection } from '../protocol/engine-connection.ts';
import { loadModel, overWorker } from '../protocol/engine-worker.ts';

/** Models in transformers.js, each in a worker of its own, which ends where anything fails in it. */
export function transformersEngine({ silentMs = SILENT_MS } = {}): EncoderEngine & LanguageEngine {
  return {
    async loadEncoder(model) {
      const { name, encoder: facts } = model;
      const connection = connect(name, silentMs);
      await connection.ask({ type: 'load', model, device: 'wasm' }, 'loaded');
      const { dimension } = facts;
      return {
        facts,
        async embed(texts) {
          if (texts.length === 0) return [];
          const { vectors } = await connection.ask(
            { type: 'embed', texts: [...texts] },
            'embedded',
          );
          return texts.map((_, at) => vectors.subarray(at * dimension, (at + 1) * dimension));
        },
        unload: () => connection.stop(new EngineError('stopped', `${name} was unloaded.`)),
      } satisfies LoadedEncoder;
    },
    load: (model, options) => loadModel(connect(model.name, silentMs), model, options),
  };
}

function connect(name: string, silentMs: number): EngineConnection {
  const worker = new Worker(new URL('./transformers-worker.ts', import.meta.url), {
    type: 'module',
  });
  return overWorker(worker, { name, silentMs });
}
