import { mount, tick, unmount } from 'svelte';
import axe from 'axe-core';
import { onTestFinished } from 'vitest';
import type { BankLog } from '../../../src/core/bank/lineage/fork.ts';
import { makeEntries, EMPTY_LOG } from '../../../src/core/bank/log.ts';
import { lessonContentHash, type Lesson } from '../../../src/core/bank/node.ts';
import {
  defaultManifest,
  type BankManifest,
  type Operation,
} from '../../../src/core/bank/operation.ts';
import type { Crop } from '../../../src/core/memory.ts';
import type { LessonDraft } from '../../../src/core/run.ts';
import { makeImageUrls } from '../../../src/media/object-urls.ts';
import { BankState, PERSON, type BankPorts } from '../../../src/state/bank.svelte.ts';
import { makeBankLoader } from '../../../src/state/bank-loader.ts';
import { systemClock } from '../../../src/state/clock.ts';
import { ulidSource } from '../../../src/state/ids.ts';
import { openRecall } from '../../../src/compose-recall.ts';
import { EraserState } from '../../../src/state/eraser.svelte.ts';
import { ExchangeState } from '../../../src/state/exchange.svelte.ts';
import { LineageState } from '../../../src/state/lineage.svelte.ts';
import { RecallTrial } from '../../../src/state/recall-trial.svelte.ts';
import { ShellState } from '../../../src/state/shell.svelte.ts';
import { openStorage, type GroveStorage } from '../../../src/storage/open-storage.ts';
import OneBank from './OneBank.svelte';

const AT = '2026-11-30T09:41:00.000Z';

/** A database of its own for one test. */
export async function openTestStorage(): Promise<GroveStorage> {
  const name = `ui-${crypto.randomUUID()}`;
  const storage = await openStorage({ name });
  onTestFinished(async () => {
    await storage.close();
    indexedDB.deleteDatabase(name);
  });
  return storage;
}

/** A drawn picture and a crop of it, stored. */
async function storePictures(storage: GroveStorage): Promise<Crop> {
  const draw = async (width: number, height: number) => {
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('no canvas');
    context.fillStyle = '#fbfaf5';
    context.fillRect(0, 0, width, height);
    context.fillStyle = '#148a84';
    context.fillRect(width / 8, height / 3, width / 2, 8);
    const blob = await canvas.convertToBlob({ type: 'image/png' });
    return storage.blobs.put(new Uint8Array(await blob.arrayBuffer()), 'image/png');
  };
  return {
    hash: await draw(240, 160),
    mediaType: 'image/png',
    width: 240,
    height: 160,
    sourceHash: await draw(720, 480),
    sourceWidth: 720,
    sourceHeight: 480,
    box: [0.5, 0.5, 0.8333, 0.8333],
  };
}

export function lessonOf(id: string, title: string, crop: Crop | null): Lesson {
  const content = {
    title,
    guidance: `${title}. Read the key first, then trace the line.`,
    appliesWhen: 'the question names a line',
    cautions: ['A key may list only day services.'],
    topic: 'transit maps',
    scope: 'maps with a key',
    anchor: 'How many stops from Weir to Fenwick on Quay?',
    crop,
  };
  return {
    kind: 'lesson',
    id,
    parent: null,
    content,
    contentHash: lessonContentHash(content),
    evidence: [evidenceOf(id)],
    status: 'active',
    trust: 'trusted',
    revises: null,
  };
}

function evidenceOf(id: string) {
  return {
    taskId: `task-${id}`,
    runId: `run-${id}`,
    attempt: 2,
    harness: 'team',
    backbone: 'simulated',
    model: 'metro-simulator',
    tool: 'answer',
    at: AT,
    feedback: 'reference' as const,
    strength: 'verified' as const,
    supports: true,
  };
}

export function draftOf(id: string, title: string, crop: Crop | null): LessonDraft {
  const { content } = lessonOf(id, title, crop);
  return {
    id,
    runId: `run-${id}`,
    bankId: 'metro',
    content,
    source: evidenceOf(id),
    heldFor: 'asked-for',
  };
}

