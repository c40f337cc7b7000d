/** How far an export or an import is, in units that mean something. */
export interface BundleProgress {
  /** What is being worked on: log entries, nodes, or images (crops, then sources). */
  readonly phase: 'log' | 'nodes' | 'images';
  /** Entries, nodes or images of this phase; `total` is null where it is not known yet. */
  readonly done: number;
  readonly total: number | null;
  /** Unpacked bytes over all phases; `bytesTotal` is null where it is not known (an export). */
  readonly bytes: number;
  readonly bytesTotal: number | null;
}

/** What both directions take: a way to stop, and to say how far they are. */
export interface BundleRun {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: BundleProgress) => void) | undefined;
}

/** Counts what is done, tells it, and stops where the signal says so. */
export interface BundleCounter {
  begin(phase: BundleProgress['phase'], total: number | null): void;
  /** Throws the signal's reason after an abort. */
  advance(by: { readonly done: number; readonly bytes: number }): void;
}

export function bundleCounter(
  { signal, onProgress }: BundleRun,
  bytesTotal: number | null = null,
): BundleCounter {
  let phase: BundleProgress['phase'] = 'log';
  let [done, bytes] = [0, 0];
  let total: number | null = null;
  const tell = () => {
    signal?.throwIfAborted();
    onProgress?.({ phase, done, total, bytes, bytesTotal });
  };
  return {
    begin(next, of) {
      [phase, done, total] = [next, 0, of];
      tell();
    },
    advance(by) {
      done += by.done;
      bytes += by.bytes;
      tell();
    },
  };
}
