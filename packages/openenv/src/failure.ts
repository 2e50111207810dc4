import { GyreError } from '@gyre/protocol';
import { withoutHostPaths } from '@gyre/sandbox';
import { z } from 'zod';

export type FailureCode =
  | 'INVALID_JSON'
  | 'UNKNOWN_TYPE'
  | 'VALIDATION_ERROR'
  | 'EXECUTION_ERROR'
  | 'CAPACITY_REACHED'
  | 'FACTORY_ERROR'
  | 'SESSION_ERROR';

/** The `data` of an error message. */
export interface ToldFailure {
  readonly message: string;
  readonly code: FailureCode;
  readonly [more: string]: unknown;
}

/** A failure by its name in OpenEnv. */
export class Failure extends Error {
  constructor(
    readonly code: FailureCode,
    message: string,
    /** What else the client is told. */
    readonly more: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

/** What a client is told of an error. `retry` is there and true where the machine failed, not the client. */
export function told(error: unknown): ToldFailure {
  if (error instanceof Failure) return { message: error.message, code: error.code, ...error.more };
  if (error instanceof z.ZodError) {
    const errors = error.issues.map(({ path, message }) => ({ loc: path, msg: message }));
    const [first] = errors;
    const message = first ? `${first.loc.join('.') || 'data'}: ${first.msg}` : 'the message does not fit';
    return { message, code: 'VALIDATION_ERROR', errors };
  }
  if (error instanceof GyreError) {
    const { field, fix } = error.detail;
    const message = fix === undefined ? error.message : `${error.message} (${fix})`;
    if (error.code !== 'bad_input')
      return { message: withoutHostPaths(message), code: 'EXECUTION_ERROR', retry: error.code === 'infra' };
    return {
      message,
      code: 'VALIDATION_ERROR',
      errors: [{ loc: field === undefined ? [] : [field], msg: error.message }],
    };
  }
  // What nobody foresaw may hold what is not for all.
  return { message: (error as Error).name, code: 'EXECUTION_ERROR' };
}
