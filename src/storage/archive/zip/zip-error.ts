/** Why a zip cannot be read. */
export type ZipFault = 'not-a-zip' | 'truncated' | 'damaged' | 'too-large';

/** A zip, or an entry of one, that does not hold together. Callers say it in words of what the file is. */
export class ZipError extends Error {
  override readonly name = 'ZipError';
  readonly fault: ZipFault;
  /** The entry it is about, where it is about one. */
  readonly path: string | undefined;

  constructor(fault: ZipFault, message: string, options: { path?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.fault = fault;
    this.path = options.path;
  }
}

/** Something does not fit; `message` is a clause: "it does not unpack". */
export function damage(message: string, path?: string, cause?: unknown): ZipError {
  return new ZipError('damaged', message, {
    ...(path === undefined ? {} : { path }),
    ...(cause === undefined ? {} : { cause }),
  });
}
