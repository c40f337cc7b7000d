import { page } from 'vitest/browser';
import { test } from 'vitest';
import { makeEntries, EMPTY_LOG } from '../../../src/core/bank/log.ts';
import { defaultManifest, type Operation } from '../../../src/core/bank/operation.ts';
import { lessonOf, mountBank, openTestStorage, fillBank } from './mounted-app.ts';
import { PERSON } from '../../../src/state/bank.svelte.ts';

async function fill(storage: any, n: number) {
  await storage.banks.createBank(
    defaultManifest({ id: 'big', name: 'big', createdAt: '2026-11-30T09:41:00.000Z' }),
  );
  const ops: Operation[] = [];
  let groupsOf: string[] = ['root'];
  const words = [
    'legend',
    'loop',
    'station',
    'chart',
    'table',
    'axis',
    'transfer',
    'line',
    'label',
    'count',
    'key',
    'page',
  ];
  const levels = n <= 12 ? 1 : Math.ceil(Math.log(n) / Math.log(10));
  let all: string[][] = [['root']];
  const groups: any[] = [];
  for (let l = 1; l < levels; l++) {
    const next: string[] = [];
    for (const g of all[l - 1]!)
      for (let i = 0; i < 10 && next.length < n / 10 ** (levels - l); i++) {
        const id = `g-${l}-${next.length}`;
        next.push(id);
        groups.push({
          id,
          parent: g,
          title: `${words[(i + l) % 12]} ${words[(i * 3 + next.length) % 12]}`,
          scope: 'x',
        });
      }
    all.push(next);
  }
  const leaf = all.at(-1)!;
  const lessons = Array.from({ length: n }, (_, i) => {
    const l = lessonOf(
      `l${String(i).padStart(6, '0')}`,
      `${words[i % 12]} ${words[(i >> 2) % 12]}: read it before you count ${i}`,
      null,
    );
    return {
      ...l,
      evidence: [{ ...l.evidence[0]!, harness: ['team', 'direct', 'react'][i % 3]! }],
    };
  });
  for (const lesson of lessons)
    ops.push({ type: 'add-lesson', lesson: { ...lesson, contentHash: lesson.contentHash } });
  ops.push({
    type: 'place',
    groups,
    assignments: lessons.map((l, i) => ({
      lesson: l.id,
      under: leaf[Math.floor(i / (n / leaf.length))]!,
    })),
  });
  for (let k = 0; k < leaf.length; k += 3) {
    const mine = lessons.filter((_, i) => Math.floor(i / (n / leaf.length)) === k).map((l) => l.id);
    if (leaf[k] !== 'root' && mine.length > 1)
      ops.push({
        type: 'consolidate',
        group: leaf[k]!,
        summary: {
          text: 'Read the key.',
          procedure: [],
          conditions: 'c',
          conflicts: [],
          supportedBy: k % 2 ? mine.slice(0, 2) : mine,
        },
      });
  }
  let head = EMPTY_LOG;
  head = await storage.banks.append(
    'big',
    head,
    makeEntries(
      head,
      ops.map((operation) => ({ operation, by: PERSON })),
      { step: 1, at: '2026-11-30T09:41:00.000Z' },
    ),
  );
}
for (const n of [10, 1000, 10000])
  test(`${n}`, { timeout: 120000 }, async () => {
    await page.viewport(1280, 900);
    const storage = await openTestStorage();
    await fill(storage, n);
    location.hash = '#/bank/big';
    const t0 = performance.now();
    const tasks: number[] = [];
    new PerformanceObserver((l) =>
      l.getEntries().forEach((e) => tasks.push(Math.round(e.duration))),
    ).observe({ entryTypes: ['longtask'] });
    const { bank, shell } = mountBank(storage);
    while (!document.querySelector('[role=treeitem]')) await new Promise((r) => setTimeout(r, 5));
    console.log(n, 'open ms', Math.round(performance.now() - t0));
    await new Promise((r) => setTimeout(r, 500));
    console.log(n, 'tasks', tasks.join(','));
    tasks.length = 0;
    const input = document.querySelector<HTMLInputElement>('[type=search]')!;
    for (const w of ['l', 'lo', 'loo', 'loop']) {
      const t = performance.now();
      input.value = w;
      input.dispatchEvent(new Event('input', { bubbles: true }));
      await new Promise((r) => requestAnimationFrame(() => setTimeout(r)));
      console.log('search', w, Math.round(performance.now() - t));
    }
    input.value = '';
    input.dispatchEvent(new Event('input', { bubbles: true }));
    const sc = document.querySelector('.scroller')!;
    for (let i = 1; i < 20; i++) {
      sc.scrollTop = (i * sc.scrollHeight) / 20;
      await new Promise((r) => requestAnimationFrame(r));
    }
    await new Promise((r) => setTimeout(r, 300));
    console.log(n, 'search+scroll tasks', tasks.join(','));
    sc.scrollTop = 0;
    bank.select(bank.tree!.nodes.has('g-1-0') ? 'g-1-0' : 'l000003');
    for (const [w, h] of [
      [1280, 900],
      [390, 844],
    ] as const)
      for (const theme of ['light', 'dark'] as const) {
        await page.viewport(w, h);
        shell.setTheme(theme);
        await new Promise((r) => setTimeout(r, 300));
        await page.screenshot({ path: `../../../.cache/shots/bank-${n}-${w}-${theme}.png` });
      }
  });
test('history', { timeout: 60000 }, async () => {
  const storage = await openTestStorage();
  await fillBank(storage);
  location.hash = '#/bank/history';
  const { bank, shell } = mountBank(storage);
  await new Promise((r) => setTimeout(r, 800));
  await bank.revert(3);
  await bank.redo();
  for (const [w, h] of [
    [1280, 900],
    [390, 844],
  ] as const)
    for (const theme of ['light', 'dark'] as const) {
      await page.viewport(w, h);
      shell.setTheme(theme);
      await new Promise((r) => setTimeout(r, 300));
      await page.screenshot({ path: `../../../.cache/shots/history-${w}-${theme}.png` });
    }
  await page.viewport(1280, 900);
  shell.setTheme('light');
  document.querySelector<HTMLInputElement>('input[type=checkbox]')!.click();
  await new Promise((r) => setTimeout(r, 300));
  await page.screenshot({ path: `../../../.cache/shots/history-pictures.png` });
  location.hash = '#/bank/metro/g1';
  await bank.append({
    type: 'consolidate',
    group: 'g1',
    summary: {
      text: 'Name the line from the key before you follow it.',
      procedure: ['Find the key.'],
      conditions: 'the question names a line',
      conflicts: [
        { lessons: ['l0', 'l2'], about: 'whether a dashed line runs by day', settled: null },
      ],
      supportedBy: ['l0', 'l1', 'l2'],
    },
  });
  await new Promise((r) => setTimeout(r, 500));
  await page.screenshot({ path: `../../../.cache/shots/conflict.png` });
  bank.select('l5');
  await new Promise((r) => setTimeout(r, 200));
  (document.querySelector('aside .actions button') as HTMLElement)?.click();
  await new Promise((r) => setTimeout(r, 200));
  await page.screenshot({ path: `../../../.cache/shots/edit.png` });
});
