import { GyreError } from '@gyre/protocol';

/** Returns one POSIX shell word. Throws `bad_input` for U+0000. */
export function quote(text: string): string {
  if (text.includes('\0')) {
    throw new GyreError('bad_input', 'a text for a phone cannot contain U+0000', {
      field: 'text',
      fix: 'remove it',
    });
  }
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
