import { expect, test } from 'vitest';
import { tinyEncoder } from '../../../models/tiny/encoder.mjs';
import type { ModelEntry } from '../../../src/core/models/model-entry.ts';
import type { HeldModel } from '../../../src/core/models/model-store.ts';
import { modelHub } from '../../../src/engine/files/model-hub.ts';
import { alone } from '../../../src/engine/files/model-lock.ts';
import { modelStore } from '../../../src/engine/files/model-store.ts';
import { ModelLibrary } from '../../../src/state/models/model-library.svelte.ts';
import { askedFor, damage, flakyEntry, SIZE } from '../engine/flaky-entry.ts';

const store = modelStore({ headers: {}, now: () => '2026-12-03T00:00:00.000Z' });
const THREE = ['config.json', 'onnx/model.onnx', 'tokenizer.json'];

interface Opened {
  readonly library: ModelLibrary;
  readonly allowed: string[];
  readonly removed: HeldModel[];
  /** Lets files of removed models go. */
  sweep(): void;
}

/** A library as a page that was just loaded has it. */
async function open(
  registry: readonly ModelEntry[],
  over: { offline?: boolean; freeBytes?: number; inUse?: string } = {},
): Promise<Opened> {
  const sweep = Promise.withResolvers<void>();
  const [allowed, removed]: [string[], HeldModel[]] = [[], []];
  const { freeBytes } = over;
  const library = new ModelLibrary({
    registry,
    models: freeBytes === undefined ? store : { ...store, freeBytes: async () => freeBytes },
    hub: modelHub({}),
    settings: {
      offline: over.offline ?? false,
      allow: async (origin) => void allowed.push(origin),
    },
    encoderInUse: async () => over.inUse ?? null,
    removed: async (model) => void removed.push(model),
    nextSweep: () => sweep.promise,
    nowMs: () => performance.now(),
  });
  await library.open();
  return { library, allowed, removed, sweep: () => sweep.resolve() };
}

const standing = (library: ModelLibrary, { id }: ModelEntry) => library.model(id)?.standing;

/** Once some of its bytes have come. */
const coming = (library: ModelLibrary, entry: ModelEntry) =>
  expect
    .poll(
      () => {
        const now = standing(library, entry);
        return now?.type === 'bringing' ? now.bytes : 0;
      },
      { interval: 5 },
    )
    .toBeGreaterThan(0);

test('a download counts bytes over all files, is paused, resumed by another page, and held', async () => {
  const entry = flakyEntry({ manner: 'slow', paths: THREE });
  const first = await open([entry]);
  expect(standing(first.library, entry)).toEqual({ type: 'absent' });
  const download = first.library.download(entry);
  await coming(first.library, entry);
  expect(first.allowed).toEqual([location.origin]);
  expect(first.library.working?.entry.id).toBe(entry.id);
  expect(standing(first.library, entry)).toMatchObject({
    kind: 'download',
    of: 3 * SIZE,
    files: 3,
  });
  first.library.pause(entry.id);
  await download;
  const paused = standing(first.library, entry);
  expect(paused).toMatchObject({ type: 'paused', of: 3 * SIZE, isExact: true });

  const { library } = await open([entry]);
  const partial = standing(library, entry);
  expect(partial).toMatchObject({ type: 'partial', from: 'download', isElsewhere: false });
  const came = partial?.type === 'partial' ? partial.bytes : 0;
  expect(came).toBe(paused?.type === 'paused' ? paused.bytes : -1);
  expect(came).toBeGreaterThan(0);
  const resumed = library.resume(entry.id);
  await coming(library, entry);
  const now = standing(library, entry);
  expect(now?.type === 'bringing' && now.bytes).toBeGreaterThanOrEqual(came);
  await resumed;
  expect(standing(library, entry)).toEqual({
    type: 'held',
    bytes: 3 * SIZE,
    files: 3,
    checkedAt: '2026-12-03T00:00:00.000Z',
    addedAt: '2026-12-03T00:00:00.000Z',
  });
  expect(library.usedBytes).toBeGreaterThanOrEqual(3 * SIZE);
});

