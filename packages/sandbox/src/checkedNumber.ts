import { GyreError } from '@gyre/protocol';

export interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly whole?: boolean;
}

/** Throws `bad_input` with the field and range. */
export function checkedNumber(field: string, value: unknown, { min, max, whole = false }: NumberRange): number {
  if (typeof value === 'number' && value >= min && value <= max && (!whole || Number.isInteger(value))) return value;
  throw new GyreError('bad_input', `invalid ${field}: ${describeValue(value)}`, {
    field,
    fix: `use a ${whole ? 'whole ' : ''}number from ${min} to ${max}`,
  });
}

/** Longer timers fire at once. */
export const maxTimerMs = 2 ** 31 - 1;

export function describeValue(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return ((JSON.stringify(value) as string | undefined) ?? 'undefined').slice(0, 40);
}
