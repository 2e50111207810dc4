import { keyName } from '@gyre/protocol';

/** Names of keys that agents write alone in a line, as terminals name them. */
const keyWords = /^(?:ENTER|RETURN|TAB|ESC|ESCAPE|SPACE|BS|BACKSPACE|DEL|UP|DOWN|LEFT|RIGHT|HOME|END|PGUP|PGDN)$/;

/**
 * Returns the keys that a text stands for: a control key in one of its spellings (`C-c`, `^C`, `ctrl+c`, `<C-c>`, the character
 * itself) or the name of a key in capitals (`ESC`). Returns undefined for any other text.
 */
export function keysOf(text: string): string | undefined {
  const [, key] = /^\s*<?(?:C-|\^|ctrl[-+ ])([a-z@[\\\]^_])>?\s*$/i.exec(text) ?? [];
  if (key !== undefined) return `ctrl ${key.toLowerCase()}`;
  const code = text.length === 1 ? text.charCodeAt(0) : Infinity;
  if (code > 0 && code < 0x20 && !'\n\r\t'.includes(text)) return code === 0x1b ? 'escape' : `ctrl ${control(code)}`;
  const [, word] = /^\s*<?([A-Z]+)>?\s*$/.exec(text) ?? [];
  return word !== undefined && keyWords.test(word) ? keyName(word) : undefined;
}

/** The character that makes a control code together with ctrl. */
const control = (code: number): string => String.fromCharCode(code | 0x40).toLowerCase();
