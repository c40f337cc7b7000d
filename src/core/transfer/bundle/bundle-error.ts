/** Why a bundle was not written or not taken in. Code branches on the code only. */
export type BundleCode =
  /** It is no `.grove` file. */
  | 'not-a-bundle'
  | 'newer-format'
  | 'needs-passphrase'
  | 'wrong-passphrase'
  | 'empty-passphrase'
  /** Its end is missing. */
  | 'truncated'
  /** What holds the contents together (zip, encryption) does not fit. */
  | 'damaged'
  /** Something in it passes a limit of `bundle-limits.ts`. */
  | 'too-large'
  | 'bad-manifest'
  | 'bad-line'
  | 'broken-chain'
  | 'does-not-replay'
  | 'breaks-invariant'
  | 'nodes-differ'
  | 'bad-image'
  | 'missing-image'
  /** An entry, or an image, that nothing in the bank names. */
  | 'does-not-belong'
  /** The file could not be read from the disk. */
  | 'unreadable'
  /** Another import or restore goes on, in this tab or another. */
  | 'busy';

/** Where in a bundle: an entry of the zip, a 1-based line of it, a path inside that line. */
export interface BundlePlace {
  readonly entry: string;
  readonly line?: number;
  readonly path?: string;
}

/** A bundle that was refused, or could not be written. `message` is a plain sentence that names the place. */
export class BundleError extends Error {
  override readonly name = 'BundleError';
  readonly code: BundleCode;
  readonly place: BundlePlace | undefined;

  constructor(
    code: BundleCode,
    message: string,
    options: { cause?: unknown; place?: BundlePlace | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.place = options.place;
  }
}

/** A place as people read it: "log.jsonl, line 3, at operation.type". */
export function placeText({ entry, line, path }: BundlePlace): string {
  const parts = [entry];
  if (line !== undefined) parts.push(`line ${line}`);
  if (path !== undefined && path !== '') parts.push(`at ${path}`);
  return parts.join(', ');
}

/** The error of something at a place of the bundle; `what` completes "This bundle …". */
export function bundleError(
  code: BundleCode,
  place: BundlePlace,
  { what, cause }: { readonly what: string; readonly cause?: unknown },
): BundleError {
  const message = `This bundle ${what} (${placeText(place)}).`;
  return new BundleError(code, message, { place, ...(cause === undefined ? {} : { cause }) });
}
