/** transformers.js by itself, as its own documentation uses it: what Grove's protocol is compared with. */
import { AutoModelForCausalLM, AutoTokenizer } from '@huggingface/transformers';
import { languageEntrySchema } from '../../../src/core/models/model-entry.ts';
import { MODEL, openModel } from '../../../src/engine/transformers/transformers-files.ts';

let loaded: ReturnType<typeof load> | undefined;

async function load(given: unknown) {
  await openModel(languageEntrySchema.parse(given), 'wasm');
  const tokenizer = await AutoTokenizer.from_pretrained(MODEL);
  const model = await AutoModelForCausalLM.from_pretrained(MODEL, {
    dtype: 'fp32',
    device: 'wasm',
  });
  return { tokenizer, model };
}

addEventListener('message', async ({ data }: MessageEvent) => {
  if (data.entry !== undefined) {
    loaded = load(data.entry);
    await loaded;
    postMessage('loaded');
    return;
  }
  if (loaded === undefined) throw new Error('nothing is loaded');
  const { tokenizer, model } = await loaded;
  const text = tokenizer.apply_chat_template(data.messages, {
    ...{ tokenize: false, add_generation_prompt: true },
  });
  const inputs: unknown = await tokenizer([text], { add_special_tokens: false });
  const ids: unknown = await model.generate({
    ...Object(inputs),
    ...{ max_new_tokens: data.count, do_sample: false, repetition_penalty: 1 },
  });
  postMessage(tokenizer.batch_decode(Object(ids), { skip_special_tokens: true }));
});
