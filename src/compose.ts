/** The rest of the composition root: builds the adapters and mounts the app; `main.ts` opened the gate. */
import { mount } from 'svelte';
import type { BankLog } from './core/bank/lineage/fork.ts';
import { EMPTY_LOG, verifyLog } from './core/bank/log.ts';
import type { Retrieve } from './core/evolve/run-ports.ts';
import type { BankRecall } from './core/recall/recalled-bank.ts';
import { referenceGrader } from './core/evolve/reference-grader.ts';
import type { Organizer } from './core/organize/organizer.ts';
import { memoryModelOf, type ModelReference } from './core/run-roles.ts';
import type { RunConfig } from './core/run.ts';
import { backboneOf, loadSample, LOCAL, pause } from './compose-backbones.ts';
import { lazily } from './compose-lazily.ts';
import type { Gate } from './gate/gate.ts';
import { ledgerEntrySchema } from './gate/ledger-entry.ts';
import { originOf } from './gate/policy.ts';
import { MODEL_DOWNLOAD, PURPOSE_HEADER } from './gate/protocol.ts';
import { makeImageUrls } from './media/object-urls.ts';
import { makeEndpointBook, type EndpointBook } from './remote/endpoint-book.ts';
import { normalizeBaseUrl, type EndpointProfile } from './remote/endpoint-profile.ts';
import { makeBankLoader } from './state/bank-loader.ts';
import { BankState } from './state/bank.svelte.ts';
import { systemClock } from './state/clock.ts';
import { ulidSource } from './state/ids.ts';
import { LocalModels } from './state/models/local-models.svelte.ts';
import type { SettingsPorts } from './state/settings-ports.ts';
import { SettingsState } from './state/settings.svelte.ts';
import { ShellState, type Activity, type Theme } from './state/shell.svelte.ts';
import { SolveState } from './state/solve.svelte.ts';
import { openStorage, type GroveStorage } from './storage/open-storage.ts';
import App from './ui/App.svelte';
import { bytes } from './ui/parts/format.ts';

/** How long after the start Grove's files are fetched for offline use, in milliseconds. */
const SETTLE_MS = 2000;
const THEME_KEY = 'grove.theme';

/** Builds the adapters over an open gate and mounts the app. Throws where storage cannot be opened. */
export async function startApp(target: HTMLElement, gate: Gate): Promise<void> {
  mountApp(target, gate, await openStorage());
}

