/** How many bytes had come by when. */
export interface TransferSample {
  readonly atMs: number;
  readonly bytes: number;
}

/** What is older says nothing of now. */
const WINDOW_MS = 5000;
/** What is shorter says nothing yet. */
const LEAST_MS = 1000;

/** The samples with one more, without those that are too old to count. */
export function withSample(
  samples: readonly TransferSample[],
  sample: TransferSample,
): readonly TransferSample[] {
  return [...samples.filter(({ atMs }) => sample.atMs - atMs <= WINDOW_MS), sample];
}

/** Bytes a second over the last seconds; null until there is enough to tell. */
export function bytesPerSecond(samples: readonly TransferSample[]): number | null {
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.atMs - first.atMs < LEAST_MS) return null;
  return ((last.bytes - first.bytes) * 1000) / (last.atMs - first.atMs);
}
