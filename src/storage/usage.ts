import type { Database } from './database.ts';

/** How much room Grove takes, in plain numbers. */
export interface Usage {
  /** What the browser counts for this origin. */
  readonly usedBytes: number;
  /**
   * What the browser says it would give. Chromium names the same figure on every machine, so that
   * sites cannot tell disks apart; a full disk ends earlier, with `quota-exceeded`.
   */
  readonly quotaBytes: number;
  /** Whether the browser promised not to clear this data by itself. */
  readonly persisted: boolean;
  readonly imageBytes: number;
  readonly images: number;
  readonly runs: number;
  readonly banks: number;
}

/** The usage now. Touches the tables it counts, so that a live query runs it again when they change. */
export async function measureUsage(database: Database): Promise<Usage> {
  const { blobs, runs, banks } = database;
  const counts = await database.transaction('r', [blobs, runs, banks], async () => {
    // Keys of the index only: no image is read.
    const sizes = await blobs.orderBy('byteLength').keys();
    return {
      images: sizes.length,
      imageBytes: sizes.reduce<number>((sum, size) => sum + Number(size), 0),
      runs: await runs.count(),
      banks: await banks.where('published').equals(1).count(),
    };
  });
  const [estimate, persisted] = await Promise.all([
    navigator.storage.estimate(),
    navigator.storage.persisted(),
  ]);
  const { usage: usedBytes = 0, quota: quotaBytes = 0 } = estimate;
  return { usedBytes, quotaBytes, persisted, ...counts };
}

/** Asks the browser not to clear this data by itself; true where it promises so. Some ask the person. */
export function persist(): Promise<boolean> {
  return navigator.storage.persist();
}
