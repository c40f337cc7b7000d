import type { RackState } from '../../core/models/model-rack.ts';
import {
  LOCAL,
  localId,
  ROLES,
  WORDS,
  type RoleChoices,
  type RoleOption,
  type RoleState,
} from '../../state/models/model-roles.ts';
import type { Encoders } from '../../state/models/model-choices.svelte.ts';
import type { BackboneChoice } from '../../state/solve.svelte.ts';

/** Encoders that recall can use. */
export function encoderOptions({ held }: Encoders): readonly RoleOption[] {
  return [
    { value: WORDS, label: 'Words in the box, 100 dimensions', group: null },
    ...held.map(({ entry: { id, name, encoder } }) => ({
      value: id,
      label: `${name}, ${encoder.dimension} dimensions`,
      group: 'this-device' as const,
    })),
  ];
}

/** How the encoder stands. */
export function encoderState({ current, switching, problem }: Encoders): RoleState {
  if (switching !== null) {
    const { state, number, banks } = switching;
    if (state === 'paused') return { kind: 'waits', words: 'encoding paused' };
    return {
      kind: 'working',
      words: number === 0 ? 'loading' : `encodes bank ${number} of ${banks}`,
    };
  }
  if (current === undefined) return { kind: 'waits', words: 'looking' };
  return problem === null
    ? { kind: 'ready', words: 'ready' }
    : { kind: 'failed', words: 'not changed' };
}

/** Where a role's model runs. */
export function runsOn(
  choice: string,
  solver: string,
  backbones: readonly BackboneChoice[],
  loaded: ReadonlyMap<string, RackState>,
): string {
  const own = choice === 'model' ? solver : choice;
  const id = localId(own);
  const state = id === null ? undefined : loaded.get(id);
  if (state?.type === 'ready') {
    return { webgpu: 'this device, GPU', wasm: 'this device, processor', browser: 'the browser' }[
      state.device
    ];
  }
  const backbone = backbones.find((one) => one.id === own);
  if (backbone?.device !== 'remote') return 'this device';
  // "model at host": the host is what matters here.
  return backbone.label.slice(backbone.model.length).replace(/^ at /u, '') || 'an endpoint';
}

/** One sentence for each model that serves several roles. */
export function sharedBy(choices: RoleChoices, nameOf: (id: string) => string): readonly string[] {
  const byModel = new Map<string, string[]>();
  for (const role of ROLES) {
    const choice = role !== 'solver' && choices[role] === 'model' ? choices.solver : choices[role];
    if (!choice.startsWith(LOCAL)) continue;
    byModel.set(choice, [...(byModel.get(choice) ?? []), role]);
  }
  return [...byModel]
    .filter(([, roles]) => roles.length > 1)
    .map(([choice, roles]) => {
      const last = roles.at(-1) ?? '';
      const list = `${roles.slice(0, -1).join(', ')} and ${last}`;
      return `${nameOf(localId(choice) ?? '')} serves ${list}: it is loaded once, and they take turns.`;
    });
}
