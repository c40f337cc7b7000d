import { sourceOfAddress } from '../../core/models/hub-address.ts';
import type { ModelEntry } from '../../core/models/model-entry.ts';
import {
  ModelFileError,
  type HeldModel,
  type ModelSources,
} from '../../core/models/model-store.ts';
import type { Result } from '../../core/result.ts';
import { LibraryJobs } from './library-jobs.ts';
import { completedByHub, givenFor, hostsOf, shortOf, shortSentence } from './library-download.ts';
import {
  bytesHere,
  hereNow,
  listModels,
  NOTHING_HERE,
  sizeOf,
  type HereNow,
} from './library-list.ts';
import { sentenceOf, type ModelLibraryPorts } from './library-ports.ts';
import type { GivenFile, LibraryModel } from './model-standing.ts';
import { asFolder, modelAt, modelInFolder } from './new-model.ts';

const OFFLINE =
  'The Offline switch is on: nothing can be downloaded until you turn it off under Privacy.';

/**
 * Every model that Grove knows or a person added, and the work on their files. One model is brought in at
 * a time and one checked beside it; what else was asked for waits in order (`waiting`). No action throws
 * for what can be expected: a model's `problem`, or the library's, says it.
 */
export class ModelLibrary {
  /** Registered ones first, in the registry's order; then added ones by name. */
  models: readonly LibraryModel[] = $state.raw([]);
  /** false until `open` has looked. */
  isOpen = $state(false);
  /** Why a folder, a file or an address gave no model. */
  problem: string | null = $state(null);
  /** What the last action came to, where it does not show by itself. */
  outcome: string | null = $state(null);
  /** The address being read, or null. */
  reading: string | null = $state(null);
  /** What the browser still gives Grove, in bytes, about; null: not known. */
  freeBytes: number | null = $state(null);
  /** Bytes of all models on this device, begun ones included. */
  usedBytes = $state(0);
  /** What is at work, for the strip at the bottom. */
  readonly working: LibraryModel | null = $derived(
    this.models.find(({ standing: { type } }) => type === 'bringing' || type === 'checking') ??
      null,
  );

  readonly #ports: ModelLibraryPorts;
  readonly #jobs: LibraryJobs;
  #looks = 0;
  #here: HereNow = NOTHING_HERE;
  #swept: Promise<void> | null = null;

