import { describe, expect, test } from 'vitest';
import type { LanguageEntry } from '../../../src/core/models/model-entry.ts';
import { modelStore } from '../../../src/engine/files/model-store.ts';
import { webLlmEngine } from '../../../src/engine/web-llm/web-llm-client.ts';
import { openWebLlmFiles } from '../../../src/engine/web-llm/web-llm-files.ts';
import { webLlmEntry } from './web-llm-double.ts';
import { webLlmFakeFiles } from './web-llm-fake-files.ts';

const store = modelStore({ headers: {}, now: () => '2026-12-03T00:00:00.000Z' });
const text = (value: string) => new TextEncoder().encode(value);

let made = 0;

/** Fake files as a model on this device, with some of them changed. */
async function hold(
  change: (files: ReturnType<typeof webLlmFakeFiles>) => void = () => undefined,
): Promise<LanguageEntry> {
  made += 1;
  const files = webLlmFakeFiles();
  change(files);
  const entry: LanguageEntry = {
    ...webLlmEntry(`fake-${made}`),
    files: [...files].map(([path, { byteLength }]) => ({ path, bytes: byteLength, sha256: null })),
  };
  await store.add(entry, new Map([...files].map(([path, bytes]) => [path, new Blob([bytes])])));
  return entry;
}

describe('the real worker', () => {
  test('starts, and says that this browser gives no GPU; the next load is answered too', async () => {
    const engine = webLlmEngine();
    const entry = await hold();
    const phases: string[] = [];
    const load = () =>
      engine.load(entry, { device: 'webgpu', onPhase: (phase) => phases.push(phase) });
    for (let at = 0; at < 2; at += 1) {
      await expect(load()).rejects.toMatchObject({
        name: 'EngineError',
        code: 'no-gpu',
        message: expect.stringContaining(entry.name),
      });
    }
    // Before any file of it was read.
    expect(phases).toEqual([]);
  });

  test('runs on no other device', async () => {
    const loading = webLlmEngine().load(await hold(), { device: 'wasm' });
    await expect(loading).rejects.toMatchObject({ code: 'no-gpu' });
  });

  test('that gives no sign of life is ended', async () => {
    const loading = webLlmEngine({ silentMs: 1 }).load(await hold(), { device: 'webgpu' });
    await expect(loading).rejects.toMatchObject({ code: 'silent' });
  });

  test('that is stopped while it loads ends with the signal’s reason', async () => {
    const reason = new Error('enough');
    const entry = await hold();
    const stop = new AbortController();
    const loading = webLlmEngine().load(entry, { device: 'webgpu', signal: stop.signal });
    stop.abort(reason);
    await expect(loading).rejects.toBe(reason);
  });
});

describe('a model’s files', () => {
  test('say how it is talked to', async () => {
    const opened = await openWebLlmFiles(await hold());
    expect(opened).toMatchObject({
      library: 'library.wasm',
      specials: ['<|im_start|>', '<|im_end|>'],
      thinks: true,
      slidingWindow: false,
      conversation: { role_content_sep: '\n', seps: ['<|im_end|>\n'] },
    });
  });

  test('may have the list of tensors under its older name', async () => {
    const entry = await hold((files) => {
      files.set('ndarray-cache.json', files.get('tensor-cache.json') ?? text(''));
      files.delete('tensor-cache.json');
    });
    const { files } = await openWebLlmFiles(entry);
    expect(files.get('tensor-cache.json')).toBe(files.get('ndarray-cache.json'));
  });

  test('that are missing are named, each before WebLLM is asked', async () => {
    const whole = await hold();
    for (const { path } of whole.files) {
      const files = whole.files.filter((file) => file.path !== path);
      await expect(openWebLlmFiles({ ...whole, files }), path).rejects.toMatchObject({
        name: 'EngineError',
        code: 'missing-file',
        message: expect.stringContaining(path),
      });
    }
    const cleared = { ...whole, id: 'fake-nowhere' };
    await expect(openWebLlmFiles(cleared)).rejects.toMatchObject({ code: 'missing-file' });
  });

  test('that are damaged are named with what is wrong', async () => {
    const damages: readonly (readonly [string, string, RegExp])[] = [
      ['mlc-chat-config.json', '{"conv_template": {', /mlc-chat-config\.json is no JSON/u],
      ['mlc-chat-config.json', '{"conv_template": {"seps": []}}', /conv_template/u],
      ['tensor-cache.json', '<!doctype html>', /tensor-cache\.json is no JSON/u],
      ['tensor-cache.json', '{"records": []}', /“records”/u],
      ['tokenizer.json', '{}', /“added_tokens”/u],
    ];
    for (const [path, content, says] of damages) {
      const entry = await hold((files) => files.set(path, text(content)));
      await expect(openWebLlmFiles(entry), path).rejects.toMatchObject({
        code: 'not-loadable',
        message: expect.stringMatching(says),
      });
    }
  });

  test('of another size than is known are refused', async () => {
    const held = await hold();
    const files = held.files.map((file) =>
      file.path === 'params_shard_1.bin' ? { ...file, bytes: 17 } : file,
    );
    await expect(openWebLlmFiles({ ...held, files })).rejects.toMatchObject({
      code: 'not-loadable',
      message: expect.stringContaining('params_shard_1.bin has 16 bytes and should have 17'),
    });
    const unnamed = { ...held, language: { ...held.language, library: null } };
    await expect(openWebLlmFiles(unnamed)).rejects.toMatchObject({ code: 'not-loadable' });
  });
});
