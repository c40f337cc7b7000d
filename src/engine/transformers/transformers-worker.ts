/** Runs one model in transformers.js off the page's thread; a failure ends what this worker is good for. */
import { EngineError } from '../../core/models/engine.ts';
import { isEncoderEntry } from '../../core/models/model-entry.ts';
import { serveEngine } from '../protocol/engine-host.ts';
import { TransformersEncoder } from './transformers-encoder.ts';
import { TransformersLanguage } from './transformers-language.ts';

let encoder: TransformersEncoder | null = null;
let language: TransformersLanguage | null = null;

serveEngine(self, {
  async load(model, device, means) {
    if (isEncoderEntry(model)) encoder = await TransformersEncoder.load(model);
    else language = await TransformersLanguage.load(model, device, means);
  },
  async embed(texts, tell) {
    if (encoder === null) throw new EngineError('failed', 'No encoder is loaded.');
    return encoder.embed(texts, tell);
  },
  async generate(request, means) {
    return loadedLanguage().generate(request, means);
  },
  async score(messages) {
    return loadedLanguage().score(messages);
  },
});

function loadedLanguage(): TransformersLanguage {
  if (language === null) throw new EngineError('failed', 'No language model is loaded.');
  return language;
}
