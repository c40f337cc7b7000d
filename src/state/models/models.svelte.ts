import type { Json } from '../../core/canonical.ts';
import { deviceOf, loadWarnings, type DeviceFacts } from '../../core/models/device-facts.ts';
import { EngineError } from '../../core/models/engine.ts';
import {
  isLanguageEntry,
  type LanguageEntry,
  type ModelEntry,
} from '../../core/models/model-entry.ts';
import type { ModelRack, RackState } from '../../core/models/model-rack.ts';
import { recommend, type Recommendation } from '../../core/models/recommend.ts';
import { replacementFor, type Replacement } from '../../core/models/self-test.ts';
import {
  ModelChoices,
  type Encoders,
  type Library,
  type RunSetUp,
} from './model-choices.svelte.ts';
import { LOCAL } from './model-roles.ts';
import type { LibraryModel } from './model-standing.ts';
import { ModelTests } from './model-tests.svelte.ts';

export interface ModelsPorts {
  readonly library: Library;
  readonly rack: ModelRack;
  readonly encoders: Encoders;
  readonly solve: RunSetUp;
  /** The browser's own model, where it has one; reads reactive state. */
  own(): LanguageEntry | null;
  /** Tells the person what changed without their doing. */
  notify(message: string): void;
  readFacts(): Promise<DeviceFacts>;
  getSetting(key: string): Promise<Json | undefined>;
  setSetting(key: string, value: Json): Promise<void>;
  /** Monotonic milliseconds. */
  nowMs(): number;
  /** The time, ISO 8601. */
  now(): string;
}

/** A model that computes wrongly here, and what stands in for it. */
export interface StandIn extends Replacement {
  readonly id: string;
}

/** The Models page: this device, what is loaded, how fast it is, and what was found wrong. */
export class ModelsState {
  readonly library: Library;
  readonly encoders: Encoders;
  readonly choices: ModelChoices;
  readonly tests: ModelTests;
  /** null until it is read. */
  facts: DeviceFacts | null = $state.raw(null);
  loaded: ReadonlyMap<string, RackState> = $state.raw(new Map());
  standIns: readonly StandIn[] = $state.raw([]);
  /** All there are: the library's, then the browser's own. */
  readonly list: readonly LibraryModel[] = $derived.by(() => {
    const own = this.#ports.own();
    return own === null ? this.library.models : [...this.library.models, ownModel(own, this.facts)];
  });
  /** Language models that there are, preferred ones first. */
  readonly languages: readonly LanguageEntry[] = $derived.by(() =>
    this.list.map(({ entry }) => entry).filter(isLanguageEntry),
  );
  readonly advice: Recommendation | null = $derived.by(() =>
    this.facts === null || !this.library.isOpen
      ? null
      : recommend(this.facts, this.#registered, (model) => this.bytesToCome(model.id)),
  );

  readonly #ports: ModelsPorts;
  readonly #registered: readonly LanguageEntry[] = $derived.by(() =>
    this.list.flatMap(({ entry, isRegistered }) =>
      isRegistered && isLanguageEntry(entry) ? [entry] : [],
    ),
  );
  readonly #seenWrong = new WeakSet<RackState>();
  #isFollowing = false;

