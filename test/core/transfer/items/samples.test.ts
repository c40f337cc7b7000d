import { describe, expect, test } from 'vitest';
import { foldText, bulletText } from '../../../../src/core/transfer/items/lesson-text.ts';
import { toLessons } from '../../../../src/core/transfer/items/to-lessons.ts';
import { HAS_SAMPLES, mustRead, readSample, written } from './samples.ts';

/** Path, format, items, and how many say the same as an earlier one. */
const FILES = [
  ['ace/appworld_initial_playbook.txt', 'ace-playbook', 8, 0],
  ['ace/appworld_offline_trained_no_gt_playbook.txt', 'ace-playbook', 318, 6],
  ['ace-skillbook/skillbook_20260318_150822.json', 'ace-skillbook', 6, 0],
  ['reme/library-appworld.jsonl', 'reme', 193, 0],
  ['reme/task_memory.jsonl', 'reme', 3, 0],
] as const;

describe.skipIf(!HAS_SAMPLES)('real files', () => {
  test.each(FILES)(
    '%s is known by its content, whole, without a problem',
    (path, format, count) => {
      const file = mustRead(readSample(path));
      expect(file.format).toBe(format);
      expect(file.items).toHaveLength(count);
      expect(file.problems).toEqual([]);
    },
  );

  test.each(FILES)('%s comes out as it went in, up to white space', (path, format) => {
    const text = readSample(path);
    const again = written(mustRead(text));
    // 0.0 is written 0: the same number.
    const plain = (of: string) => of.replace(/: (\d+)\.0(?=[,}])/gu, ': $1').replace(/\s+/gu, '');
    expect(plain(again)).toBe(plain(text));
    expect(mustRead(again).format).toBe(format);
  });

  test.each(FILES)('%s is all lessons, none dropped, none cut', (path, format, count, repeated) => {
    const { lessons, counts, problems } = toLessons(mustRead(readSample(path)));
    expect(lessons).toHaveLength(count);
    expect(problems).toEqual([]);
    expect(counts).toEqual({
      items: count,
      lessons: count,
      noText: 0,
      tooLong: 0,
      notLessons: 0,
      inactive: 0,
      repeated,
      titlesShortened: 0,
      cropsLeftOut: 0,
    });
    for (const { content, origin } of lessons) {
      expect(origin.format).toBe(format);
      expect(content.title.length).toBeGreaterThan(3);
      expect([...content.title].length).toBeLessThanOrEqual(80);
    }
  });

  test('a playbook has its sections, and counters where it counts', () => {
    const { lessons } = toLessons(mustRead(readSample('ace/appworld_initial_playbook.txt')));
    expect(lessons[0]?.origin).toMatchObject({
      id: 'shr-00001',
      section: 'STRATEGIES AND HARD RULES',
      helpful: null,
      harmful: null,
    });
    expect(lessons.at(-1)?.origin.section).toBe('OTHERS');
  });

  test('every bullet of a playbook says the same as a lesson and as a bullet again', () => {
    const file = mustRead(readSample('ace/appworld_offline_trained_no_gt_playbook.txt'));
    if (file.format !== 'ace-playbook') throw new Error('no playbook');
    const again = toLessons(file).lessons.map(({ content }) => bulletText(content));
    expect(again).toEqual(file.items.map(({ text }) => foldText(text)));
  });

  test('a leading condition becomes when the lesson applies', () => {
    const file = mustRead(readSample('ace/appworld_offline_trained_no_gt_playbook.txt'));
    const lesson = toLessons(file).lessons.find(({ origin }) => origin.id === 'shr-00067');
    expect(lesson?.content.appliesWhen).toBe('processing files from directories');
    expect(lesson?.content.guidance).toMatch(/^Always check all available files/u);
  });

  test('a ReMe memory keeps its score, times and metadata apart', () => {
    const { lessons } = toLessons(mustRead(readSample('reme/task_memory.jsonl')));
    expect(lessons[0]?.origin).toMatchObject({
      id: 'e1103be06ec24ffebf441257d385211b',
      score: 0.92,
      author: 'qwen3-30b-a3b-instruct-2507',
      createdAt: '2025-09-07 15:57:06',
      members: { workspace_id: 'test_workspace', metadata: { confidence: 0.9 } },
    });
    expect(lessons[0]?.content.appliesWhen).toMatch(/^analyzing a complex, multi-faceted company/u);
    expect(lessons[0]?.content.topic).toMatch(/^decomposition, multi-dimensional analysis/u);
  });

  test('a skill keeps its reasons and times apart', () => {
    const file = mustRead(readSample('ace-skillbook/skillbook_20260318_150822.json'));
    expect(toLessons(file).lessons[0]?.origin).toMatchObject({
      section: 'customer_service_structure',
      helpful: 1,
      harmful: 0,
      neutral: 0,
      createdAt: '2026-03-18T14:08:22.435257+00:00',
      members: { status: 'active', embedding: null },
    });
  });
});
