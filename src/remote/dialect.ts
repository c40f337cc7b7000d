import type { ServerError } from './server-error.ts';

/** Which optional fields of the OpenAI API a server takes. Learned from its refusals, per backbone. */
export interface Dialect {
  readonly responseSchema: boolean;
  readonly temperature: boolean;
  readonly usage: boolean;
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
}

/** What is tried first. */
export const FULL_DIALECT: Dialect = {
  responseSchema: true,
  temperature: true,
  usage: true,
  maxTokensField: 'max_tokens',
};

/** A narrower dialect, and what is left out, as people read it. */
export interface Concession {
  readonly dialect: Dialect;
  readonly message: string;
}

/**
 * What to leave out after a `bad-request`, or null where nothing is left that the server may have
 * meant. A refusal that names no field is taken to mean the reply's schema. Each field is given up
 * once, so this ends.
 */
export function concede(
  dialect: Dialect,
  { param, message }: ServerError,
  sentSchema: boolean,
): Concession | null {
  const names = (field: string) =>
    param === undefined ? message.includes(field) : param.startsWith(field);
  if (dialect.maxTokensField === 'max_tokens' && names('max_tokens')) {
    return {
      dialect: { ...dialect, maxTokensField: 'max_completion_tokens' },
      message: 'The server wants max_completion_tokens instead of max_tokens.',
    };
  }
  if (dialect.temperature && names('temperature')) {
    return {
      dialect: { ...dialect, temperature: false },
      message: 'The server refused the temperature; asking without it.',
    };
  }
  if (dialect.usage && names('stream_options')) {
    return {
      dialect: { ...dialect, usage: false },
      message: 'The server refused to report usage; tokens are estimated.',
    };
  }
  if (dialect.responseSchema && sentSchema) {
    return {
      dialect: { ...dialect, responseSchema: false },
      message: 'The server refused the reply’s JSON schema; asking without it.',
    };
  }
  return null;
}
