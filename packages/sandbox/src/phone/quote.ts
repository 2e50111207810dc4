import { GyreError } from '@gyre/protocol';

/** Returns one POSIX shell word. Throws `bad_input` for U+0000. */
export function quote(text: string): string {
  if (text.includes('\0')) {
    throw new GyreError('bad_input', 'a text with U+0000 cannot be given to a phone', {
      field: 'text',
      fix: 'leave it out',
    });
  }
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
