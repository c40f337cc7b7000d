import type { Role } from './call.ts';
import type { Backbone } from './ports.ts';
import type { RunConfig } from './run.ts';

/** A model by the backbone that runs it, and by its name there. */
export interface ModelReference {
  /** `simulated`, `endpoint:<profile id>`, or `local:<model id>`. */
  readonly backbone: string;
  readonly model: string;
}

/** The model that keeps a run's memory in a role; null where the rules do. */
export function memoryModelOf(
  config: RunConfig,
  role: 'controller' | 'organizer',
): ModelReference | null {
  const chosen = config[role];
  if (chosen === 'rules') return null;
  if (chosen === 'model') return { backbone: config.backbone, model: config.model };
  const name = role === 'controller' ? config.controllerModel : config.organizerModel;
  return { backbone: chosen, model: name ?? '' };
}

/** The model that serves a role of a run. Where the rules keep memory no call is made in their role. */
function modelOfRole(config: RunConfig, role: Role): ModelReference {
  const keeps = role === 'controller' || role === 'organizer' ? memoryModelOf(config, role) : null;
  return keeps ?? { backbone: config.backbone, model: config.model };
}

/** What serves each role of a run, each backbone made once and before the first call. Throws as `make` does. */
export function backbonesOfRun(
  config: RunConfig,
  make: (model: ModelReference) => Backbone,
): (role: Role) => Backbone {
  const own = make({ backbone: config.backbone, model: config.model });
  const made = new Map([[config.backbone, own]]);
  for (const role of ['controller', 'organizer'] as const) {
    const model = memoryModelOf(config, role);
    if (model !== null && !made.has(model.backbone)) made.set(model.backbone, make(model));
  }
  return (role) => made.get(modelOfRole(config, role).backbone) ?? own;
}
