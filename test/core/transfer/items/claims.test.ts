import { describe, expect, test } from 'vitest';
import { applyOperation } from '../../../../src/core/bank/apply.ts';
import { claimInWords, claimOf, type Claim } from '../../../../src/core/bank/claim.ts';
import { EMPTY_LOG, makeEntries } from '../../../../src/core/bank/log.ts';
import { logEntrySchema } from '../../../../src/core/bank/operation.ts';
import { standingOf } from '../../../../src/core/bank/rank.ts';
import { emptyTree, lessonByContent, type Tree } from '../../../../src/core/bank/tree.ts';
import { acceptDraft } from '../../../../src/core/organize/accept-draft.ts';
import { playbookEntries } from '../../../../src/core/transfer/ace/bank-playbook.ts';
import { writePlaybook } from '../../../../src/core/transfer/ace/ace-playbook.ts';
import { bankEntries } from '../../../../src/core/transfer/items/bank-entries.ts';
import { exportMarkdown } from '../../../../src/core/transfer/items/export-markdown.ts';
import { exportJsonLines } from '../../../../src/core/transfer/items/grove-lessons.ts';
import { foldText, bulletText } from '../../../../src/core/transfer/items/lesson-text.ts';
import { remeItems } from '../../../../src/core/transfer/items/reme.ts';
import { toDrafts } from '../../../../src/core/transfer/items/to-drafts.ts';
import { toLessons } from '../../../../src/core/transfer/items/to-lessons.ts';
import { writeRecords } from '../../../../src/core/transfer/text/json-records.ts';
import { AT, evidenceOf, grow, manifestOf, PERSON } from '../../bank/material.ts';
import { HAS_SAMPLES, mustRead, readSample } from './samples.ts';

let number = 0;
const nextId = () => `id-${(number += 1)}`;

function draftsOf(text: string) {
  const into = { bankId: 'bank', fileName: 'file', tool: 'ACE playbook', at: AT, nextId };
  return toDrafts(toLessons(mustRead(text)).lessons, into);
}

/** A bank into which every item of the files was accepted, one after another. */
function bankOf(...texts: readonly string[]): Tree {
  return texts.flatMap(draftsOf).reduce(
    (tree, draft) => {
      const lesson = acceptDraft(draft, nextId());
      const known = lessonByContent(tree, lesson.contentHash);
      return known === undefined
        ? grow(tree, [{ type: 'add-lesson', lesson }])
        : grow(tree, [{ type: 'support-lesson', lesson: known.id, evidence: draft.source }]);
    },
    emptyTree(manifestOf({ maxChildren: 1000 })),
  );
}

const playbookOf = (tree: Tree) => [...writePlaybook(playbookEntries(bankEntries(tree)))].join('');
const remeOf = (tree: Tree) => [...remeItems(bankEntries(tree), { workspace: 'w' })];

/** What the items of a file claim, but for what they are called. */
function claimsOf(text: string): readonly (Claim | undefined)[] {
  return draftsOf(text).map(({ source }) => {
    if (source.claim === undefined) return undefined;
    const { id: _, ...counts } = source.claim;
    return counts;
  });
}

const COUNTED = [
  '## STRATEGIES',
  '[shr-00001] helpful=5 harmful=2 :: Read the legend first.',
  '[shr-00002] helpful=0 harmful=0 neutral=3 :: Count each stop once.',
  '[shr-00003] Ask for the key of the map.',
].join('\n');

