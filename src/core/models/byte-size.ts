const UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** Bytes as a sentence says them: `1.2 GB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const power = Math.min(UNITS.length, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${value.toFixed(value < 10 ? 1 : 0)} ${UNITS[power - 1] ?? ''}`;
}
