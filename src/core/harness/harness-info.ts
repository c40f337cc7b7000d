import type { RunConfig } from '../run.ts';

/** What the set-up panel says of a harness, apart from its code, which is loaded at the first run. */
export interface HarnessInfo {
  readonly id: RunConfig['harness'];
  readonly label: string;
  /** One sentence. */
  readonly description: string;
}

/** Every harness there is, by id, in the order the set-up panel lists them. */
export const HARNESS_INFO: Readonly<Record<RunConfig['harness'], HarnessInfo>> = {
  team: {
    id: 'team',
    label: 'Team',
    description: 'A solver answers, then a critic checks the work and points at what it doubts.',
  },
  direct: {
    id: 'direct',
    label: 'Direct',
    description: 'One call to the model; it is ready unless it says that it is guessing.',
  },
};
