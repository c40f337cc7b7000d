import { describe, expect, test } from 'vitest';
import {
  speedReportSchema,
  testSpeed,
  type SpeedProgress,
} from '../../../src/core/models/speed-test.ts';
import { FACTS, languageEntry, loadedModel } from './device-examples.ts';

/** Tokens a word, and a chat's own around them. */
const PER_WORD = 1.3;
const AROUND = 11;
const PREFILL_PER_SECOND = 500;
const DECODE_PER_SECOND = 40;

function counted(asked: string[] = []) {
  return loadedModel((text, maxNewTokens) => {
    const promptTokens = Math.round(text.split(' ').length * PER_WORD) + AROUND;
    return {
      text: 'and',
      promptTokens,
      completionTokens: maxNewTokens,
      prefillMs: (1000 * promptTokens) / PREFILL_PER_SECOND,
      decodeMs: (1000 * (maxNewTokens - 1)) / DECODE_PER_SECOND,
    };
  }, asked);
}

async function run(
  entry: ReturnType<typeof languageEntry>,
  model: ReturnType<typeof counted>,
  signal = new AbortController().signal,
) {
  const seen: SpeedProgress[] = [];
  const lines = testSpeed(entry, model, { signal, nowMs: () => 0, now: () => '2026-12-03T10:00' });
  for (;;) {
    const next = await lines.next();
    if (next.done === true) return { seen, report: next.value };
    seen.push(next.value);
  }
}

describe('a speed test', () => {
  test('asks prompts of about 256, 1,024 and 2,048 tokens, no two alike from the beginning', async () => {
    const asked: string[] = [];
    const { report, seen } = await run(languageEntry('m'), counted(asked));
    expect(asked).toHaveLength(4);
    expect(new Set(asked.map((text) => text.slice(0, 2))).size).toBe(4);
    for (const { wanted, promptTokens } of report.measured) {
      expect(promptTokens).toBeGreaterThan(wanted * 0.75);
      expect(promptTokens).toBeLessThanOrEqual(wanted);
    }
    expect(report.measured.map(({ wanted }) => wanted)).toEqual([256, 1024, 2048]);
    expect(report.skipped).toEqual([]);
    expect(seen.map(({ done, wanted }) => [done, wanted])).toEqual([
      [0, null],
      [0, 256],
      [1, 1024],
      [2, 2048],
      [3, null],
    ]);
  });

  test('tells both speeds as the model counted tokens, and its report is plain data', async () => {
    const { report } = await run(languageEntry('m'), counted());
    for (const line of report.measured) {
      expect(line.prefillTokensPerSecond).toBeCloseTo(PREFILL_PER_SECOND);
      expect(line.decodeTokensPerSecond).toBeCloseTo(DECODE_PER_SECOND);
    }
    expect(speedReportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
  });

  test('leaves out lengths beyond what the model takes, and says so', async () => {
    const short = languageEntry('m', { language: { ...FACTS, promptBudget: 1100 } });
    const { report } = await run(short, counted());
    expect(report.measured.map(({ wanted }) => wanted)).toEqual([256, 1024]);
    expect(report.skipped).toEqual([
      { wanted: 2048, reason: 'more than the 1100 tokens that it takes' },
    ]);
    const narrow = languageEntry('m', { language: { ...FACTS, context: 200, promptBudget: 150 } });
    expect((await run(narrow, counted())).report.measured).toEqual([]);
  });

  test('a reply of one token tells no speed of writing', async () => {
    const model = loadedModel((text) => ({
      text: '',
      promptTokens: text.split(' ').length,
      completionTokens: 1,
      prefillMs: 10,
      decodeMs: 0,
    }));
    const { report } = await run(languageEntry('m'), model);
    expect(report.measured[0]?.decodeTokensPerSecond).toBeNull();
  });

  test('ends at a stop', async () => {
    const stop = new AbortController();
    const asked: string[] = [];
    const model = loadedModel((text) => {
      if (asked.length === 2) stop.abort();
      return {
        text: 'x',
        promptTokens: text.split(' ').length,
        completionTokens: 2,
        prefillMs: 1,
        decodeMs: 1,
      };
    }, asked);
    await expect(run(languageEntry('m'), model, stop.signal)).rejects.toThrow('abort');
    expect(asked).toHaveLength(2);
  });
});
