import { hashJson } from '../../core/canonical.ts';
import { EngineError, type EncoderEngine, type LoadedEncoder } from '../../core/models/engine.ts';
import type { EncoderEntry } from '../../core/models/model-entry.ts';
import type { HeldModel } from '../../core/models/model-store.ts';
import { quantise } from '../../core/recall/encoder/quantise.ts';
import { RecallError, type RecallEncoder } from '../../core/recall/recall-port.ts';

/** Texts at a time: about a second of a small model's work on WASM. */
const BATCH = 32;

/** A model as recall's encoder. */
export interface ModelEncoder extends RecallEncoder {
  /** Frees what it holds; a later call loads it anew. */
  unload(): void;
}

/**
 * A neural encoder for recall, loaded at its first text. Where it fails it is unloaded, so that the next
 * call begins anew. Its revision is made of its files, so that no two models' vectors are compared.
 */
export function modelEncoder(
  { entry, files }: HeldModel<EncoderEntry>,
  engine: EncoderEngine,
): ModelEncoder {
  const { dimension, queryPrefix, passagePrefix, pooling, context } = entry.encoder;
  const hashes = files.map(({ path, sha256 }) => ({ path, sha256 }));
  const revision = hashJson({ hashes, pooling, queryPrefix, passagePrefix, context });
  let loading: Promise<LoadedEncoder> | undefined;
  const unload = () => {
    void loading?.then((loaded) => loaded.unload()).catch(() => undefined);
    loading = undefined;
  };
  return {
    id: { id: entry.id, dimension, revision },
    batch: BATCH,
    async encode(texts, as) {
      const prefix = as === 'question' ? queryPrefix : passagePrefix;
      try {
        loading ??= engine.loadEncoder(entry);
        const vectors = await (await loading).embed(texts.map((text) => prefix + text));
        return vectors.map(quantise);
      } catch (error) {
        unload();
        if (!(error instanceof EngineError)) throw error;
        throw new RecallError('encoder-failed', error.message, { cause: error });
      }
    },
    unload,
  };
}
