/** Returns the text of a value in the address, or ''. The router reads `true` and `7` as a boolean and a number. */
export function textIn(value: unknown): string {
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isPlain ? `${value}` : '';
}

/** Returns a position above 0 as a part of the address. */
export function turnIn(value: unknown): { turn?: number } {
  const turn = Number(value);
  return Number.isInteger(turn) && turn > 0 ? { turn } : {};
}
