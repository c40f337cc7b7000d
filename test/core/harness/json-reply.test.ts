import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCriticReply } from '../../../src/core/harness/critic-reply.ts';
import { extractJson } from '../../../src/core/harness/json-reply.ts';

describe('the JSON of a reply', () => {
  it('is found bare, fenced, in prose, and behind thinking', () => {
    const json = '{"a": {"b": "} ` {"}, "c": [1]}';
    const value = { a: { b: '} ` {' }, c: [1] };
    for (const reply of [
      json,
      `\`\`\`json\n${json}\n\`\`\``,
      `Sure! Here it is: ${json} Hope it helps {really}.`,
      `<think>{"a": 1}</think>${json}`,
    ]) {
      expect(extractJson(reply)).toEqual({ ok: true, value });
    }
  });

  it('is refused where there is none, or only a list, or it is cut off', () => {
    for (const reply of ['', 'none', '[1, 2]', '{"ready": tr', '{']) {
      expect(extractJson(reply)).toMatchObject({ ok: false, refusal: { reason: 'not-json' } });
    }
  });

  it('is found whatever object it is, with prose around it', () => {
    const objects = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(objects, (object) => {
        // Through JSON, since -0 does not survive it.
        const value: unknown = JSON.parse(JSON.stringify(object));
        const text = JSON.stringify(value).replaceAll('<', '\\u003c');
        expect(extractJson(`I say: ${text}`)).toEqual({ ok: true, value });
      }),
    );
  });
});

describe('a critic’s reply', () => {
  it('fills in what a finding leaves out', () => {
    expect(parseCriticReply('{"ready": false, "findings": [{"what": "Blurred."}]}')).toEqual({
      ok: true,
      value: {
        ready: false,
        reason: '',
        findings: [
          {
            what: 'Blurred.',
            advice: null,
            appliesWhen: null,
            image: null,
            box: null,
            confidence: 0.5,
          },
        ],
      },
    });
  });

  it('is refused with the path that does not fit', () => {
    expect(parseCriticReply('{"ready": "yes"}')).toMatchObject({
      refusal: { reason: 'bad-shape', path: 'ready' },
    });
    expect(
      parseCriticReply('{"ready": false, "findings": [{"what": "x", "box": [0, 1]}]}'),
    ).toMatchObject({ refusal: { reason: 'bad-shape', path: 'findings.0.box' } });
  });
});
