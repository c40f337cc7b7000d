import { transformersEngine } from '../../../src/engine/transformers/transformers-client.ts';
import { holdDecoder } from '../../browser/engine/tiny-language.ts';

/** Loads the tiny decoder, asks it for a few tokens, and unloads it, so many times. */
export async function loadAndUnload(times: number): Promise<void> {
  const entry = await holdDecoder('bench-cycles');
  const engine = transformersEngine();
  for (let time = 0; time < times; time += 1) {
    const model = await engine.load(entry, { device: 'wasm' });
    const request = {
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'Go' }] }],
      ...{ schema: null, maxNewTokens: 8, temperature: 0 },
    } as const;
    for await (const event of model.generate(request, new AbortController().signal)) void event;
    model.unload();
  }
}