  constructor(ports: ModelsPorts) {
    this.#ports = ports;
    this.library = ports.library;
    this.encoders = ports.encoders;
    this.choices = new ModelChoices({ ...ports, model: (id) => this.model(id) });
    this.tests = new ModelTests({ ...ports, onWrongAnswer: (entry) => this.#replace(entry) });
  }

  /** Looks at the device, at what is here and what is loaded, and follows that from then on. */
  async open(): Promise<void> {
    const { encoders, rack, readFacts } = this.#ports;
    if (!this.#isFollowing) rack.watch((states) => this.#follow(states));
    this.#isFollowing = true;
    this.#follow(rack.states);
    const [facts] = await Promise.all([
      readFacts(),
      this.tests.open(),
      // It opens the library, too.
      encoders.open(),
    ]);
    this.facts = facts;
    await this.choices.open();
    this.#replaceWrong();
  }

  model(id: string): LibraryModel | undefined {
    return this.list.find(({ entry }) => entry.id === id);
  }

  /** Bytes of a model that have still to come; 0 where it is here. */
  bytesToCome(id: string): number {
    const model = this.model(id);
    if (model === undefined || model.held !== null) return 0;
    const { standing, entry } = model;
    switch (standing.type) {
      case 'partial':
      case 'bringing':
      case 'paused':
        return Math.max(0, standing.of - standing.bytes);
      default:
        return entry.approximateBytes;
    }
  }

  /** Whether a model is on its way already. */
  isComing(entry: LanguageEntry | null): boolean {
    const standing = entry === null ? undefined : this.model(entry.id)?.standing.type;
    return standing === 'bringing' || standing === 'waiting';
  }

  /** Whether a model can run on this device; so it is taken to be until the device is known. */
  runsHere(entry: ModelEntry): boolean {
    return !isLanguageEntry(entry) || this.facts === null || deviceOf(entry, this.facts) !== null;
  }

  /** What speaks against loading a model here. */
  warningsOf(entry: LanguageEntry): readonly string[] {
    return this.facts === null ? [] : loadWarnings(entry, this.facts);
  }

  /** Loads a model; that it did not load shows in `loaded`. */
  async load({ id }: LanguageEntry): Promise<void> {
    await this.#ports.rack.load(id).catch((error: unknown) => {
      if (!(error instanceof EngineError)) throw error;
    });
  }

  unload(id: string): void {
    if (this.tests.running?.id === id) this.tests.stop();
    this.#ports.rack.unload(id);
  }

  /** Takes up what is recommended: sets the roles, and fetches what is missing; roles wait for it on rules. */
  async useAdvice({ controller, organizer, model }: Recommendation): Promise<void> {
    this.choices.choose('controller', controller);
    this.choices.choose('organizer', organizer);
    if (model === null || this.bytesToCome(model.id) === 0) return;
    const standing = this.model(model.id)?.standing.type;
    if (standing === 'paused' || standing === 'partial') await this.library.resume(model.id);
    else if (standing === 'absent') await this.library.download(model);
    this.settle();
  }

  /** After work on files: roles that wait for a model go to it. */
  settle(): void {
    this.choices.settle();
  }

  /** Removes a model; where it served a role, rules or the words do from now on. Returns how to undo it. */
  async remove({ entry: { id } }: LibraryModel): Promise<(() => Promise<void>) | null> {
    this.unload(id);
    const giveBack = this.choices.leave(id);
    if (!(await this.library.remove(id))) {
      giveBack();
      return null;
    }
    this.settle();
    return async () => {
      await this.library.putBack(id);
      giveBack();
      this.settle();
    };
  }

  #follow(states: ReadonlyMap<string, RackState>): void {
    this.loaded = states;
    if (this.library.isOpen) this.#replaceWrong();
  }

  /** A model that the rack found to compute wrongly loses its roles, once for each time it was found. */
  #replaceWrong(): void {
    for (const [id, state] of this.loaded) {
      if (state.type !== 'failed' || state.code !== 'wrong-answer') continue;
      const entry = this.languages.find((language) => language.id === id);
      if (entry === undefined || this.#seenWrong.has(state)) continue;
      this.#seenWrong.add(state);
      this.#replace(entry);
    }
  }

  /** Gives the roles of a model that computes wrongly to the one that stands in for it. */
  #replace(entry: LanguageEntry): void {
    const { id } = entry;
    const isHere = (other: string) => (this.model(other)?.held ?? null) !== null;
    const replacement = replacementFor(entry, this.languages, isHere);
    const { model } = replacement;
    this.choices.replace(id, replacement.isHere && model !== null ? LOCAL + model.id : 'rules');
    this.#ports.notify(replacement.message);
    const others = this.standIns.filter((standIn) => standIn.id !== id);
    this.standIns = [...others, { id, ...replacement }];
  }
}

/** The browser's own model as one of the list: it is here, and the browser keeps its files. */
function ownModel(entry: LanguageEntry, facts: DeviceFacts | null): LibraryModel {
  const kept = { addedAt: '', checkedAt: null };
  return {
    entry,
    isRegistered: true,
    standing: { type: 'held', bytes: 0, files: 0, ...kept },
    held: { entry, files: [], ...kept },
    problem: null,
    note:
      facts?.promptApi === 'to-download' ? 'The browser fetches it when it is first loaded.' : null,
    roomShortBytes: null,
  };
}
