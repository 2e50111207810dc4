/** What a text has in a place where a turn cannot have it. Readers throw it to themselves; who calls them gets a result. */
export class Malformed extends Error {
  constructor(
    message: string,
    /** In UTF-16 code units from the start of the text. */
    readonly at: number,
  ) {
    super(message);
  }
}

/** What was read, short enough for a message. */
export function shorten(value: string): string {
  return value.length <= 60 ? value : `${value.slice(0, 57)}...`;
}
