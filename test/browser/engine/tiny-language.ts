import { Tokenizer } from '@huggingface/tokenizers';
import { tinyDecoder } from '../../../models/tiny/decoder.mjs';
import { tinyImageText } from '../../../models/tiny/image-text.mjs';
import { languageOfFolder } from '../../../src/core/models/language-folder.ts';
import type { LanguageEntry } from '../../../src/core/models/model-entry.ts';
import { modelStore } from '../../../src/engine/files/model-store.ts';

type Files = Map<string, Uint8Array<ArrayBuffer>>;

const store = modelStore({ headers: {}, now: () => '2026-12-03T00:00:00.000Z' });

/** The tiny decoder as a model on this device, with some of its files changed. */
export function holdDecoder(
  id: string,
  change: (files: Files) => void = () => undefined,
): Promise<LanguageEntry> {
  return hold(id, tinyDecoder(), change);
}

/** The tiny model that sees, as a model on this device. */
export function holdImageText(id: string): Promise<LanguageEntry> {
  return hold(id, tinyImageText(), () => undefined);
}

async function hold(
  id: string,
  files: Files,
  change: (files: Files) => void,
): Promise<LanguageEntry> {
  change(files);
  const entry = await languageOfFolder({
    name: id,
    sizes: new Map([...files].map(([path, { byteLength }]) => [path, byteLength])),
    text: async (path) => new TextDecoder().decode(files.get(path)),
  });
  if (!entry.ok) throw new Error(entry.refusal.message);
  await store.add(
    entry.value,
    new Map([...files].map(([path, bytes]) => [path, new Blob([bytes])])),
  );
  return entry.value;
}

const json = (path: string) => JSON.parse(new TextDecoder().decode(tinyDecoder().get(path)));
const tokenizer = new Tokenizer(json('tokenizer.json'), json('tokenizer_config.json'));

/** The ids of one user's message as the tiny decoder reads it. */
export function tinyPrompt(text: string): readonly number[] {
  return tokenizer.encode(`<|im_start|>user\n${text}<|im_end|>\n<|im_start|>assistant\n`).ids;
}

/** The text of ids without what marks turns. */
export function tinyText(ids: readonly number[]): string {
  return tokenizer.decode([...ids], { skip_special_tokens: true });
}
