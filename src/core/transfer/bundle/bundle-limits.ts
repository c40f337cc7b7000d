import type { BankManifest } from '../../bank/operation.ts';
import { bundleError, type BundlePlace } from './bundle-error.ts';

/**
 * The most a bundle may hold. They keep a hostile file from filling memory or disk; an export that
 * would pass one is refused the same way, so that what was written can always be read.
 */
export const BUNDLE_LIMITS = {
  /** UTF-16 code units of one text: a guidance, an anchor, an id. */
  textLength: 100_000,
  /** UTF-16 code units of one line of JSON; the inverse of a large step is one line. */
  lineLength: 32 * 1024 * 1024,
  manifestBytes: 16 * 1024 * 1024,
  /** Unpacked bytes of `log.jsonl`, and of `nodes.jsonl`. */
  textBytes: 1024 ** 3,
  /** Unpacked bytes are at most this many times the packed ones, above an allowance of 64 MiB. */
  inflation: 200,
  inflationAllowance: 64 * 1024 * 1024,
  imageBytes: 200 * 1024 * 1024,
  images: 200_000,
  entries: 5_000_000,
} as const;

/** The widest shape of a tree that is taken in: what walks it goes as deep as it is. */
const SHAPE = { maxDepth: 64, maxChildren: 1000, summaryBudgetChars: 100_000 } as const;

/** Refuses a bank's settings that would make its tree deeper or wider than anything here can walk. */
export function checkShape(manifest: BankManifest, place: BundlePlace): void {
  for (const key of ['maxDepth', 'maxChildren', 'summaryBudgetChars'] as const) {
    if (manifest[key] <= SHAPE[key]) continue;
    throw bundleError(
      'too-large',
      { ...place, path: `bank.${key}` },
      { what: `sets ${key} above ${SHAPE[key]}` },
    );
  }
}

/** Refuses a value that holds a text longer than any bank's. The value has been parsed: its depth is bounded. */
export function checkTexts(value: unknown, place: BundlePlace, path: readonly string[] = []): void {
  if (typeof value === 'string') {
    if (value.length <= BUNDLE_LIMITS.textLength) return;
    const what = `holds a text of ${value.length} characters`;
    throw bundleError('too-large', { ...place, path: path.join('.') }, { what });
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) checkTexts(member, place, [...path, key]);
}
