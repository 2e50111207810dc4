import { GyreError, Size } from '@gyre/protocol';
import { parseJson } from '../../isolation/peer/json.js';

export interface Part {
  readonly value: unknown;
  /** Request and position in its reply, for errors. */
  readonly where: string;
}

export type Fields = Readonly<Record<string, unknown>>;

export function parsed(bytes: Uint8Array, request: string): Part {
  const text = Buffer.from(bytes).toString('utf8');
  try {
    return { value: parseJson(text), where: request };
  } catch (cause) {
    throw malformed({ value: text, where: request }, 'JSON', cause);
  }
}

/** Throws `infra` for anything but an object; the field may be undefined. */
export function fieldOf(part: Part, field: string): Part {
  return {
    value: Object.hasOwn(object(part), field) ? object(part)[field] : undefined,
    where: `${part.where} .${field}`,
  };
}

export function object(part: Part): Fields {
  const { value } = part;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(part, 'an object');
  return value as Fields;
}

export function text(part: Part): string {
  if (typeof part.value !== 'string') throw malformed(part, 'a string');
  return part.value;
}

export function textOrNone(part: Part): string {
  return part.value === null || part.value === undefined ? '' : text(part);
}

export function integer(part: Part): number {
  if (!Number.isSafeInteger(part.value)) throw malformed(part, 'a whole number');
  return part.value as number;
}

export function list(part: Part): Part[] {
  if (!Array.isArray(part.value)) throw malformed(part, 'a list');
  return part.value.map((value: unknown, index) => ({ value, where: `${part.where}[${index}]` }));
}

export function base64(part: Part): Uint8Array {
  const coded = text(part);
  // Not one pattern: two adjacent runs of blanks would take quadratic time.
  if (/[^A-Za-z0-9+/=\s]/.test(coded)) throw malformed(part, 'base64');
  return Buffer.from(coded, 'base64');
}

export function sizeIn(part: Part): Size {
  const size = Size.safeParse({ width: fieldOf(part, 'width').value, height: fieldOf(part, 'height').value });
  if (!size.success) throw malformed(part, 'a width and a height');
  return size.data;
}

export function malformed({ value, where }: Part, expected: string, cause?: unknown): GyreError {
  const excerpt = (
    typeof value === 'string' ? value : ((JSON.stringify(value) as string | undefined) ?? 'nothing')
  ).slice(0, 120);
  return new GyreError('infra', `${where}: answered ${excerpt === '' ? 'nothing' : excerpt} instead of ${expected}`, {
    part: 'remote',
    field: 'protocol',
    fix: 'check that the server on the machine works and speaks the protocol',
    cause,
  });
}