test('one model is brought in at a time; one that waits can be paused; cancel removes what came', async () => {
  const [first, second] = [flakyEntry({ manner: 'slow' }), flakyEntry()];
  const { library } = await open([first, second]);
  const one = library.download(first);
  const two = library.download(second);
  await coming(library, first);
  expect(standing(library, second)).toEqual({ type: 'waiting', for: 'download' });
  library.pause(second.id);
  await two;
  expect(standing(library, second)).toMatchObject({ type: 'paused', bytes: 0 });
  const again = library.resume(second.id);
  await library.cancel(first.id);
  await one;
  expect(library.outcome).toContain('What had come of');
  expect(standing(library, first)).toEqual({ type: 'absent' });
  await again;
  expect(standing(library, second)).toMatchObject({ type: 'held' });
});

test('a dropped connection, a missing file and a wrong one each leave their own sentence and a way on', async () => {
  const dropped = flakyEntry({ drops: 1 });
  const wrong = flakyEntry({ over: { sha256: '0'.repeat(64) } });
  const gone = flakyEntry();
  const missing = {
    ...gone,
    source: gone.source && { ...gone.source, repository: 'nothing' },
  };
  const { library } = await open([dropped, wrong, missing]);
  for (const entry of [dropped, wrong, missing]) await library.download(entry);
  expect(library.model(dropped.id)).toMatchObject({
    standing: { type: 'partial' },
    problem: expect.stringContaining('The connection broke off. What came is kept: go on.'),
  });
  expect(library.model(wrong.id)).toMatchObject({
    standing: { type: 'absent' },
    problem: expect.stringContaining('its hash is another'),
  });
  expect(library.model(missing.id)?.problem).toContain('answered 404');
  await library.resume(dropped.id);
  expect(library.model(dropped.id)).toMatchObject({ standing: { type: 'held' }, problem: null });
});

test('a damaged model is not used, is found by verify, and only its damaged file is fetched', async () => {
  const entry = flakyEntry({ paths: THREE });
  const { library } = await open([entry]);
  await library.download(entry);
  await damage(entry, 'change', 'tokenizer.json');
  const verifying = library.verify(entry.id);
  await expect.poll(() => standing(library, entry)?.type, { interval: 1 }).toBe('checking');
  await verifying;
  expect(library.model(entry.id)).toMatchObject({
    held: null,
    standing: {
      type: 'damaged',
      files: [{ path: 'tokenizer.json', why: 'hash' }],
      canDownload: true,
    },
  });
  // Another page sees it without another check, and a cut file at once.
  await damage(entry, 'cut', 'config.json');
  const again = await open([entry]);
  expect(standing(again.library, entry)).toMatchObject({
    files: [
      { path: 'config.json', why: 'size' },
      { path: 'tokenizer.json', why: 'hash' },
    ],
  });
  const before = (await askedFor(entry)).length;
  await again.library.repair(entry.id);
  expect((await askedFor(entry)).slice(before)).toEqual(['config.json', 'tokenizer.json']);
  expect(standing(again.library, entry)?.type).toBe('held');
});

test('offline, in use, in another tab, without room: each is said, and nothing is begun', async () => {
  const entry = flakyEntry();
  const offline = await open([entry], { offline: true });
  await offline.library.download(entry);
  expect(offline.library.model(entry.id)?.problem).toContain('The Offline switch is on');
  await offline.library.addByAddress(`${location.origin}/hub-tiny/encoder`);
  expect(offline.library.problem).toContain('The Offline switch is on');
  expect(offline.allowed).toEqual([]);

  const full = await open([entry], { freeBytes: SIZE / 2 });
  await full.library.download(entry);
  expect(full.library.model(entry.id)).toMatchObject({
    standing: { type: 'absent' },
    roomShortBytes: SIZE / 2,
    problem: expect.stringContaining('about 500 kB are missing'),
  });
  expect(await askedFor(entry)).toEqual([]);

  await alone(entry.id, async () => {
    await full.library.download(entry, { despiteRoom: true });
    expect(full.library.model(entry.id)?.problem).toContain('Another tab of Grove is at work');
  });
  await full.library.download(entry, { despiteRoom: true });
  expect(standing(full.library, entry)?.type).toBe('held');

  const used = await open([entry], { inUse: entry.id });
  expect(await used.library.remove(entry.id)).toBe(false);
  expect(used.library.model(entry.id)?.problem).toContain('choose another encoder');
});