function mountApp(target: HTMLElement, gate: Gate, storage: GroveStorage): void {
  const clock = systemClock();
  const ids = ulidSource();
  const book = makeEndpointBook(storage.settings);
  const settings = new SettingsState(settingsPorts(gate, storage, { book, ids, clock }));
  const loader = makeBankLoader(storage.banks);
  const keeping = lazily(async () => {
    const { makeBankKeeper } = await import('./state/bank-keeper.ts');
    return makeBankKeeper({ ...storage, loader, ids, clock, organizing });
  });
  const recallParts = lazily(async () => {
    const { openRecall, encoderActivity } = await import('./compose-recall.ts');
    const parts = await openRecall({
      storage,
      loader,
      downloadHeaders: { [PURPOSE_HEADER]: MODEL_DOWNLOAD },
      policy: {
        get offline() {
          return gate.policy.offline;
        },
        allow: (origin) => gate.allow(origin),
      },
    });
    shell.addActivity(() => encoderActivity(parts.encoders));
    local.listTo(parts.library);
    return parts;
  });
  const recalling = async () => (await recallParts()).recall;
  const local = new LocalModels();
  const modelParts = lazily(async () => {
    const [{ openModels }, { models }] = await Promise.all([
      import('./compose-models.ts'),
      recallParts(),
    ]);
    const parts = openModels({ store: models, blobs: storage.blobs, own: () => local.own });
    // A model that computes wrongly loses its roles, whoever asked for it.
    parts.rack.watch((states) => {
      const isWrong = [...states.values()].some(
        (state) => state.type === 'failed' && state.code === 'wrong-answer',
      );
      if (isWrong) void modelsPage().then((page) => page.open());
    });
    return parts;
  });
  const knowBackbones = lazily(async () => {
    const [{ hasModels }, { browserModel }] = await Promise.all([
      import('./engine/files/model-folder.ts'),
      import('./engine/prompt-api/prompt-api-entry.ts'),
    ]);
    local.own = (await browserModel())?.entry ?? null;
    if (await hasModels()) await (await recallParts()).library.open();
  });
  const modelsPage = lazily(async () => {
    const [{ openModelsPage }, recall, { rack }] = await Promise.all([
      import('./compose-models-page.ts'),
      recallParts(),
      modelParts(),
    ]);
    const own = () => local.own;
    return openModelsPage({ recall, rack, solve, settings: storage.settings, own, shell });
  });
  const backbone = (model: ModelReference) =>
    backboneOf(model, {
      ...{ settings, gate, storage, book, models: modelParts },
      isFast: () => solve.sample.fast,
    });
  const memory = lazily(() => import('./compose-memory.ts'));
  /** Who keeps a run's memory in a role; null: the rules. */
  const memoryModel = async (config: RunConfig, role: 'controller' | 'organizer') => {
    const wanted = memoryModelOf(config, role);
    if (wanted === null) return null;
    const { backbone: id, model } = wanted;
    const { memoryByEndpoint, memoryByEntry, unknownMemory } = await memory();
    if (id.startsWith(LOCAL)) {
      const entry = await (await modelParts()).entry(id.slice(LOCAL.length));
      return entry === undefined ? unknownMemory(model) : memoryByEntry(entry);
    }
    const endpoint = settings.endpoints.find((one) => id === `endpoint:${one.id}`);
    if (endpoint === undefined) return unknownMemory(model);
    return memoryByEndpoint(endpoint, model === '' ? endpoint.model : model);
  };
  const organizing = async (config: RunConfig) => {
    const { organizerOf } = await memory();
    const wanted = memoryModelOf(config, 'organizer');
    const model = await memoryModel(config, 'organizer');
    return {
      organizer: organizerOf(model, config),
      backbone: model === null || wanted === null ? null : backbone(wanted),
    };
  };
  const erasing = lazily(async () => {
    const { EraserState } = await import('./state/eraser.svelte.ts');
    return new EraserState({ ...storage, clock });
  });
  const solve: SolveState = new SolveState({
    ...storage,
    clock,
    ids,
    eraser: erasing,
    cropper: {
      async crop(image, box, signal) {
        const { makeCropper } = await import('./media/cropper.ts');
        return makeCropper(storage.blobs).crop(image, box, signal);
      },
    },
    retrieve: retrieveBy(recalling, async (config) => (await organizing(config)).organizer),
    controller: async (config) =>
      (await memory()).controllerOf(await memoryModel(config, 'controller'), config),
    grader: referenceGrader(storage.references),
    backbone,
    knowBackbones,
    backbones: () => [
      {
        id: 'simulated',
        label: 'Simulated solver: no model',
        model: 'metro-simulator',
        device: 'this-device',
        keepsMemory: false,
      },
      ...settings.endpoints.map(({ id, name, model }) => ({
        id: `endpoint:${id}`,
        label: `${model} at ${name}`,
        model,
        device: 'remote' as const,
        keepsMemory: true,
      })),
      ...local.held.map(({ id, name }) => ({
        id: `${LOCAL}${id}`,
        label: `${name} on this device`,
        model: name,
        device: 'this-device' as const,
        keepsMemory: true,
      })),
    ],
    media: {
      isPdf: async (file) => (await import('./media/load-image.ts')).isPdf(file),
      async loadImage(file, signal) {
        const { loadImage } = await import('./media/load-image.ts');
        return loadImage(file, { blobs: storage.blobs, signal });
      },
      async openPdf(file, signal) {
        const { openPdf } = await import('./media/pdf.ts');
        const pdf = await openPdf(file, signal);
        return {
          name: pdf.name,
          pages: pdf.pages,
          thumbnail: (page, abort) => pdf.thumbnail(page, abort),
          load: async (page, abort) => ({
            image: await pdf.load(page, { blobs: storage.blobs, signal: abort }),
            notes: [],
          }),
          close: () => void pdf.close(),
        };
      },
    },
    loadSample,
    async acceptDrafts(bankId, drafts, config) {
      const keeper = await keeping();
      const { signal } = new AbortController();
      const lines = keeper.accept(bankId, drafts, { config, signal });
      for (;;) {
        const next = await lines.next();
        if (next.done === true) return next.value;
      }
    },
    getSetting: (key) => storage.settings.get(key),
    setSetting: (key, value) => storage.settings.set(key, value),
    pause,
  });
  const bank = new BankState({
    banks: storage.banks,
    loader,
    runs: storage.runs,
    clock,
    ids,
    watchBanks: (tell) => storage.watch.banks().subscribe((banks) => banks && tell(banks)),
    watchDrafts: (bankId, tell) =>
      storage.watch.drafts(bankId).subscribe((drafts) => drafts && tell(drafts)),
    async *accept(bankId, drafts, signal) {
      const [keeper] = await Promise.all([keeping(), knowBackbones()]);
      yield* keeper.accept(bankId, drafts, { config: solve.runConfig, signal });
    },
  });
  const bankTools = lazily(async () => {
    const [{ ExchangeState }, { LineageState }, { RecallTrial }, eraser] = await Promise.all([
      import('./state/exchange.svelte.ts'),
      import('./state/lineage.svelte.ts'),
      import('./state/recall-trial.svelte.ts'),
      erasing(),
    ]);
    const nextId = () => ids.next();
    return {
      eraser,
      trial: new RecallTrial({ recall: recalling, nowMs: () => performance.now() }),
      exchange: new ExchangeState({ ...storage, clock, nextId, download }),
      lineage: new LineageState({
        ...storage,
        clock,
        nextId,
        addBank: (added) => addBank(storage, ids.next(), added),
      }),
    };
  });
  const shell: ShellState = new ShellState({
    readHash: () => location.hash.slice(1),
    dataGoesTo: () => dataGoesTo(settings, solve),
    activity: () => activityOf(solve),
    readTheme,
    keepTheme: (theme) => localStorage.setItem(THEME_KEY, theme),
  });
  gate.drainLedger((entry) => storage.ledger.append(entry));
  settings.open();
  void storage.persist();
  setTimeout(() => {
    gate.settled();
    void knowBackbones();
  }, SETTLE_MS);
  void solve.open();
  mount(App, {
    target,
    props: {
      shell,
      images: makeImageUrls(storage.blobs),
      solve,
      bank,
      bankTools,
      settings,
      recallEncoders: async () => (await recallParts()).encoders,
      models: modelsPage,
      commands: () => [
        { label: 'Try the metro sample', run: () => void solve.playSample(true) },
        { label: 'New task', run: () => void solve.newTask() },
        {
          label: 'Switch theme',
          run: () => shell.setTheme(shell.theme === 'dark' ? 'light' : 'dark'),
        },
        {
          label: settings.policy.offline ? 'Go online' : 'Go offline',
          run: () => void settings.setOffline(!settings.policy.offline),
        },
      ],
      foot: () => {
        const { usage } = settings;
        return usage === null
          ? ''
          : `${bytes(usage.usedBytes)} kept here of ${bytes(usage.quotaBytes)} allowed`;
      },
    },
  });
}

