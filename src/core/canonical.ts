import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** SHA-256 in lower-case hex, 64 characters: of bytes, or of the canonical JSON of a value. */
export type Hash = string;

/** Anything JSON can say. */
export type Json =
  null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * RFC 8785 (JSON Canonicalization Scheme): one text for one value. Keys sort by UTF-16 code units,
 * numbers print as ECMAScript prints them, nothing is padded. Properties that are `undefined` are
 * left out, as JSON.stringify does.
 *
 * @throws TypeError on what JSON cannot say: NaN, infinities, functions, symbols, bigints,
 * lone surrogates, `undefined` inside an array.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`not JSON: ${value}`);
    return JSON.stringify(value);
  }
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new TypeError('not JSON: a lone surrogate');
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError(`not JSON: ${typeof value}`);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, member]) => `${canonicalJson(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** The hash of bytes as they are. */
export function hashBytes(bytes: Uint8Array): Hash {
  return bytesToHex(sha256(bytes));
}

/** The hash of a value's canonical JSON. Throws as `canonicalJson` does. */
export function hashJson(value: unknown): Hash {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value))));
}