test('a removed model can be put back until its files go; then what was made by it goes too', async () => {
  const entry = flakyEntry();
  const { library, removed, sweep } = await open([entry]);
  await library.download(entry);
  expect(await library.remove(entry.id)).toBe(true);
  expect(standing(library, entry)).toEqual({ type: 'absent' });
  await library.putBack(entry.id);
  expect(standing(library, entry)?.type).toBe('held');
  await library.remove(entry.id);
  sweep();
  await expect.poll(() => removed.map((model) => model.entry.id)).toEqual([entry.id]);
  await library.putBack(entry.id);
  expect(library.problem).toContain('gone already');
});

const tinyFiles = () =>
  [...tinyEncoder()].map(([path, bytes]) => ({ path, file: new Blob([bytes]) }));

test('a folder and loose files are taken in without network; what is missing is named', async () => {
  const { library, allowed } = await open([]);
  await library.addFolder('library tiny', tinyFiles());
  expect(library.problem).toBeNull();
  expect(library.model('library-tiny')).toMatchObject({
    isRegistered: false,
    standing: { type: 'held' },
    held: { entry: { notes: expect.stringContaining('Added from a folder') } },
  });
  await library.addFolder('empty', []);
  expect(library.problem).toContain('it lacks config.json, tokenizer.json, onnx/');
  const loose = tinyFiles()
    .filter(({ path }) => !path.startsWith('1_Pooling'))
    .map(({ path, file }) => ({ path: path.split('/').at(-1) ?? '', file }));
  await library.addFiles(loose.filter(({ path }) => path !== 'tokenizer.json'));
  expect(library.problem).toContain('it lacks tokenizer.json');
  await library.addFiles(loose);
  expect(library.problem).toBeNull();
  expect(library.model('added-model')?.standing.type).toBe('held');
  expect(allowed).toEqual([]);
});

test('a model at an address is listed with its sizes and hashes, downloaded, and kept in the list', async () => {
  const { library, allowed } = await open([]);
  const { host } = location;
  await library.addByAddress('not an address');
  expect(library.problem).toContain('Give https://host/owner/name');
  await library.addByAddress(`${location.origin}/hub-tiny/nothing`);
  expect(library.problem).toContain(`${host} answered 404`);
  await library.addByAddress(`${location.origin}/hub-tiny/no-tokenizer`);
  expect(library.problem).toContain('it lacks tokenizer.json');
  await library.addByAddress(`${location.origin}/hub-tiny/no-list`);
  expect(library.problem).toContain('something else than a list of files');
  await library.addByAddress(`${location.origin}/hub-tiny/encoder/tree/main`);
  expect(library.problem).toBeNull();
  expect(new Set(allowed)).toEqual(new Set([location.origin]));
  const added = library.model('encoder');
  expect(added).toMatchObject({ isRegistered: false, standing: { type: 'absent' } });
  const weights = added?.entry.files.find(({ path }) => path.endsWith('.onnx'));
  expect(weights?.sha256).toMatch(/^[0-9a-f]{64}$/u);
  const again = await open([]);
  const entry = again.library.model('encoder')?.entry;
  if (entry === undefined) throw new Error('it was to be kept in the list');
  await again.library.download(entry);
  expect(again.library.model('encoder')).toMatchObject({
    problem: null,
    standing: { type: 'held' },
  });
});

test('where a hub’s list cannot be read, a model comes by what the registry knows, and that is said', async () => {
  const files = [...tinyEncoder()].map(([path]) => ({ path, bytes: null, sha256: null }));
  const source = { host: location.origin, repository: 'hub-tiny/no-list', revision: 'main' };
  const entry = { ...flakyEntry(), source, files };
  const webLlm: ModelEntry = {
    ...entry,
    ...{ id: 'sharded', name: 'Sharded', roles: ['text'], runtime: 'web-llm', otherwise: null },
    ...{ dtype: { webgpu: 'compiled' }, requires: [], memoryBytes: 1 },
    language: {
      ...{ architecture: 'causal', context: 4096, promptBudget: 2000, images: null },
      ...{ library: 'lib.wasm', selfTest: null },
    },
  };
  const { library } = await open([entry, webLlm]);
  await library.download(entry);
  expect(library.model(entry.id)).toMatchObject({
    standing: { type: 'held' },
    note: expect.stringContaining('could not be read'),
  });
  // Its weights are named there only.
  await library.download(webLlm);
  expect(library.model('sharded')).toMatchObject({
    standing: { type: 'absent' },
    problem: expect.stringContaining('nothing was downloaded'),
  });
});
