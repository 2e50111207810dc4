import { z } from 'zod';

/** Every error that gyre raises on purpose: a code for programs, the field it is about, and what to do. */
export class GyreError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly detail: { field?: string; fix?: string; part?: Part; cause?: unknown } = {},
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
