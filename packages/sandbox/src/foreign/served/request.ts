import { setImmediate as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import { Parser } from '../../server/json/parser.js';

export interface CompatRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: Uint8Array;
}

export interface CompatAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Never throws: failures are answers too. */
export type CompatHandler = (request: CompatRequest) => Promise<CompatAnswer>;

export function json(value: unknown, status = 200): CompatAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(value)) };
}

export function plain(text: string, status = 200): CompatAnswer {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body: Buffer.from(text) };
}

export function binary(type: string, body: Uint8Array, headers: Readonly<Record<string, string>> = {}): CompatAnswer {
  return { status: 200, headers: { 'content-type': type, ...headers }, body };
}

/** JSON bodies may hold files in base64. */
const maxJson = 2 ** 26;

/** Shared. The first long body starts its thread. */
const parser = new Parser();

/** Throws `bad_input`, as do the parsers below. */
export async function jsonFields({ headers, body }: CompatRequest): Promise<Readonly<Record<string, unknown>>> {
  const type = headers?.['content-type'] ?? '';
  if (!/^application\/json *(;|$)/i.test(type)) {
    throw new GyreError('bad_input', 'the body is not JSON', {
      field: 'content-type',
      fix: 'send application/json',
    });
  }
  if (body && body.length > maxJson) {
    throw new GyreError('bad_input', `the body has ${body.length} bytes`, {
      field: 'body',
      fix: `send at most ${maxJson}`,
    });
  }
  const value = await parser.read(inPieces(body ?? new Uint8Array()));
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new GyreError('bad_input', 'the body is not a JSON object', { field: 'body', fix: 'send a JSON object' });
}

const pieceBytes = 2 ** 20;

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  for (let offset = 0; offset < bytes.length; offset += pieceBytes) {
    yield bytes.slice(offset, offset + pieceBytes);
    if (offset > 0) await pause();
  }
}

/** Returns files as bytes. */
export async function formFields(request: CompatRequest): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const fields = new Map<string, string | Uint8Array>();
  for (const [name, value] of (await formOf(request)).entries()) {
    fields.set(name, typeof value === 'string' ? value : new Uint8Array(await value.arrayBuffer()));
  }
  return fields;
}

/** Expects one file in the field `file`. */
export async function uploadedFile(
  request: CompatRequest,
): Promise<{ readonly name: string; readonly file: Uint8Array; readonly fields: ReadonlyMap<string, string> }> {
  const entries = [...(await formOf(request)).entries()];
  const fields = new Map(entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
  for (const [name, value] of entries) {
    if (name !== 'file' || typeof value === 'string') continue;
    return { name: value.name, file: new Uint8Array(await value.arrayBuffer()), fields };
  }
  throw new GyreError('bad_input', 'the form has no file', { field: 'file', fix: 'send a file in the field file' });
}

async function formOf(request: CompatRequest): Promise<FormData> {
  const type = request.headers?.['content-type'] ?? '';
  // Deprecated for servers since it buffers the body, which is in memory anyway.
  const response: { readonly formData: () => Promise<FormData> } = new Response(Buffer.from(request.body ?? []), {
    headers: { 'content-type': type },
  });
  try {
    return await response.formData();
  } catch (cause) {
    throw new GyreError('bad_input', 'the body is not a form', { field: 'body', fix: 'send a form', cause });
  }
}

export function textField(fields: Readonly<Record<string, unknown>>, field: string): string {
  const value = fields[field];
  if (typeof value === 'string' && value !== '') return value;
  throw new GyreError('bad_input', `${field} is not a string or is empty`, { field, fix: 'use a non-empty string' });
}

export function numberField(fields: Readonly<Record<string, unknown>>, field: string): number | undefined {
  const value = fields[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new GyreError('bad_input', `${field} is not a number`, { field, fix: 'use a number' });
}