/** A bank with its whole log, staged first, so that it is there whole or not at all. */
async function addBank(
  { banks }: GroveStorage,
  stagingId: string,
  { manifest, log }: BankLog,
): Promise<void> {
  await banks.createStaging(stagingId, manifest);
  try {
    await banks.append(stagingId, EMPTY_LOG, log);
    await banks.publish(stagingId, null);
  } catch (error) {
    await banks.deleteBank(stagingId);
    throw error;
  }
}

function retrieveBy(
  recalling: () => Promise<BankRecall>,
  organizer: (config: RunConfig) => Promise<Organizer>,
): Retrieve {
  return async function* (input, caller) {
    const [recall, { makeRetrieve }] = await Promise.all([
      recalling(),
      import('./core/recall/retrieve.ts'),
    ]);
    return yield* makeRetrieve({ recall, organizer })(input, caller);
  };
}

function settingsPorts(
  gate: Gate,
  storage: GroveStorage,
  {
    book,
    ids,
    clock,
  }: { book: EndpointBook } & Pick<SettingsPorts, 'ids'> & {
      clock: ReturnType<typeof systemClock>;
    },
): SettingsPorts {
  const connection = async (profile: EndpointProfile, key: string | null) => ({
    profile,
    apiKey: key ?? (await book.keyOf(profile.id)),
    fetch: gate.fetch('connection test'),
    nowMs: Date.now,
    pageOrigin: location.origin,
  });
  return {
    ids,
    endpoints: {
      ...book,
      normalize: normalizeBaseUrl,
      async listModels(endpoint, key, signal) {
        const { listModels } = await import('./remote/list-models.ts');
        return listModels({ ...(await connection(endpoint, key)), signal });
      },
      async *test(endpoint, key, signal) {
        const { testConnection } = await import('./remote/test-connection.ts');
        yield* testConnection({ ...(await connection(endpoint, key)), signal });
      },
    },
    gate: {
      get policy() {
        return gate.policy;
      },
      setOffline: (offline) => gate.setOffline(offline),
      allow: (origin) => gate.allow(origin),
      disallow: (origin) => gate.disallow(origin),
      onPolicy: (listener) => gate.onPolicy(listener),
      originOf,
    },
    ledger: {
      watch: (limit, tell) =>
        storage.watch.ledger(limit).subscribe((records) => {
          if (records === undefined) return;
          tell(records.flatMap((record) => ledgerEntrySchema.safeParse(record).data ?? []));
        }),
      clear: () => storage.ledger.clear(),
    },
    kept: {
      watchUsage: (tell) => storage.watch.usage().subscribe((usage) => usage && tell(usage)),
      persist: () => storage.persist(),
      async backUp({ signal, onProgress }) {
        const made = await storage.backUp({ now: clock.now(), signal, onProgress });
        const at = clock.now();
        const fileName = `grove-${at.slice(0, 10)}.zip`;
        await storage.exports.note({ kind: 'back-up', bankId: null, fileName, at, head: null });
        download(made.file, fileName);
        return made;
      },
      restore: (file, { signal, onProgress, mode }) =>
        storage.restore(file, { mode, signal, onProgress, verify: verifyLog }),
      async eraseEverything() {
        const erased = await storage.eraseEverything();
        if (!erased.ok) return erased;
        const { removeAllModels } = await import('./engine/files/model-folder.ts');
        await removeAllModels();
        for (const origin of gate.policy.allowed) await gate.disallow(origin);
        localStorage.removeItem(THEME_KEY);
        return erased;
      },
      reload: () => location.reload(),
    },
  };
}

