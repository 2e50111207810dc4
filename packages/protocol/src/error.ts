import { z } from 'zod';

/** The subject of an error, and its fix. */
export interface ErrorDetail {
  readonly field?: string | undefined;
  readonly fix?: string | undefined;
  /** The outside part that failed. */
  readonly part?: Part | undefined;
  readonly cause?: unknown;
}

/** An error that gyre raises on purpose. `code` and `detail.part` are for programs; `infra` always names its part. */
export class GyreError extends Error {
  constructor(code: Exclude<ErrorCode, 'infra'>, message: string, detail?: ErrorDetail);
  constructor(code: ErrorCode, message: string, detail: ErrorDetail & { readonly part: Part });
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly detail: ErrorDetail = {},
  ) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = 'GyreError';
  }

  /** Rebuilds an error that another thread or process has raised. */
  static revive(code: ErrorCode, message: string, detail: ErrorDetail = {}): GyreError {
    return code === 'infra'
      ? new GyreError(code, message, { ...detail, part: detail.part ?? 'machine' })
      : new GyreError(code, message, detail);
  }
}

export type ErrorCode =
  /** A flag, file, config or request that does not fit its schema. */
  | 'bad_input'
  /** Something that must be installed is not. */
  | 'missing'
  /** A file that was written by gyre and is not whole, or not what its name says. */
  | 'corrupt'
  /** An outside part, named by `detail.part`, died or did not answer in time. */
  | 'infra'
  /** A fault of gyre itself. It is never retried: it ends the run. */
  | 'bug'
  /** The disk is full or cannot be written. */
  | 'storage'
  /** Somebody else has it for now. */
  | 'held'
  /** A tensor graph that does not fit together. */
  | 'shape'
  /** Training went to NaN or infinity. */
  | 'numeric';

/** The outside parts at whose border `infra` is raised. Programs decide by this, never by `field` or the message. */
export const Part = z.enum([
  'page',
  'browser',
  'display',
  'window_manager',
  'bus',
  'shell',
  // The first process of a session, or what isolates it.
  'machine',
  'vm',
  'phone',
  // A machine elsewhere, reached over HTTP.
  'remote',
  // A tool server inside a session: it can end while the session is whole.
  'tool_server',
  // The lease expired or was released.
  'lease',
  'model_server',
  // What decides: a program of the user, or one that takes too long.
  'policy',
  'network',
  'disk',
]);
export type Part = z.infer<typeof Part>;
