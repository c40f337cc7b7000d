import { z } from 'zod';
import type { Json } from '../../core/canonical.ts';
import type { RunView } from '../../core/evolve/run-view.ts';
import type { RunConfig } from '../../core/run.ts';
import type { ModelLibrary } from './model-library.svelte.ts';
import { LOCAL, localId, WORDS, type MemoryRole, type RoleChoices } from './model-roles.ts';
import type { LibraryModel } from './model-standing.ts';
import type { RecallEncoders } from './recall-encoders.svelte.ts';
import type { BackboneChoice } from '../solve.svelte.ts';

/** The set-up of runs, as far as models are chosen in it. */
export interface RunSetUp {
  readonly config: RunConfig;
  readonly backbones: readonly BackboneChoice[];
  setUp(change: Partial<RunConfig>): void;
  readonly runner: { readonly view: RunView };
}

/** What the page asks of the library and of recall's encoders. */
export type Library = Pick<ModelLibrary, keyof ModelLibrary>;
export type Encoders = Pick<
  RecallEncoders,
  'held' | 'current' | 'switching' | 'problem' | 'open' | 'choose'
>;

export interface ModelChoicesPorts {
  /** A model that is listed, by its id. */
  model(id: string): LibraryModel | undefined;
  readonly encoders: Encoders;
  readonly solve: RunSetUp;
  getSetting(key: string): Promise<Json | undefined>;
  setSetting(key: string, value: Json): Promise<void>;
}

const WAITING_KEY = 'models.roles-waiting';
const waitingSchema = z.object({
  controller: z.string().exactOptional(),
  organizer: z.string().exactOptional(),
});
type Waiting = z.infer<typeof waitingSchema>;

const MEMORY_ROLES = ['controller', 'organizer'] as const;

/**
 * Which model serves which role. A role that was given a model whose files are still to come waits on
 * rules, over a reload too, and goes to the model once it is here.
 */
export class ModelChoices {
  /** What each role is set to, or is to be once its model is here. */
  readonly current: RoleChoices = $derived.by(() => {
    const { config } = this.#ports.solve;
    const { switching, current } = this.#ports.encoders;
    const encoder = switching === null ? current : switching.model?.entry.id;
    return {
      controller: this.#waiting.controller ?? config.controller,
      organizer: this.#waiting.organizer ?? config.organizer,
      encoder: encoder ?? WORDS,
      solver: config.backbone,
    };
  });

  #waiting: Waiting = $state.raw({});
  readonly #ports: ModelChoicesPorts;

  constructor(ports: ModelChoicesPorts) {
    this.#ports = ports;
  }

  get backbones(): readonly BackboneChoice[] {
    return this.#ports.solve.backbones;
  }

  /** The run that is shown, for what was last seen of a role. */
  get view(): RunView {
    return this.#ports.solve.runner.view;
  }

  get config(): RunConfig {
    return this.#ports.solve.config;
  }

  async open(): Promise<void> {
    const kept = await this.#ports.getSetting(WAITING_KEY);
    this.#waiting = waitingSchema.safeParse(kept).data ?? {};
    this.settle();
  }

  choose(role: MemoryRole, choice: string): void {
    const id = localId(choice);
    const isComing = id !== null && !this.#isHere(id);
    if (isComing) this.#set(role, 'rules');
    else this.#set(role, choice);
    this.#wait({ ...without(this.#waiting, role), ...(isComing ? { [role]: choice } : {}) });
  }

  chooseSolver(backbone: string): void {
    this.#ports.solve.setUp({ backbone });
  }

  /** Gives the roles whose model came to it. */
  settle(): void {
    for (const role of MEMORY_ROLES) {
      const choice = this.#waiting[role];
      const id = choice === undefined ? null : localId(choice);
      if (choice !== undefined && id !== null && this.#isHere(id)) this.choose(role, choice);
    }
  }

  /** Gives controller and organizer, where this model has them, to another or to rules. */
  replace(id: string, choice: string): void {
    for (const role of MEMORY_ROLES) {
      if (this.current[role] === LOCAL + id) this.choose(role, choice);
    }
  }

  /** Takes all roles from a model that goes. Returns how to give them back. */
  leave(id: string): () => void {
    const before = this.current;
    this.replace(id, 'rules');
    if (before.solver === LOCAL + id) this.chooseSolver('simulated');
    return () => {
      for (const role of MEMORY_ROLES) {
        if (before[role] === LOCAL + id) this.choose(role, before[role]);
      }
      if (before.solver === LOCAL + id) this.chooseSolver(before.solver);
    };
  }

  #isHere(id: string): boolean {
    return (this.#ports.model(id)?.held ?? null) !== null;
  }

  #set(role: MemoryRole, choice: string): void {
    const id = localId(choice);
    const name =
      id === null
        ? (this.backbones.find((backbone) => backbone.id === choice)?.model ?? '')
        : (this.#ports.model(id)?.entry.name ?? '');
    this.#ports.solve.setUp(
      role === 'controller'
        ? { controller: choice, controllerModel: name }
        : { organizer: choice, organizerModel: name },
    );
  }

  #wait(waiting: Waiting): void {
    if (JSON.stringify(waiting) === JSON.stringify(this.#waiting)) return;
    this.#waiting = waiting;
    void this.#ports.setSetting(WAITING_KEY, { ...waiting });
  }
}

function without(waiting: Waiting, role: MemoryRole): Waiting {
  return Object.fromEntries(Object.entries(waiting).filter(([other]) => other !== role));
}
