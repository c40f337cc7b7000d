import { ModelCallError, type ModelCallCode } from '../core/errors.ts';
import { hostOf, type EndpointProfile } from './endpoint-profile.ts';
import { isRetriableStatus, parseRetryAfter } from './retry-policy.ts';
import { parseServerError, type ServerError } from './server-error.ts';

/** A try that failed: the error people read, and what the retry policy needs to know. */
export interface TryFailure {
  readonly error: ModelCallError;
  readonly retriable: boolean;
  readonly retryAfterMs?: number | undefined;
  /** The server's own words, where it answered. */
  readonly serverError?: ServerError;
}

/** What is known of the call when it fails. */
export interface FailureContext {
  readonly profile: EndpointProfile;
  readonly hasImages: boolean;
  /** The key; kept out of every message. */
  readonly secret: string | undefined;
  /** Milliseconds since 1970, to read a Retry-After date. */
  readonly nowMs: number;
}

/** A refused response, read. */
export interface RefusedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** The header by which Grove's own gate says that it, not the server, answered. */
export const BLOCKED_HEADER = 'x-grove-blocked';

/** Where servers give no code for it, their wording for a prompt that is too long. */
const CONTEXT =
  /context (length|size|window)|maximum context|exceeds? the (available )?context|too many tokens|prompt is too long|input is too long/iu;
/** The same for a model without vision. */
const NO_IMAGES =
  /(image|vision|multimodal|mmproj).{0,80}(not|n't|only|missing|0 image)|(not|n't|no|missing|at most 0) .{0,60}(image|vision|multimodal)/iu;
/** The same for a model that is not there. */
const NO_MODEL =
  /model.{0,200}(not found|not exist|not available|unknown|not loaded|invalid|not a valid)|(unknown|invalid|no such) model|not a valid model/iu;

/** Names the fault of a response that is not a success. Pure; branches on status, codes, then wording. */
export function classifyResponse(refused: RefusedResponse, context: FailureContext): TryFailure {
  const { status, headers, body } = refused;
  const blocked = classifyBlocked(headers, context.profile);
  if (blocked !== undefined) return { error: blocked, retriable: false };
  const serverError = parseServerError(body, context.secret);
  const code = codeFor(status, serverError, context.hasImages);
  const error = errorFor(code, { status, serverError, profile: context.profile });
  const exhausted = serverError.code.includes('insufficient_quota');
  const transient = code === 'rate-limited' || code === 'server-error' || code === 'bad-request';
  return {
    error,
    retriable: transient && isRetriableStatus(status) && !exhausted,
    retryAfterMs: parseRetryAfter(headers.get('retry-after'), context.nowMs),
    serverError,
  };
}

/** The gate's refusal, where the gate's mark is on the response. */
export function classifyBlocked(
  headers: Headers,
  profile: EndpointProfile,
): ModelCallError | undefined {
  const blocked = headers.get(BLOCKED_HEADER);
  if (blocked === null) return undefined;
  if (blocked === 'offline') {
    return new ModelCallError('offline', 'Grove is switched to offline: nothing was sent.', {
      hint: 'Turn off the offline switch in Settings, or choose a backbone on this device.',
    });
  }
  return new ModelCallError(
    'blocked-by-gate',
    `Grove's gate stopped the request: ${hostOf(profile)} is not on the list of allowed hosts.`,
    { hint: `Allow ${hostOf(profile)} in Settings.` },
  );
}

/** An error that the server sent inside a stream it had begun. */
export function classifyStreamError(raw: unknown, context: FailureContext): TryFailure {
  const serverError = parseServerError(JSON.stringify(raw), context.secret);
  const listed = codeFor(400, serverError, context.hasImages);
  const code = listed === 'bad-request' ? 'server-error' : listed;
  const error = errorFor(code, { status: undefined, serverError, profile: context.profile });
  return { error, retriable: code === 'server-error', serverError };
}

function codeFor(status: number, server: ServerError, hasImages: boolean): ModelCallCode {
  const { code, message } = server;
  if (status === 401 || status === 403) return 'wrong-key';
  if (status === 429) return 'rate-limited';
  if (/context_length|exceed_context/u.test(code) || CONTEXT.test(message)) {
    return 'context-overflow';
  }
  if (hasImages && NO_IMAGES.test(message)) return 'no-image-support';
  if (code.includes('model_not_found')) return 'unknown-model';
  if (status >= 500) return 'server-error';
  if (!server.json && status !== 408 && status !== 409) return 'not-json';
  return status < 500 && NO_MODEL.test(message) ? 'unknown-model' : 'bad-request';
}

interface Facts {
  readonly status: number | undefined;
  readonly serverError: ServerError;
  readonly profile: EndpointProfile;
}

function errorFor(code: ModelCallCode, { status, serverError, profile }: Facts): ModelCallError {
  const host = hostOf(profile);
  const says = serverError.message === '' ? '' : ` It says: ${serverError.message}`;
  const [message, hint] = wording(code, { host, model: profile.model, status });
  const path = status === 404 || status === 405 || code === 'not-json';
  const told = code === 'bad-request' && path ? baseUrlHint(profile) : hint;
  const finalHint = code === 'not-json' ? baseUrlHint(profile) : told;
  return new ModelCallError(code, message + says, {
    ...(finalHint === undefined ? {} : { hint: finalHint }),
    ...(status === undefined ? {} : { status }),
  });
}

function wording(
  code: ModelCallCode,
  { host, model, status }: { host: string; model: string; status: number | undefined },
): readonly [message: string, hint?: string] {
  const answered = status === undefined ? '' : ` (status ${status})`;
  switch (code) {
    case 'wrong-key':
      return [
        `${host} did not accept the key${answered}.`,
        'Check the key in Settings, and that it may use this model.',
      ];
    case 'unknown-model':
      return [
        `${host} does not know the model “${model}”${answered}.`,
        'Choose a model that the server lists.',
      ];
    case 'no-image-support':
      return [
        `The model “${model}” at ${host} does not take images${answered}.`,
        'Choose a model with vision.',
      ];
    case 'context-overflow':
      return [
        `The question with its images and memory is longer than “${model}” at ${host} can read${answered}.`,
        'Send fewer or smaller images, or start the server with a longer context.',
      ];
    case 'rate-limited':
      return [
        `${host} limits how much may be asked${answered}.`,
        'Wait a while, or check the quota of the key.',
      ];
    case 'server-error':
      return [
        `${host} failed on its side${answered}.`,
        'Try again; if it stays, look at the server’s log.',
      ];
    case 'not-json':
      return [`${host} answered with something other than JSON${answered}.`];
    default:
      return [`${host} refused the request${answered}.`];
  }
}

/** What to check where the address seems to lead to another page or nowhere. */
export function baseUrlHint({ baseUrl }: EndpointProfile): string {
  return /\/v\d+[a-z]*$/u.test(baseUrl)
    ? `Check the base URL ${baseUrl}: nothing there speaks the OpenAI API.`
    : `The base URL ${baseUrl} probably lacks /v1: try ${baseUrl}/v1.`;
}
