import type { RunView } from '../../core/evolve/run-view.ts';
import type { LanguageEntry } from '../../core/models/model-entry.ts';
import type { RackState } from '../../core/models/model-rack.ts';
import type { Cost, RunConfig } from '../../core/run.ts';
import type { LibraryModel } from './model-standing.ts';
import type { BackboneChoice } from '../solve.svelte.ts';

/** The roles that a model can take, in the order a run meets them. */
export const ROLES = ['controller', 'organizer', 'encoder', 'solver'] as const;
export type RoleId = (typeof ROLES)[number];
export type MemoryRole = 'controller' | 'organizer';

/** Ids of models on this device begin with it, where a role names them. */
export const LOCAL = 'local:';
/** The encoder that comes with Grove. */
export const WORDS = 'words';

/** What serves each role: `rules`, `model`, `local:…`, `endpoint:…`; an encoder's id or `words`. */
export type RoleChoices = Readonly<Record<RoleId, string>>;

/** How a role stands; `words` say it to people. */
export interface RoleState {
  readonly kind: 'ready' | 'on-demand' | 'working' | 'waits' | 'failed';
  readonly words: string;
}

/** What a role's state is told from. */
export interface RoleContext {
  readonly backbones: readonly BackboneChoice[];
  model(id: string): LibraryModel | undefined;
  readonly loaded: ReadonlyMap<string, RackState>;
}

/** The id of the model on this device that a choice names; null where it names none. */
export function localId(choice: string): string | null {
  return choice.startsWith(LOCAL) ? choice.slice(LOCAL.length) : null;
}

/** The roles that a model serves as they are set now. */
export function rolesServedBy(id: string, choices: RoleChoices): readonly RoleId[] {
  const isOwn = choices.solver === LOCAL + id;
  return ROLES.filter((role) => {
    const choice = choices[role];
    return role === 'encoder'
      ? choice === id
      : choice === LOCAL + id || (choice === 'model' && isOwn);
  });
}

/** How controller, organizer or solver stands by what is chosen for it. */
export function stateOfChoice(choice: string, solver: string, context: RoleContext): RoleState {
  if (choice === 'rules' || choice === 'simulated') return READY;
  if (choice === 'model') {
    const keeps = context.backbones.find(({ id }) => id === solver)?.keepsMemory === true;
    // The simulated solver is no language model.
    return keeps
      ? stateOfChoice(solver, solver, context)
      : { kind: 'waits', words: 'waits, on rules' };
  }
  const id = localId(choice);
  if (id !== null)
    return stateOfLocal(context.model(id), context.loaded.get(id), choice === solver);
  return context.backbones.some((backbone) => backbone.id === choice)
    ? READY
    : { kind: 'failed', words: 'not set up any more' };
}

const READY: RoleState = { kind: 'ready', words: 'ready' };

function stateOfLocal(
  model: LibraryModel | undefined,
  loaded: RackState | undefined,
  isSolver: boolean,
): RoleState {
  if (model === undefined || model.held === null) {
    const stand = isSolver ? 'waits' : 'waits, on rules';
    switch (model?.standing.type) {
      case 'bringing':
      case 'waiting':
      case 'checking':
        return { kind: 'waits', words: stand };
      case 'paused':
      case 'partial':
        return { kind: 'waits', words: isSolver ? 'download paused' : 'download paused, on rules' };
      default:
        return { kind: 'failed', words: isSolver ? 'not here' : 'not here, on rules' };
    }
  }
  switch (loaded?.type) {
    case 'ready':
      return loaded.calls > 0 ? { kind: 'working', words: 'at work' } : READY;
    case 'loading':
      return { kind: 'working', words: LOADING[loaded.phase] };
    case 'failed':
      return { kind: 'failed', words: 'could not be loaded' };
    default:
      return { kind: 'on-demand', words: 'loads when needed' };
  }
}

/** What a load is at, in words. */
export const LOADING = {
  waiting: 'waits for another load',
  reading: 'loading: reading',
  compiling: 'loading: compiling',
  warming: 'loading: warming up',
  checking: 'loading: self-test',
} as const satisfies Record<Extract<RackState, { type: 'loading' }>['phase'], string>;

/** A choice that a select offers; `group` heads those that belong together. */
export interface RoleOption {
  readonly value: string;
  readonly label: string;
  readonly group: 'this-device' | 'endpoint' | null;
}

/** What controller or organizer can be set to; what is set but not here stays listed, and is said. */
export function memoryOptions(
  role: MemoryRole,
  chosen: string,
  {
    held,
    backbones,
    model,
  }: {
    readonly held: readonly LanguageEntry[];
    readonly backbones: readonly BackboneChoice[];
    model(id: string): LibraryModel | undefined;
  },
): readonly RoleOption[] {
  const options: RoleOption[] = [
    { value: 'rules', label: 'Rules: no model', group: null },
    { value: 'model', label: 'The solver’s own model', group: null },
    ...held.map(({ id, name, language }) => ({
      value: LOCAL + id,
      label:
        role === 'controller' && language.images === null
          ? `${name} (text only, it sees no images)`
          : name,
      group: 'this-device' as const,
    })),
    ...backbones
      .filter(({ id }) => id !== 'simulated' && !held.some((entry) => id === LOCAL + entry.id))
      .map(({ id, label, device }) => ({ value: id, label, group: groupOf(device) })),
  ];
  if (options.some(({ value }) => value === chosen)) return options;
  const id = localId(chosen);
  if (id === null)
    return [...options, { value: chosen, label: 'An endpoint that is gone', group: null }];
  const missing = model(id);
  const isComing = missing !== undefined && missing.standing.type !== 'absent';
  const label = `${missing?.entry.name ?? id} (${isComing ? 'on its way' : 'not here'})`;
  return [...options, { value: chosen, label, group: 'this-device' }];
}

function groupOf(device: BackboneChoice['device']): RoleOption['group'] {
  return device === 'remote' ? 'endpoint' : 'this-device';
}

/** What can solve: everything that runs answer with. */
export function solverOptions(backbones: readonly BackboneChoice[]): readonly RoleOption[] {
  return backbones.map(({ id, label, device }) => ({
    value: id,
    label,
    group: id === 'simulated' ? null : groupOf(device),
  }));
}

/** What the last call of a role took in the run that is shown; empty where that says nothing of what is chosen. */
export function lastSeen(role: RoleId, view: RunView, config: RunConfig): string {
  const ran = view.config;
  if (ran === null) return '';
  switch (role) {
    case 'controller': {
      if (ran.controller !== config.controller) return '';
      const last = view.entries.findLast(({ type }) => type !== 'attempt');
      return costWords(last?.span.cost, 'an update');
    }
    case 'organizer':
      if (ran.organizer !== config.organizer) return '';
      return costWords(view.retrieval?.span.cost, 'a retrieval');
    case 'solver': {
      if (ran.backbone !== config.backbone) return '';
      const last = view.entries.findLast(
        (entry) => entry.type === 'attempt' && entry.outcome !== null,
      );
      return costWords(last?.span.cost, 'an attempt');
    }
    case 'encoder':
      return '';
  }
}

function costWords(cost: Cost | undefined, what: string): string {
  if (cost === undefined || cost.calls === 0) return '';
  return `${(cost.durationMs / 1000).toFixed(1)} s ${what}`;
}
