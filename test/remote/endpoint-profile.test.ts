import { expect, test } from 'vitest';
import { endpointProfileSchema, normalizeBaseUrl } from '../../src/remote/endpoint-profile.ts';

test.each([
  ['http://localhost:8000/v1/', 'http://localhost:8000/v1'],
  ['localhost:11434/v1', 'http://localhost:11434/v1'],
  ['https://api.example.org/v1/chat/completions', 'https://api.example.org/v1'],
  [' api.example.org/v1 ', 'https://api.example.org/v1'],
])('%s is used as %s', (typed, url) => {
  expect(normalizeBaseUrl(typed)).toEqual({ ok: true, value: { url } });
});

test('a bare host is used as typed, with /v1 only suggested', () => {
  expect(normalizeBaseUrl('http://lab:1234/')).toEqual({
    ok: true,
    value: { url: 'http://lab:1234', suggestion: 'http://lab:1234/v1' },
  });
});

test.each(['', 'ftp://host/v1', 'http://', 'not a url'])('“%s” is no base URL', (typed) => {
  expect(normalizeBaseUrl(typed)).toMatchObject({ ok: false, refusal: { reason: 'no-url' } });
});

test.each(['https://me:secret@host/v1', 'https://host/v1?key=sk-1'])(
  '%s is refused for what it carries',
  (typed) => {
    expect(normalizeBaseUrl(typed)).toMatchObject({ ok: false, refusal: { reason: 'has-secret' } });
  },
);

test('a profile keeps no key', () => {
  const profile = {
    id: 'lab',
    name: 'Lab',
    baseUrl: 'http://localhost:8000/v1',
    model: 'm',
    imageSupport: 'unknown',
    maxImageSidePx: 750,
  };
  expect(endpointProfileSchema.parse({ ...profile, apiKey: 'sk-1' })).toEqual(profile);
});
