/** Every error that gyre raises on purpose: a code for programs, the field it is about, and what to do. */
export class GyreError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly detail: { field?: string; fix?: string; cause?: unknown } = {},
  ) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = 'GyreError';
  }
}

export type ErrorCode =
  /** A flag, file, config or request that does not fit its schema. */
  | 'bad_input'
  /** Something that must be installed is not. */
  | 'missing'
  /** A file that was written by gyre and is not whole, or not what its name says. */
  | 'corrupt'
  /** A browser, a page or a server died or did not answer in time. */
  | 'infra'
  /** The disk is full or cannot be written. */
  | 'storage'
  /** Somebody else has it for now. */
  | 'held'
  /** A tensor graph that does not fit together. */
  | 'shape'
  /** Training went to NaN or infinity. */
  | 'numeric';
