import { z } from 'zod';

export interface ErrorDetail {
  readonly field?: string | undefined;
  readonly fix?: string | undefined;
  readonly part?: Part | undefined;
  readonly cause?: unknown;
}

/** Raised on purpose. Programs read `code` and `detail.part`; `infra` always names its part. */
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

  static revive(code: ErrorCode, message: string, detail: ErrorDetail = {}): GyreError {
    return code === 'infra'
      ? new GyreError(code, message, { ...detail, part: detail.part ?? 'machine' })
      : new GyreError(code, message, detail);
  }
}

export type ErrorCode =
  /** A flag, file, config or request fits no schema. */
  | 'bad_input'
  | 'missing'
  /** A file written by gyre is incomplete or misnamed. */
  | 'corrupt'
  /** An external part (`detail.part`) died or timed out. */
  | 'infra'
  /** Never retried: ends the run. */
  | 'bug'
  /** Full or read-only disk. */
  | 'storage'
  /** In use by somebody else. */
  | 'held'
  /** A tensor graph does not fit together. */
  | 'shape'
  /** Training reached NaN or infinity. */
  | 'numeric';

/** Programs branch on this, never on `field` or the message. */
export const Part = z.enum([
  'page',
  'browser',
  'display',
  'window_manager',
  'bus',
  'shell',
  // The session's first process or its isolation.
  'machine',
  // A machine of a fleet, with all of its sessions.
  'node',
  'vm',
  'phone',
  'remote',
  // Its session may survive.
  'tool_server',
  'lease',
  'model_server',
  // Includes users' programs, and timeouts of decisions.
  'policy',
  // The process of an official benchmark, or its evaluator.
  'benchmark',
  'network',
  'disk',
]);
export type Part = z.infer<typeof Part>;
