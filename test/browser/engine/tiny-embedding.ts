import { Tokenizer } from '@huggingface/tokenizers';
import { referenceEmbedding } from '../../../models/tiny/encoder-reference.mjs';
import { tinyEncoder } from '../../../models/tiny/encoder.mjs';

const files = tinyEncoder();
const json = (path: string) => JSON.parse(new TextDecoder().decode(files.get(path)));
const tokenizer = new Tokenizer(json('tokenizer.json'), json('tokenizer_config.json'));
/** Tokens of the tiny encoder's longest text, its marks included. */
const LONGEST = 128;

/** What the tiny encoder should make of a text, worked out without ONNX. */
export function tinyEmbedding(text: string): readonly number[] {
  const { ids } = tokenizer.encode(text);
  const last = ids.at(-1) ?? 0;
  return referenceEmbedding(ids.length <= LONGEST ? ids : [...ids.slice(0, LONGEST - 1), last]);
}
