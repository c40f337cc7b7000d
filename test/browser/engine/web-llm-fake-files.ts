/**
 * Files laid out as WebLLM lays a model out, as far as they are read before its library runs: there is no
 * compiled model small enough for a test. `library.wasm` and the shards are noise.
 */
export function webLlmFakeFiles(library = 'library.wasm'): Map<string, Uint8Array<ArrayBuffer>> {
  const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  return new Map([
    [
      'mlc-chat-config.json',
      json({
        conv_template: {
          system_template: '<|im_start|>system\n{system_message}<|im_end|>\n',
          system_message: 'You help.',
          roles: { user: '<|im_start|>user', assistant: '<|im_start|>assistant' },
          role_templates: { user: '{user_message}', assistant: '{assistant_message}' },
          seps: ['<|im_end|>\n'],
          role_content_sep: '\n',
          role_empty_sep: '\n',
          stop_str: [],
          stop_token_ids: [1],
        },
        tokenizer_files: ['tokenizer.json', 'tokenizer_config.json'],
        vocab_size: 3,
        context_window_size: 4096,
        sliding_window_size: -1,
      }),
    ],
    [
      'tensor-cache.json',
      json({
        metadata: {},
        records: [0, 1].map((at) => ({ dataPath: `params_shard_${at}.bin`, records: [] })),
      }),
    ],
    [
      'tokenizer.json',
      json({
        added_tokens: [
          { id: 0, content: '<|im_start|>', special: true },
          { id: 1, content: '<|im_end|>', special: true },
          { id: 2, content: '<think>', special: false },
        ],
      }),
    ],
    [library, new Uint8Array(64).fill(7)],
    ['params_shard_0.bin', new Uint8Array(16).fill(1)],
    ['params_shard_1.bin', new Uint8Array(16).fill(2)],
  ]);
}
