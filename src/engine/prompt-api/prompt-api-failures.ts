import { EngineError } from '../../core/models/engine.ts';

/** What a browser's refusal means, by the name that its error carries. */
export function browserFailure(name: string, error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const why = error instanceof Error ? error.message : String(error);
  const options = { cause: error };
  switch (error instanceof Error ? error.name : '') {
    case 'AbortError':
      return new EngineError('stopped', `${name} was stopped.`, options);
    case 'QuotaExceededError':
      return new EngineError(
        'prompt-too-long',
        `The prompt is longer than ${name} takes.`,
        options,
      );
    case 'NotSupportedError':
    case 'SyntaxError':
    case 'TypeError':
      return new EngineError('not-askable', `${name} cannot be asked this: ${why}`, options);
    case 'NotReadableError':
      return new EngineError('not-askable', `The browser keeps this reply back: ${why}`, options);
    default:
      return new EngineError('failed', `${name} stopped working: ${why}`, options);
  }
}

/** Why no session could be made. */
export function browserLoadFailure(name: string, error: unknown): EngineError {
  const why = error instanceof Error ? error.message : String(error);
  const options = { cause: error };
  switch (error instanceof Error ? error.name : '') {
    case 'NotAllowedError':
      return new EngineError(
        'missing-file',
        `The browser downloads ${name} only after a click. Open Models and load it there.`,
        options,
      );
    case 'NetworkError':
      return new EngineError(
        'missing-file',
        `The browser could not download ${name}. Look at the connection and try again.`,
        options,
      );
    default:
      return error instanceof EngineError
        ? error
        : new EngineError('not-loadable', `${name} cannot be loaded: ${why}`, options);
  }
}