describe('counters of imported items', () => {
  test('stay with the draft as its file said them, and are absent where it says none', () => {
    expect(claimsOf(COUNTED)).toEqual([
      { helpful: 5, harmful: 2 },
      { helpful: 0, harmful: 0, neutral: 3 },
      undefined,
    ]);
    const [, , silent] = draftsOf(COUNTED);
    expect(Object.keys(silent?.source ?? {})).not.toContain('claim');
  });

  test('come out of a bank as they went in, and again the next time', () => {
    const once = playbookOf(bankOf(COUNTED));
    const counters = (text: string) =>
      text.split('\n').flatMap((line) => /\] (.*)$/u.exec(line)?.[1] ?? []);
    expect(counters(once)).toEqual([
      'helpful=5 harmful=2 :: Read the legend first.',
      'helpful=0 harmful=0 neutral=3 :: Count each stop once.',
      'Ask for the key of the map.',
    ]);
    expect(counters(playbookOf(bankOf(once)))).toEqual(counters(once));
  });

  test('are no evidence: one imported item supports as one source, whatever it claims', () => {
    const tree = bankOf('[a-1] helpful=900 harmful=800 :: Read the legend first.');
    const [entry] = bankEntries(tree);
    expect(standingOf(tree, entry?.id ?? '')).toEqual({
      support: 1,
      failures: 0,
      verified: 0,
      judged: 0,
    });
    expect(entry?.own).toMatchObject({ support: 0, failures: 0 });
  });

  test('have what was counted here added, and nothing else', () => {
    const tree = bankOf(COUNTED);
    const ids = [...bankEntries(tree)].map(({ id }) => id);
    const evidence = [evidenceOf('t1'), evidenceOf('t2'), evidenceOf('t3', { supports: false })];
    const more = ids.flatMap((lesson) =>
      evidence.map((item) => ({ type: 'support-lesson' as const, lesson, evidence: item })),
    );
    const text = playbookOf(grow(tree, more));
    expect(text).toContain('helpful=7 harmful=3 :: Read');
    expect(text).toContain('helpful=2 harmful=1 neutral=3 :: Count');
    expect(text).toContain('helpful=2 harmful=1 :: Ask');
  });

  test('of an item that came in again are the later ones; those of two items are added up', () => {
    const later = COUNTED.replace('helpful=5', 'helpful=9');
    expect(playbookOf(bankOf(COUNTED, later))).toContain('helpful=9 harmful=2 :: Read');
    const other = COUNTED.replace('shr-00001', 'other-00001');
    expect(playbookOf(bankOf(COUNTED, other))).toContain('helpful=10 harmful=4 :: Read');
  });

  test('that this very bank wrote out are not counted twice when they come back', () => {
    const tree = bankOf(COUNTED);
    const [first] = bankEntries(tree);
    const lesson = first?.id ?? '';
    const counted = grow(tree, [{ type: 'support-lesson', lesson, evidence: evidenceOf('t1') }]);
    const written = playbookOf(counted);
    expect(written).toContain('helpful=6 harmful=2 :: Read');
    const [back] = draftsOf(written);
    if (back === undefined) throw new Error('no draft');
    expect(back.source.claim).toEqual({ id: `grove-${lesson}`, helpful: 6, harmful: 2 });
    const again = grow(counted, [{ type: 'support-lesson', lesson, evidence: back.source }]);
    expect(playbookOf(again)).toBe(written);
  });

  test('of ReMe stand until tasks here say more', () => {
    const line = JSON.stringify({
      when_to_use: 'When lines cross',
      content: 'Count each stop once.',
      score: 0.92,
      metadata: { freq: 4, utility: 3 },
    });
    const tree = bankOf(line);
    const [item] = remeOf(tree);
    expect(item).toMatchObject({ score: 0.92, metadata: { freq: 4, utility: 3 } });
    expect(claimsOf(JSON.stringify(item))).toEqual([{ score: 0.92, freq: 4, utility: 3 }]);
    const lesson = item?.memory_id ?? '';
    const here = grow(tree, [
      { type: 'support-lesson', lesson, evidence: evidenceOf('t1') },
      { type: 'support-lesson', lesson, evidence: evidenceOf('t2', { supports: false }) },
      {
        type: 'record-outcome',
        outcome: {
          retrievalId: 'r',
          nodeId: lesson,
          taskId: 't3',
          result: 'failure',
          strength: 'judged',
        },
      },
    ]);
    expect(remeOf(here)[0]).toMatchObject({ score: 0.3333, metadata: { freq: 5, utility: 3 } });
  });

  test('go along in JSON Lines and are read to people in Markdown', () => {
    const tree = bankOf(COUNTED);
    const lines = [...exportJsonLines({ tree, head: EMPTY_LOG })].join('');
    expect(claimsOf(lines)).toEqual(claimsOf(COUNTED));
    expect([...exportMarkdown({ tree, head: EMPTY_LOG })].join('')).toContain(
      'its file says: 5 helpful, 2 harmful',
    );
  });
});

