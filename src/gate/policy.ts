import { accept, refuse, type Refusal, type Result } from '../core/result.ts';

/** What may leave (DESIGN.md §7). Grove's own origin is always allowed and is not listed. */
export interface Policy {
  readonly offline: boolean;
  /** Origins, for example `http://localhost:11434`, sorted. */
  readonly allowed: readonly string[];
}

/** Nothing but Grove's own files. */
export const CLOSED_POLICY: Policy = { offline: false, allowed: [] };

/** Why a request was kept from leaving. */
export type BlockReason = 'offline' | 'host-not-allowed' | 'redirect';

/** Whether a request to `url` may leave. Offline still serves Grove's own files. */
export function decide(
  policy: Policy,
  url: URL,
  ownOrigin: string,
): { readonly allowed: true } | { readonly allowed: false; readonly reason: BlockReason } {
  if (url.origin === ownOrigin) return { allowed: true };
  if (policy.offline) return { allowed: false, reason: 'offline' };
  return policy.allowed.includes(url.origin)
    ? { allowed: true }
    : { allowed: false, reason: 'host-not-allowed' };
}

/** The origin that an address as people write it means. Refuses `not-an-address` and `not-http`. */
export function originOf(address: string): Result<string, Refusal<'not-an-address' | 'not-http'>> {
  const text = address.trim();
  const written = /^[a-z][a-z0-9+.-]*:\/\//iu.test(text) ? text : `https://${text}`;
  if (!URL.canParse(written)) {
    return refuse('not-an-address', `“${text}” is not an address such as http://localhost:11434.`);
  }
  const { origin, protocol } = new URL(written);
  return protocol === 'http:' || protocol === 'https:'
    ? accept(origin)
    : refuse('not-http', `“${text}” must begin with http:// or https://.`);
}

/** The policy with one more origin. */
export function withOrigin(policy: Policy, origin: string): Policy {
  return { ...policy, allowed: [...new Set([...policy.allowed, origin])].sort() };
}

/** The policy with one origin less. */
export function withoutOrigin(policy: Policy, origin: string): Policy {
  return { ...policy, allowed: policy.allowed.filter((known) => known !== origin) };
}

/** Reads a stored or sent policy; anything that is not one is the closed policy. */
export function readPolicy(value: unknown): Policy {
  if (typeof value !== 'object' || value === null) return CLOSED_POLICY;
  const offline = 'offline' in value && value.offline === true;
  const listed = 'allowed' in value && Array.isArray(value.allowed) ? value.allowed : [];
  const allowed = listed.filter((origin) => typeof origin === 'string');
  return { offline, allowed };
}
