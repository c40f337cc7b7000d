import { enlarged32 } from './columns.ts';

export interface ScoredRow {
  readonly row: number;
  readonly score: number;
}

/**
 * Rows that may be among the `limit` best, each with the least and the most it can score. What is surely
 * not among them is dropped now and then, by selection instead of a heap: a row costs a few writes. One
 * is used again for every search.
 */
export class TopRows {
  #limit = 1;
  #rows = new Uint32Array(1024);
  #least = new Float64Array(1024);
  #most = new Float64Array(1024);
  #selecting = new Float64Array(1024);
  #size = 0;
  #kept = 0;
  #floor = 0;

  /** Starts anew, for the `limit` best. */
  begin(limit: number): void {
    this.#limit = limit;
    this.#size = 0;
    this.#kept = 0;
    this.#floor = 0;
  }

  /** What a row must at least be able to score to matter still; 0 while there is room. */
  get floor(): number {
    return this.#floor;
  }

  offer(row: number, least: number, most: number): void {
    if (most < this.#floor) return;
    if (this.#size === this.#rows.length) this.#grow();
    this.#rows[this.#size] = row;
    this.#least[this.#size] = least;
    this.#most[this.#size] = most;
    this.#size += 1;
  }

  /** Raises the floor by what has come, where enough has for it to be worth while. */
  settle(): void {
    if ((this.#size - this.#kept) * 4 >= this.#kept) this.#drop();
  }

  /**
   * The `limit` best, best first, by what `scoreOf` says they score after all; those of the same score as
   * `isBefore` says. Rows that score nothing are left out.
   */
  best(
    scoreOf: (row: number, least: number) => number,
    isBefore: (row: number, other: number) => boolean,
  ): readonly ScoredRow[] {
    this.#drop();
    const found: ScoredRow[] = [];
    for (let at = 0; at < this.#size; at += 1) {
      const row = this.#rows[at] ?? 0;
      const score = scoreOf(row, this.#least[at] ?? 0);
      if (score > 0) found.push({ row, score });
    }
    return found
      .sort((one, other) => other.score - one.score || (isBefore(one.row, other.row) ? -1 : 1))
      .slice(0, this.#limit);
  }

  #drop(): void {
    if (this.#size > this.#limit) {
      this.#selecting.set(this.#least.subarray(0, this.#size));
      const least = kthLargest(this.#selecting, this.#size, this.#limit);
      this.#floor = Math.max(this.#floor, least);
      let kept = 0;
      for (let at = 0; at < this.#size; at += 1) {
        this.#rows[kept] = this.#rows[at] ?? 0;
        this.#least[kept] = this.#least[at] ?? 0;
        const most = this.#most[at] ?? 0;
        this.#most[kept] = most;
        kept += most >= this.#floor ? 1 : 0;
      }
      this.#size = kept;
    }
    this.#kept = this.#size;
  }

  #grow(): void {
    const room = this.#rows.length * 4;
    this.#rows = enlarged32(this.#rows, room);
    this.#selecting = new Float64Array(room);
    const [least, most] = [this.#least, this.#most];
    this.#least = new Float64Array(room);
    this.#least.set(least);
    this.#most = new Float64Array(room);
    this.#most.set(most);
  }
}

/** The `rank`-th largest (from 1) of the first `count` values, which it reorders. */
export function kthLargest(values: Float64Array, count: number, rank: number): number {
  const wanted = rank - 1;
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const pivot = values[(low + high) >> 1] ?? 0;
    let left = low;
    let right = high;
    while (left <= right) {
      while ((values[left] ?? 0) > pivot) left += 1;
      while ((values[right] ?? 0) < pivot) right -= 1;
      if (left <= right) {
        const kept = values[left] ?? 0;
        values[left] = values[right] ?? 0;
        values[right] = kept;
        left += 1;
        right -= 1;
      }
    }
    if (wanted <= right) high = right;
    else if (wanted >= left) low = left;
    else break;
  }
  return values[wanted] ?? 0;
}