/** A bank of six lessons in two groups, one of them a rule, with two drafts in its inbox. */
export async function fillBank(
  storage: GroveStorage,
  over: Partial<BankManifest> = {},
): Promise<void> {
  const crop = await storePictures(storage);
  const titles = [
    'Two teal lines: find the name in the key',
    'Via-stations in the key settle the branch',
    'A dashed line is a night service',
    'The boarding station is not a stop',
    'A capsule joining two lines is one station',
    'Follow the arrows, even the long way round',
  ];
  const lessons = titles.map((title, index) =>
    lessonOf(`l${index}`, title, index === 3 ? null : crop),
  );
  const place = (group: string, title: string, ids: readonly string[]): Operation => ({
    type: 'place',
    groups: [{ id: group, parent: 'root', title, scope: title }],
    assignments: ids.map((lesson) => ({ lesson, under: group })),
  });
  const operations: Operation[][] = [
    [
      ...lessons.slice(0, 3).map((lesson) => ({ type: 'add-lesson' as const, lesson })),
      place('g1', 'Legend and line identity', ['l0', 'l1', 'l2']),
    ],
    [
      ...lessons.slice(3).map((lesson) => ({ type: 'add-lesson' as const, lesson })),
      place('g2', 'Counting stops', ['l3', 'l4', 'l5']),
    ],
    [
      {
        type: 'consolidate',
        group: 'g1',
        summary: {
          text: 'Name the line from the key before you follow it.',
          procedure: ['Find the key.', 'Read where the line runs.'],
          conditions: 'the question names a line',
          conflicts: [],
          supportedBy: ['l0', 'l1', 'l2'],
        },
      },
    ],
  ];
  const manifest = defaultManifest({ id: 'metro', name: 'metro', createdAt: AT });
  await storage.banks.createBank({ ...manifest, ...over });
  let head = EMPTY_LOG;
  for (const [index, batch] of operations.entries()) {
    const steps = batch.map((operation) => ({ operation, by: PERSON }));
    head = await storage.banks.append(
      'metro',
      head,
      makeEntries(head, steps, { step: index + 1, at: AT }),
    );
  }
  await storage.runs.putDraft(
    draftOf('d1', 'A one-way loop can make the near station the far one', crop),
  );
  await storage.runs.putDraft(draftOf('d2', 'The card on the right lists the fares', null));
}

/** The bank's ports over real storage; accepting is left to who needs it. */
export function bankPorts(storage: GroveStorage): BankPorts {
  return {
    banks: storage.banks,
    loader: makeBankLoader(storage.banks),
    runs: storage.runs,
    clock: systemClock(),
    ids: ulidSource(),
    watchBanks: (tell) => storage.watch.banks().subscribe((banks) => banks && tell(banks)),
    watchDrafts: (bankId, tell) =>
      storage.watch.drafts(bankId).subscribe((drafts) => drafts && tell(drafts)),
    async *accept() {
      throw new Error('this test accepts nothing');
    },
  };
}

/** The Bank page in this document, over real storage. */
export function mountBank(storage: GroveStorage): {
  shell: ShellState;
  bank: BankState;
  exchange: ExchangeState;
  /** Files that were handed to the person. */
  downloads: readonly { readonly file: Blob; readonly name: string }[];
  /** Takes the page away before the test ends. */
  close(): Promise<void>;
} {
  const shell = new ShellState({
    readHash: () => location.hash.slice(1),
    dataGoesTo: () => ({ label: 'On this device', remote: false, offline: false }),
    activity: () => null,
    readTheme: () => 'system',
    keepTheme: () => undefined,
  });
  const bank = new BankState(bankPorts(storage));
  const images = makeImageUrls(storage.blobs);
  const ids = ulidSource();
  const clock = systemClock();
  const nextId = () => ids.next();
  const downloads: { readonly file: Blob; readonly name: string }[] = [];
  const download = (file: Blob, name: string) => void downloads.push({ file, name });
  const exchange = new ExchangeState({ ...storage, clock, nextId, download });
  const addBank = async ({ manifest, log }: BankLog) => {
    await storage.banks.createBank(manifest);
    await storage.banks.append(manifest.id, EMPTY_LOG, log);
  };
  const lineage = new LineageState({ ...storage, clock, nextId, addBank });
  const eraser = new EraserState({ ...storage, clock });
  let opened: ReturnType<typeof openRecall> | undefined;
  const recall = async () => {
    opened ??= openRecall({
      storage,
      loader: makeBankLoader(storage.banks),
      downloadHeaders: {},
      policy: { offline: true, allow: async () => undefined },
    });
    return (await opened).recall;
  };
  const trial = new RecallTrial({ recall, nowMs: () => performance.now() });
  const props = { shell, bank, exchange, lineage, eraser, trial, images };
  const app = mount(OneBank, { target: document.body, props });
  let mounted = true;
  const close = async () => {
    if (mounted) await unmount(app);
    mounted = false;
  };
  onTestFinished(async () => {
    await close();
    images.close();
    location.hash = '';
    delete document.documentElement.dataset['theme'];
  });
  return { shell, bank, exchange, downloads, close };
}

/** What axe finds serious or critical, in words; none is an empty list. */
export async function axeProblems(): Promise<readonly string[]> {
  await tick();
  // Colours that are still changing have a contrast of their own.
  await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
  const { violations } = await axe.run(document, { resultTypes: ['violations'] });
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
