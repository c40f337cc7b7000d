/**
 * The outcome of something that is expected to be refused now and then: a proposal, a parse, an
 * operation. A refusal is a value with a kebab-case reason, never an exception.
 */
export type Result<T, R extends Refusal = Refusal> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: R };

/** Why something was refused: `reason` is for code, `message` is a plain sentence for people. */
export interface Refusal<Reason extends string = string> {
  readonly reason: Reason;
  readonly message: string;
  /** The path inside the refused value that failed, where one can be named: `lesson.crop.box`. */
  readonly path?: string;
}

/** The accepted side of a `Result`. */
export function accept<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

/** The refused side of a `Result`. */
export function refuse<Reason extends string>(
  reason: Reason,
  message: string,
  path?: string,
): { readonly ok: false; readonly refusal: Refusal<Reason> } {
  return {
    ok: false,
    refusal: path === undefined ? { reason, message } : { reason, message, path },
  };
}

/** Ends a `switch` over a union: does not compile where a case is missing, throws where one slips in. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