test('a claim is part of the entry that its hash seals, and an entry without one reads as before', () => {
  const seal = (draft: ReturnType<typeof draftsOf>[number]) => {
    const lesson = acceptDraft(draft, 'lesson');
    const steps = [{ operation: { type: 'add-lesson' as const, lesson }, by: PERSON }];
    return makeEntries(EMPTY_LOG, steps, { step: 1, at: AT });
  };
  for (const draft of draftsOf(COUNTED)) {
    const [entry] = seal(draft);
    expect(logEntrySchema.parse(JSON.parse(JSON.stringify(entry)))).toEqual(entry);
    const { claim, ...source } = draft.source;
    const [bare] = seal({ ...draft, source });
    expect(bare?.hash === entry?.hash).toBe(claim === undefined);
  }
});

test('an item whose id and author are not well-formed text can be taken into a log', () => {
  const line = JSON.stringify({
    memory_id: '\ud800',
    author: 'model \udfff',
    when_to_use: 'always',
    content: 'Read.',
  });
  const [draft] = draftsOf(line);
  if (draft === undefined) throw new Error('no draft');
  const operation = { type: 'add-lesson' as const, lesson: acceptDraft(draft, 'lesson') };
  expect(applyOperation(emptyTree(manifestOf()), operation, PERSON).ok).toBe(true);
  const entries = makeEntries(EMPTY_LOG, [{ operation, by: PERSON }], { step: 1, at: AT });
  expect(entries[0]?.hash).toMatch(/^[0-9a-f]{64}$/u);
});

test('claims are told in words, and what was not said is not', () => {
  expect(claimInWords(claimOf([]))).toBe('');
  expect(claimInWords({ helpful: 0, score: 0.5, freq: 2 })).toBe('0 helpful, score 0.5, given 2×');
});

describe.skipIf(!HAS_SAMPLES)('real files', () => {
  const skills = (text: string) =>
    toLessons(mustRead(text)).lessons.map(({ content, origin }): [string, Claim] => [
      foldText(bulletText(content)),
      {
        helpful: origin.helpful ?? -1,
        harmful: origin.harmful ?? -1,
        neutral: origin.neutral ?? -1,
      },
    ]);

  test('a skillbook keeps its counters through a bank', () => {
    const text = readSample('ace-skillbook/skillbook_20260318_150822.json');
    const before = skills(text);
    expect(before.some(([, { helpful = 0 }]) => helpful > 0)).toBe(true);
    expect(new Map(skills(playbookOf(bankOf(text))))).toEqual(new Map(before));
  });

  test.each([
    'ace/appworld_initial_playbook.txt',
    'ace/appworld_offline_trained_no_gt_playbook.txt',
  ])('%s, which counts nothing, comes out of a bank without counters', (path) => {
    const again = playbookOf(bankOf(readSample(path)));
    expect(new Set(claimsOf(again))).toEqual(new Set([undefined]));
  });

  test.each(['reme/library-appworld.jsonl', 'reme/task_memory.jsonl'])(
    '%s keeps its scores through a bank',
    (path) => {
      const text = readSample(path);
      const before = toLessons(mustRead(text)).lessons;
      const after = remeOf(bankOf(text));
      const scores = new Map(after.map(({ content, score }) => [content, score]));
      expect(after.length).toBe(before.length);
      for (const { content, origin } of before) {
        expect(scores.get(content.guidance)).toBe(origin.score);
      }
    },
  );
});
