import type { RunConfig } from '../../core/run.ts';

/** Who kept a run's memory in a role, for people. */
export function keeperName(config: RunConfig, role: 'controller' | 'organizer'): string {
  const keeper = config[role];
  if (keeper === 'rules') return 'Rules: no model';
  if (keeper === 'model') return `${config.model}, the backbone itself`;
  const name = role === 'controller' ? config.controllerModel : config.organizerModel;
  return name ?? keeper;
}
