import type { Cost } from '../../core/run.ts';

/** Milliseconds as seconds with one decimal: "2.3 s". */
export function seconds(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)} s`;
}

/** A whole number with thousands parted: "1,418". By hand: the first use of `Intl` takes 25 ms. */
export function count(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(?:\d{3})+$)/gu, ',');
}

/** "1 task", "3 tasks". */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A share of one as a percentage: "7.2 %". */
export function percent(fraction: number): string {
  return `${(fraction * 100).toFixed(1)} %`;
}

/** Bytes in decimal units, as file managers show them: "4.3 MB". */
export function bytes(byteLength: number): string {
  if (byteLength < 1000) return `${byteLength} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = byteLength / 1000;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}

/** A hash, shortened in the middle for reading. */
export function shortHash(hash: string): string {
  return hash.length > 12 ? `${hash.slice(0, 6)}…${hash.slice(-4)}` : hash;
}

/** Prompt and completion tokens together. */
export function tokensOf({ usage }: Cost): number {
  return usage.promptTokens + usage.completionTokens;
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** A day where the person is: "2 Dec 2026". By hand: the first use of `Intl` for dates takes 100 ms. */
export function day(iso: string): string {
  const at = new Date(iso);
  return `${at.getDate()} ${MONTHS[at.getMonth()] ?? ''} ${at.getFullYear()}`;
}

/** A moment where the person is, to the minute: "2 Dec 2026, 09:05". */
export function moment(iso: string): string {
  const at = new Date(iso);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${day(iso)}, ${two(at.getHours())}:${two(at.getMinutes())}`;
}
