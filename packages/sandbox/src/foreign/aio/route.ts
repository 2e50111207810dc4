import { GyreError } from '@gyre/protocol';
import { json, type CompatAnswer, type CompatRequest } from '../served/request.js';

export type Fields = Readonly<Record<string, unknown>>;

/** `params`: the `:name` parts of the path. */
export type Route = (
  request: CompatRequest,
  params: Readonly<Record<string, string>>,
) => Promise<CompatAnswer> | CompatAnswer;

/** Such as `POST /v1/bash/sessions/:id/close`. */
export type Routes = Readonly<Record<string, Route>>;

/** Reported with status 200. */
export class Unsuccessful extends Error {}

export function done(data: unknown, hint: string | null = null): CompatAnswer {
  return json({ success: true, message: 'Operation successful', data, hint });
}

/** Answers in FastAPI's format. */
export function invalid(field: string, message: string): CompatAnswer {
  return json({ detail: [{ loc: ['body', field], msg: message, type: 'value_error' }] }, 422);
}

export function missing(part: string, fix = 'lease a session that has it'): never {
  throw new GyreError('missing', `this session has no ${part}: ${fix}`, { field: part, fix });
}

export function refuse(field: string, fix: string): never {
  throw new GyreError('bad_input', `${field} is invalid: ${fix}`, { field, fix });
}

/** Throws `bad_input` for another type, as do the others. */
export function optionalText(fields: Fields, field: string): string | undefined {
  const value = fields[field];
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : refuse(field, 'use a string');
}

export function optionalTexts(fields: Fields, field: string): readonly string[] | undefined {
  const value = fields[field];
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  return refuse(field, 'use a list of strings');
}

export function optionalRecord(fields: Fields, field: string): Readonly<Record<string, string>> | undefined {
  const value = fields[field];
  if (value === undefined || value === null) return undefined;
  const isRecord = typeof value === 'object' && !Array.isArray(value);
  if (isRecord && Object.values(value).every((item) => typeof item === 'string'))
    return value as Record<string, string>;
  return refuse(field, 'use an object of strings');
}

export function findRoute(
  routes: Routes,
  method: string,
  path: string,
): { route: Route; params: Record<string, string> } | undefined {
  const parts = path.split('/');
  for (const [pattern, route] of Object.entries(routes)) {
    const [verb, place] = pattern.split(' ') as [string, string];
    const names = place.split('/');
    if (verb !== method.toUpperCase() || names.length !== parts.length) continue;
    if (!names.every((name, index) => name.startsWith(':') || name === parts[index])) continue;
    const params = names.flatMap((name, index) =>
      name.startsWith(':') ? [[name.slice(1), decoded(parts[index]!)]] : [],
    );
    return { route, params: Object.fromEntries(params) as Record<string, string> };
  }
  return undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return refuse('path', 'percent-encode it');
  }
}
