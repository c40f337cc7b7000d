/**
 * Where each row of a list begins, in pixels from its top; one more number than rows, the last is the
 * height of all.
 */
export function offsetsOf<Row>(
  rows: readonly Row[],
  heightOf: (row: Row) => number,
): readonly number[] {
  const offsets = [0];
  let top = 0;
  for (const row of rows) offsets.push((top += heightOf(row)));
  return offsets;
}

/** The rows that lie between two heights, `to` not included. */
export function rowsBetween(
  offsets: readonly number[],
  topPx: number,
  bottomPx: number,
): { readonly from: number; readonly to: number } {
  const rows = offsets.length - 1;
  const from = Math.max(0, firstPast(offsets, topPx) - 1);
  return { from, to: Math.min(rows, firstPast(offsets, bottomPx)) };
}

/** The first row that begins below a height. */
function firstPast(offsets: readonly number[], px: number): number {
  let [low, high] = [0, offsets.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] ?? 0) <= px) low = middle + 1;
    else high = middle;
  }
  return low;
}