/** Where data would go: nowhere, or to the hosts of the endpoints that are chosen or at work. */
function dataGoesTo(settings: SettingsState, solve: SolveState) {
  const { offline } = settings.policy;
  if (offline) return { label: 'On this device, offline', remote: false, offline };
  const { backbone, controller, organizer } = solve.runner.record?.config ?? {
    backbone: solve.config.backbone,
    controller: solve.keeperOf('controller'),
    organizer: solve.keeperOf('organizer'),
  };
  const chosen = [backbone, controller, organizer];
  const hosts = settings.endpoints
    .filter(({ id }) => chosen.includes(`endpoint:${id}`))
    .map(({ baseUrl }) => new URL(baseUrl).host);
  if (hosts.length === 0) return { label: 'On this device', remote: false, offline };
  return { label: `Sends to ${[...new Set(hosts)].join(' and ')}`, remote: true, offline };
}

function activityOf(solve: SolveState): Activity | null {
  const { runner } = solve;
  const { view } = runner;
  if (!runner.busy) return null;
  const { live, totals } = view;
  const role = live?.role ?? 'memory';
  const used = [totals.solving, totals.memory];
  return {
    role: role.charAt(0).toUpperCase() + role.slice(1),
    model: live?.backbone ?? view.config?.model ?? '',
    phase: live === null || live.attempt === 0 ? 'at work' : `attempt ${live.attempt}`,
    tokens: used.reduce(
      (sum, { usage }) => sum + usage.promptTokens + usage.completionTokens,
      Math.ceil((live?.text.length ?? 0) / 4),
    ),
    elapsedMs: used.reduce((sum, { durationMs }) => sum + durationMs, 0),
    progress: null,
    stop: () => void solve.stop(),
  };
}

function download(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function readTheme(): Theme {
  const kept = localStorage.getItem(THEME_KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}
