import type { Origin } from '@gyre/protocol';
import { type z } from 'zod';
import { type CoordinateSpace, type ImportedScreenshots, type Place, importError } from './importing.js';

export interface Reading {
  readonly place: Place;
  /** Default id. */
  readonly name: string;
  readonly family: string;
  readonly origin: Origin;
  readonly coordinates: CoordinateSpace;
  /** Default start, ISO 8601. */
  readonly now: string;
  readonly screenshots: ImportedScreenshots;
}

/** @throws GyreError `bad_input` that names the first invalid field */
export function checked<T>(schema: z.ZodType<T>, value: unknown, field: string, { place }: Reading): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = [...(field === '' ? [] : field.split('.')), ...(issue?.path ?? []).map(String)];
  const message = issue?.message ?? 'is invalid';
  const kind = path.map((step) => (/^\d+$/.test(step) ? '*' : step)).join('.');
  throw importError({ ...place, field: path.join('.') }, message, 'fix this field, or omit the document', {
    kind: kind === '' ? message : `${kind}: ${message}`,
  });
}
