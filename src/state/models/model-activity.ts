import { byteSize } from '../../core/models/byte-size.ts';
import type { SpeedProgress } from '../../core/models/speed-test.ts';
import { LOADING } from './model-roles.ts';
import type { LibraryModel } from './model-standing.ts';
import type { ModelsState } from './models.svelte.ts';
import type { Activity } from '../shell.svelte.ts';

const NOTHING = { tokens: null, elapsedMs: null, progress: null };

/** What goes on with models, for the strip: a load, a test, or work on files. */
export function modelsActivity(models: ModelsState): Activity | null {
  const { library, tests, loaded } = models;
  for (const [id, state] of loaded) {
    if (state.type !== 'loading') continue;
    const model = models.model(id)?.entry.name ?? id;
    const stop = () => models.unload(id);
    const { phase, downloaded } = state;
    return downloaded === undefined
      ? { ...NOTHING, role: 'Model', model, phase: LOADING[phase], stop }
      : { ...NOTHING, role: 'Model', model, phase: 'downloading', progress: downloaded, stop };
  }
  if (tests.running !== null) {
    const { name, speed } = tests.running;
    return {
      ...NOTHING,
      role: speed === null ? 'Self-test' : 'Speed test',
      model: name,
      phase: phaseOf(speed),
      progress: speed === null || speed.of === 0 ? null : speed.done / speed.of,
      stop: () => tests.stop(),
    };
  }
  const { working } = library;
  return working === null ? null : filesActivity(working, () => library.stop(working.entry.id));
}

function phaseOf(speed: SpeedProgress | null): string {
  if (speed === null) return 'asking';
  return speed.wanted === null ? 'counting tokens' : `prompt ${speed.done + 1} of ${speed.of}`;
}

function filesActivity({ entry, standing }: LibraryModel, stop: () => void): Activity | null {
  if (standing.type !== 'bringing' && standing.type !== 'checking') return null;
  const { bytes, of } = standing;
  const kind = standing.type === 'checking' ? 'check' : standing.kind;
  const left = standing.type === 'bringing' ? standing.secondsLeft : null;
  return {
    ...NOTHING,
    ...FILE_WORDS[kind],
    model: entry.name,
    progress: of === 0 ? null : Math.min(1, bytes / of),
    detail: `${byteSize(bytes)} of ${byteSize(of)}${left === null ? '' : `, ${Math.round(left)} s left`}`,
    stop,
  };
}

const FILE_WORDS = {
  download: { role: 'Download', phase: 'downloading' },
  folder: { role: 'Copy', phase: 'taking in' },
  repair: { role: 'Repair', phase: 'repairing' },
  check: { role: 'Check', phase: 'reading and hashing' },
} as const;
