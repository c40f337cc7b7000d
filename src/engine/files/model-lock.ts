import { ModelFileError } from '../../core/models/model-store.ts';

const PREFIX = 'grove.model-files:';

/** Works on a model's files while nobody else does, over all tabs. Throws ModelFileError `busy`. */
export function alone<T>(id: string, work: () => Promise<T>): Promise<T> {
  return navigator.locks.request(PREFIX + id, { ifAvailable: true }, (lock) => {
    if (lock !== null) return work();
    throw new ModelFileError(
      'busy',
      'Another tab of Grove is at work on this model’s files. Wait until it is done, or stop it there.',
    );
  });
}

/** The models that somebody works on right now. */
export async function busyModels(): Promise<ReadonlySet<string>> {
  const { held = [] } = await navigator.locks.query();
  return new Set(
    held.flatMap(({ name = '' }) => (name.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : [])),
  );
}
