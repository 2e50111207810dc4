/** A syntax error; readers catch it before returning. */
export class Malformed extends Error {
  constructor(
    message: string,
    /** In UTF-16 code units. */
    readonly offset: number,
  ) {
    super(message);
  }
}

export function shorten(value: string): string {
  return value.length <= 60 ? value : `${value.slice(0, 57)}...`;
}