  constructor(ports: ModelLibraryPorts) {
    this.#ports = ports;
    this.#jobs = new LibraryJobs({
      changed: () => this.#show(),
      look: () => this.#look(),
      came: (id) => this.#here.partial.get(id)?.bytes ?? 0,
      sentenceOf,
      nowMs: () => ports.nowMs(),
    });
  }

  /** Looks at what is here. Cheap: sizes only. May be called again. */
  async open(): Promise<void> {
    try {
      // Once: later on, what was removed may still be put back.
      await (this.#swept ??= this.#ports.models.sweep());
      await this.#look();
    } catch (error) {
      this.problem = sentenceOf(error);
    }
    this.isOpen = true;
  }

  model(id: string): LibraryModel | undefined {
    return this.models.find(({ entry }) => entry.id === id);
  }

  /** Downloads a model, or goes on with it. Its host is let out from now on. */
  async download(entry: ModelEntry, { despiteRoom = false } = {}): Promise<void> {
    const { settings, hub, models } = this.#ports;
    if (!this.#mayDownload(entry)) return;
    for (const host of hostsOf(entry)) await settings.allow(host);
    const order = { entry, kind: 'download', sources: 'download' } as const;
    await this.#jobs.work(order, async (job, options) => {
      const { entry: whole, note } = await completedByHub(entry, hub, options.signal);
      job.entry = whole;
      this.#jobs.note(entry.id, { note });
      await this.#checkRoom(whole, despiteRoom);
      await models.add(whole, 'download', options);
    });
  }

  /** Stops bringing it in, for now; also one that waits. What came stays. */
  pause(id: string): void {
    this.#jobs.stop(id);
  }

  /** Goes on with what is paused or partial. */
  async resume(id: string): Promise<void> {
    const paused = this.#jobs.memos.get(id)?.paused ?? null;
    if (paused?.kind === 'repair') {
      await this.#repairFrom(id, paused.sources);
    } else if (paused !== null && paused.sources !== 'download') {
      await this.#takeIn(paused.entry, paused.sources, true);
    } else {
      const entry = paused?.entry ?? this.#here.partial.get(id)?.entry;
      if (entry !== undefined) await this.download(entry);
    }
  }

  /** Ends bringing it in and removes what came; an older one with its name stays. */
  async cancel(id: string): Promise<void> {
    await this.#jobs.end(id);
    await this.#telling(async () => {
      const partial = this.#here.partial.get(id);
      if (partial !== undefined) {
        await this.#ports.models.discard(id);
        this.outcome = `What had come of ${partial.entry.name} was removed.`;
      }
      await this.#look();
    });
  }

  /** Stops what is at work on it: bringing in is paused, a check is given up. */
  stop(id: string): void {
    this.#jobs.stop(id);
  }

  /** Reads every byte again and hashes it: it is `held` or `damaged` after that. */
  async verify(id: string): Promise<void> {
    const entry = this.#whole(id)?.entry;
    if (entry === undefined) return;
    await this.#jobs.work({ entry, kind: 'check', sources: 'download' }, (_, options) =>
      this.#ports.models.verify(id, options),
    );
  }

  /** Fetches the damaged files only; from `given` where they are given. */
  async repair(id: string, given?: readonly GivenFile[]): Promise<void> {
    const damaged = this.#here.damaged.get(id);
    if (damaged === undefined) return;
    const { entry } = damaged.model;
    if (given === undefined) {
      if (!this.#mayDownload(entry)) return;
      for (const host of hostsOf(entry)) await this.#ports.settings.allow(host);
    }
    const paths = damaged.damaged.map(({ path }) => path);
    await this.#repairFrom(id, given === undefined ? 'download' : givenFor(paths, given));
  }

  /** Removes a model; `putBack` brings it back for a while. Resolves, once it is listed as gone, with whether it is. */
  async remove(id: string): Promise<boolean> {
    const model = this.#whole(id);
    if (model === undefined) return false;
    const { name } = model.entry;
    const isUsed = (await this.#ports.encoderInUse()) === id;
    if (isUsed || this.#jobs.running.has(id)) {
      const problem = isUsed
        ? `Recall uses ${name}: choose another encoder before you remove it.`
        : `${name} is being worked on: stop that before you remove it.`;
      this.#jobs.note(id, { problem });
      return false;
    }
    const isGone = await this.#telling(async () => {
      await this.#ports.models.forget(id);
      this.#jobs.memos.delete(id);
      await this.#look();
    });
    if (isGone) void this.#sweepLater(model);
    return isGone;
  }

  async putBack(id: string): Promise<void> {
    await this.#telling(async () => {
      await this.#ports.models.putBack(id);
      await this.#look();
      if (this.#whole(id) === undefined) {
        this.problem = 'Its files are gone already: get it again.';
      }
    });
  }

  /** Takes a model in from a folder: no network at all. Paths are below the folder. Resolves when it is here. */
  async addFolder(name: string, given: readonly GivenFile[]): Promise<void> {
    const { registry } = this.#ports;
    const entry = await this.#made(name, () => modelInFolder(name, given, registry));
    if (entry === null) return;
    await this.#takeIn(entry, new Map(given.map(({ path, file }) => [path, file])), false);
  }

  /** The same from loose files: weights are looked for under `onnx/` as a folder has them. */
  async addFiles(given: readonly GivenFile[]): Promise<void> {
    const { name, files } = await asFolder(given);
    await this.addFolder(name, files);
  }

  /** Reads what a hub has at `https://host/owner/name[/tree/revision]` or `owner/name`, and lists it as `absent`. */
  async addByAddress(text: string): Promise<void> {
    const { registry, hub, settings, models } = this.#ports;
    const source = sourceOfAddress(text);
    this.problem = source.ok ? (settings.offline ? OFFLINE : null) : source.refusal.message;
    if (!source.ok || this.problem !== null || this.reading !== null) return;
    this.reading = text;
    const { host, repository } = source.value;
    const entry = await this.#made(`${new URL(host).host}/${repository}`, async () => {
      await settings.allow(host);
      return modelAt(source.value, hub, { registry, listed: this.models });
    });
    this.reading = null;
    if (entry === null) return;
    await this.#telling(async () => {
      if (this.#whole(entry.id) === undefined) await models.begin(entry);
      this.outcome = `${entry.name} is in the list: download it there.`;
      await this.#look();
    });
  }

  async #takeIn(entry: ModelEntry, sources: ReadonlyMap<string, Blob>, resume: boolean) {
    await this.#jobs.work({ entry, kind: 'folder', sources }, (_, options) =>
      this.#ports.models.add(entry, sources, { ...options, resume }),
    );
  }

  async #repairFrom(id: string, sources: ModelSources<Blob>): Promise<void> {
    const entry = this.#here.damaged.get(id)?.model.entry;
    if (entry === undefined) return;
    await this.#jobs.work({ entry, kind: 'repair', sources }, (_, options) =>
      this.#ports.models.repair(id, sources, options),
    );
  }

  #mayDownload(entry: ModelEntry): boolean {
    const isNowhere = entry.source === null;
    const problem = isNowhere
      ? `${entry.name} is downloaded from nowhere: add its folder again.`
      : this.#ports.settings.offline
        ? OFFLINE
        : null;
    if (problem !== null) this.#jobs.note(entry.id, { problem });
    return problem === null;
  }

  /** Throws ModelFileError where there seems to be too little room. */
  async #checkRoom(entry: ModelEntry, despiteRoom: boolean): Promise<void> {
    const came = this.#here.partial.get(entry.id)?.bytes ?? 0;
    const needed = Math.max(0, sizeOf(entry, came).of - came);
    const roomShortBytes = shortOf(needed, await this.#ports.models.freeBytes());
    if (roomShortBytes === null || despiteRoom) return;
    this.#jobs.note(entry.id, { roomShortBytes });
    throw new ModelFileError('no-room', shortSentence(entry, needed, roomShortBytes));
  }

  /** A model of which all files came once. */
  #whole(id: string): HeldModel | undefined {
    return this.#here.held.get(id) ?? this.#here.damaged.get(id)?.model;
  }

  async #sweepLater(model: HeldModel): Promise<void> {
    const { models, nextSweep, removed } = this.#ports;
    await nextSweep();
    if (this.#whole(model.entry.id) !== undefined) return;
    try {
      await models.sweep(model.entry.id);
      await removed(model);
    } catch (error) {
      this.problem = sentenceOf(error);
    }
  }

  async #look(): Promise<void> {
    const { models } = this.#ports;
    this.#looks += 1;
    const look = this.#looks;
    const [here, freeBytes] = await Promise.all([hereNow(models), models.freeBytes()]);
    // What a later look sees is newer, whichever ends first.
    if (look !== this.#looks) return;
    this.#here = here;
    this.freeBytes = freeBytes;
    this.#show();
  }

  #show(): void {
    const { running: jobs, memos } = this.#jobs;
    this.models = listModels(this.#ports.registry, this.#here, { jobs, memos });
    this.usedBytes = bytesHere(this.#here);
  }

  /** The model that a folder or an address holds; null, with the problem, where it holds none. */
  async #made(where: string, make: () => Promise<Result<ModelEntry>>): Promise<ModelEntry | null> {
    let made: ModelEntry | null = null;
    await this.#telling(async () => {
      const entry = await make();
      if (entry.ok) made = entry.value;
      else this.problem = `${where}: ${entry.refusal.message}`;
    });
    return made;
  }

  /** Runs `work`; an expected failure becomes the problem on screen. False where it did not go through. */
  async #telling(work: () => Promise<void>): Promise<boolean> {
    this.problem = null;
    this.outcome = null;
    try {
      await work();
      return true;
    } catch (error) {
      this.problem = sentenceOf(error);
      return false;
    }
  }
}
