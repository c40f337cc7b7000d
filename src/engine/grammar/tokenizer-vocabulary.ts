import type { PreTrainedTokenizer } from '@huggingface/transformers';
import { z } from 'zod';
import { EngineError } from '../../core/models/engine.ts';
import { bytesOf } from './rule.ts';

/** How a tokenizer writes a token's bytes, in XGrammar's names. */
export type TokenSpelling = 'byte_level' | 'byte_fallback' | 'raw';

/** What a model can say, by token id. */
export interface Vocabulary {
  readonly spelling: TokenSpelling;
  /** As the tokenizer writes them; empty for one that stands for no text of a reply. */
  readonly tokens: readonly string[];
  /** The bytes that each stands for, one character (U+0000 to U+00FF) a byte. */
  readonly bytes: readonly string[];
  /** Tokens that end a reply. */
  readonly endTokens: readonly number[];
}

const modelSchema = z.looseObject({
  model: z.looseObject({ byte_fallback: z.boolean().optional() }),
  pre_tokenizer: z.unknown(),
  decoder: z.unknown(),
});

/**
 * The vocabulary of a transformers.js tokenizer: byte-level pairs, SentencePiece's pieces, or plain text.
 * Tokens that were added to the vocabulary (`<|im_start|>`, `<think>`) are no part of a reply's text.
 * Throws `EngineError` (`not-askable`) where its tokens are none of these.
 */
export function tokenizerVocabulary(
  tokenizer: PreTrainedTokenizer,
  endTokenIds: readonly number[],
): Vocabulary {
  const spelling = spellingOf(tokenizer._tokenizerJSON);
  const added = tokenizer._tokenizer.get_added_tokens_decoder();
  const vocabulary = tokenizer.get_vocab();
  const size = 1 + [...vocabulary.values()].reduce((most, id) => Math.max(most, id), -1);
  const tokens = Array.from({ length: size }, () => '');
  const bytes = Array.from({ length: size }, () => '');
  for (const [token, id] of vocabulary) {
    if (added.has(id) || endTokenIds.includes(id)) continue;
    tokens[id] = token;
    bytes[id] = tokenBytes(token, spelling);
  }
  return { spelling, tokens, bytes, endTokens: endTokenIds };
}

function spellingOf(tokenizerJson: unknown): TokenSpelling {
  const { model, pre_tokenizer, decoder } = modelSchema.parse(tokenizerJson);
  const types = JSON.stringify([pre_tokenizer, decoder]);
  const says = (type: string) => types.includes(`"type":"${type}"`);
  if (says('WordPiece') || says('CTC') || says('BPEDecoder')) {
    throw new EngineError(
      'not-askable',
      'Replies of this model cannot be held to a JSON Schema: its tokenizer leaves the spaces between tokens open.',
    );
  }
  if (says('ByteLevel')) return 'byte_level';
  const isSentencePiece =
    model.byte_fallback === true ||
    says('ByteFallback') ||
    says('Metaspace') ||
    types.includes('▁');
  return isSentencePiece ? 'byte_fallback' : 'raw';
}

function tokenBytes(token: string, spelling: TokenSpelling): string {
  switch (spelling) {
    case 'raw':
      return bytesOf(token);
    case 'byte_fallback': {
      const byte = /^<0x([0-9A-F]{2})>$/u.exec(token)?.[1];
      return byte === undefined
        ? bytesOf(token.replaceAll('▁', ' '))
        : String.fromCharCode(Number.parseInt(byte, 16));
    }
    case 'byte_level': {
      const bytes = Array.from(token, (character) => BYTE_OF_CHARACTER.get(character));
      return bytes.includes(undefined) ? bytesOf(token) : bytes.join('');
    }
  }
}

/** GPT-2's alphabet: printable bytes of Latin 1 stand for themselves, the others for U+0100 and on. */
const BYTE_OF_CHARACTER: ReadonlyMap<string, string> = (() => {
  const alphabet = new Map<string, string>();
  let moved = 0x100;
  for (let byte = 0; byte < 0x100; byte += 1) {
    const character = String.fromCharCode(byte);
    const isPrintable = /[!-~¡-¬®-ÿ]/u.test(character);
    alphabet.set(isPrintable ? character : String.fromCharCode(moved), character);
    if (!isPrintable) moved += 1;
  }
  return alphabet;
})();
