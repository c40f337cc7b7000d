import { z } from 'zod';

/** What a server's error body says, whichever of the common forms it has. */
export interface ServerError {
  /** The server's own words, or the start of a body in no known form. */
  readonly message: string;
  /** `code` and `type` of the body, lower case, joined by a space. */
  readonly code: string;
  /** The request field at fault, where named. */
  readonly param: string | undefined;
  readonly json: boolean;
}

const word = z.union([z.string(), z.number()]).nullish();
const detailSchema = z.object({
  message: z.string().nullish(),
  code: word,
  type: word,
  param: z.unknown().optional(),
});
const bodySchema = z.union([
  z.object({ error: detailSchema }),
  z.object({ error: z.string() }).transform(({ error }) => ({ error: { message: error } })),
  z.object({ detail: z.string() }).transform(({ detail }) => ({ error: { message: detail } })),
  detailSchema
    .refine((detail) => typeof detail.message === 'string')
    .transform((error) => ({ error })),
]);

/** Characters of a server's words that are shown. */
const QUOTED = 300;

/** Reads an error body. `secret` never appears in the result. */
export function parseServerError(body: string, secret: string | undefined): ServerError {
  const value = parseJson(body);
  const parsed = bodySchema.safeParse(value);
  const quote = (text: string) => shorten(redact(text, secret));
  if (!parsed.success) {
    return { message: quote(body), code: '', param: undefined, json: value !== undefined };
  }
  const detail = detailSchema.parse(parsed.data.error);
  return {
    message: quote(detail.message ?? body),
    code: `${detail.code ?? ''} ${detail.type ?? ''}`.toLowerCase(),
    param: typeof detail.param === 'string' ? detail.param : undefined,
    json: true,
  };
}

/** The text on one line, at most 300 characters. */
export function shorten(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  return line.length <= QUOTED ? line : `${line.slice(0, QUOTED)}…`;
}

function redact(text: string, secret: string | undefined): string {
  return secret === undefined || secret === '' ? text : text.replaceAll(secret, '[key]');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
