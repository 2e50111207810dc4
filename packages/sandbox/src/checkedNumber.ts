import { GyreError } from '@gyre/protocol';

/** What a number may be. */
export interface NumberRange {
  readonly least: number;
  readonly most: number;
  /** Default: false. */
  readonly whole?: boolean;
}

/** Returns a number within a range. Throws `bad_input` that names the field and the range, whatever the value is. */
export function checkedNumber(field: string, value: unknown, { least, most, whole = false }: NumberRange): number {
  if (typeof value === 'number' && value >= least && value <= most && (!whole || Number.isInteger(value))) return value;
  throw new GyreError('bad_input', `${field} is ${shown(value)}`, {
    field,
    fix: `give a ${whole ? 'whole ' : ''}number from ${least} to ${most}`,
  });
}

/** The longest wait of a timer, in ms: longer ones fire at once. */
export const longestMs = 2 ** 31 - 1;

/** Returns what a value is, in a few characters. */
export function shown(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return ((JSON.stringify(value) as string | undefined) ?? 'undefined').slice(0, 40);
}
