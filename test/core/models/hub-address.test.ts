import { expect, test } from 'vitest';
import { sourceOfAddress } from '../../../src/core/models/hub-address.ts';

test('an address of a hub’s repository names its host, its repository and its revision', () => {
  const hub = 'https://huggingface.co';
  const cases = [
    ['owner/name', hub, 'owner/name', 'main'],
    ['  https://huggingface.co/owner/a.b-C_1/ ', hub, 'owner/a.b-C_1', 'main'],
    ['https://huggingface.co/owner/name/tree/v2', hub, 'owner/name', 'v2'],
    ['https://huggingface.co/owner/name/tree/refs%2Fpr%2F1', hub, 'owner/name', 'refs/pr/1'],
    ['https://huggingface.co/owner/name/blob/main/onnx/m.onnx', hub, 'owner/name', 'main'],
    ['http://10.0.0.2:8080/o/n?x=1#y', 'http://10.0.0.2:8080', 'o/n', 'main'],
  ] as const;
  for (const [text, host, repository, revision] of cases) {
    expect(sourceOfAddress(text)).toEqual({ ok: true, value: { host, repository, revision } });
  }
});

test('what is no such address is refused with what to give instead', () => {
  const texts = [
    ...['', 'name', 'a/b/c', 'ftp://host/a/b', 'https://host', 'https://host/a'],
    ...['https://host/datasets/a/b', '../x', 'owner/na me', 'https://host/a/b/discussions/1'],
  ];
  for (const text of texts) {
    expect(sourceOfAddress(text), text).toMatchObject({
      refusal: {
        reason: 'no-hub-address',
        message: expect.stringContaining('https://host/owner/name'),
      },
    });
  }
});
