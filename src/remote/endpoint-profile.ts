import { z } from 'zod';
import { accept, refuse, type Result } from '../core/result.ts';

/** An OpenAI-compatible server and the model wanted from it. Never holds the key. */
export const endpointProfileSchema = z.object({
  id: z.string().min(1),
  name: z.string(),
  /** As `normalizeBaseUrl` gives it: no trailing slash, usually ending in `/v1`. */
  baseUrl: z.url({ protocol: /^https?$/ }),
  model: z.string().min(1),
  imageSupport: z.enum(['yes', 'no', 'unknown']),
  /** The longest side of an image as sent, in pixels. */
  maxImageSidePx: z.int().min(28).max(8192),
});
export type EndpointProfile = z.infer<typeof endpointProfileSchema>;

/** The longest image side sent where a person chose nothing, in pixels. */
export const DEFAULT_MAX_IMAGE_SIDE_PX = 1536;

/** A base URL as it will be used, and another to offer where this one looks incomplete. */
export interface BaseUrl {
  readonly url: string;
  /** Set where the path is empty: the same with `/v1`, which most servers want. Only a suggestion. */
  readonly suggestion?: string;
}

/** What people type or paste, as a base URL. Refuses what is no http(s) address or carries a key. */
export function normalizeBaseUrl(
  typed: string,
): Result<BaseUrl, { reason: 'no-url' | 'has-secret'; message: string }> {
  const trimmed = typed.trim();
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//iu.test(trimmed);
  const parsed = URL.parse(hasScheme ? trimmed : `${guessScheme(trimmed)}://${trimmed}`);
  if (trimmed === '' || parsed === null || !/^https?:$/u.test(parsed.protocol)) {
    return refuse('no-url', 'The base URL must be an http or https address.');
  }
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '') {
    return refuse('has-secret', 'The base URL must not carry a key, password or query.');
  }
  const path = parsed.pathname.replace(/\/+$/u, '').replace(/\/(chat\/completions|models)$/u, '');
  const url = parsed.origin + path;
  return accept(path === '' ? { url, suggestion: `${url}/v1` } : { url });
}

/** Scheme, host and port: what the gate allows. Throws on what is no URL. */
export function originOf({ baseUrl }: Pick<EndpointProfile, 'baseUrl'>): string {
  return new URL(baseUrl).origin;
}

/** Host and port as shown to people: `localhost:8000`. Throws on what is no URL. */
export function hostOf({ baseUrl }: Pick<EndpointProfile, 'baseUrl'>): string {
  return new URL(baseUrl).host;
}

/** Servers without a scheme are local ones more often than not; those seldom have a certificate. */
function guessScheme(typed: string): 'http' | 'https' {
  return /^(localhost|127\.|10\.|192\.168\.|\[|[^/:]+:\d)/u.test(typed) ? 'http' : 'https';
}
