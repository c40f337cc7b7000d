/** Long work that yields now and then, so that whoever runs it may let others have their turn. */
export type Turns<V> = Generator<void, V>;

/** Records handled between two yields: some milliseconds. */
export const TURN = 4096;

/** The work done without a pause. */
export function atOnce<V>(work: Turns<V>): V {
  for (;;) {
    const next = work.next();
    if (next.done === true) return next.value;
  }
}
