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

/** `data` of an error message. */
export interface FailureBody {
  readonly message: string;
  readonly code: FailureCode;
  readonly [more: string]: unknown;
}

export class Failure extends Error {
  constructor(
    readonly code: FailureCode,
    message: string,
    readonly more: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

/** `retry` is true if the machine failed, not the client. */
export function failureBody(error: unknown): FailureBody {
  if (error instanceof Failure) return { message: error.message, code: error.code, ...error.more };
  if (error instanceof z.ZodError) {
    const errors = error.issues.map(({ path, message }) => ({ loc: path, msg: message }));
    const [first] = errors;
    const message = first ? `${first.loc.join('.') || 'data'}: ${first.msg}` : 'the message is invalid';
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
  // An unforeseen message may contain secrets.
  return { message: (error as Error).name, code: 'EXECUTION_ERROR' };
}
