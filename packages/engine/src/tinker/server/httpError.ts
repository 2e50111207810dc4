import { GyreError } from '@gyre/protocol';
import type { z } from 'zod';

/** Refuses a request; `field` names the part that is wrong. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly field?: string,
  ) {
    super(message);
  }
}

/** @throws HttpError 422 that names the first wrong field. */
export function checked<T>(shape: z.ZodType<T>, value: unknown): T {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join('.') || 'body';
  throw new HttpError(422, `${field}: ${issue?.message ?? 'is invalid'}`, field);
}

/** Translates errors of requests and of results; hides those that were not raised on purpose. */
export function httpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (!(error instanceof GyreError)) return new HttpError(500, 'internal error of the server: see its log');
  const { field, fix } = error.detail;
  const isRequest = error.code === 'bad_input' || error.code === 'shape' || error.code === 'missing';
  return new HttpError(isRequest ? 400 : 500, fix === undefined ? error.message : `${error.message}: ${fix}`, field);
}
