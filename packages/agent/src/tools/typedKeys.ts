import { keyName } from '@gyre/protocol';

/** As agents write them alone on a line. */
const keyWords = /^(?:ENTER|RETURN|TAB|ESC|ESCAPE|SPACE|BS|BACKSPACE|DEL|UP|DOWN|LEFT|RIGHT|HOME|END|PGUP|PGDN)$/;

/**
 * Parses `C-c`, `^C`, `ctrl+c`, `<C-c>`, the control character, or an upper-case key name (`ESC`); undefined for other
 * text.
 */
export function keysOf(text: string): string | undefined {
  const [, key] = /^\s*<?(?:C-|\^|ctrl[-+ ])([a-z@[\\\]^_])>?\s*$/i.exec(text) ?? [];
  if (key !== undefined) return `ctrl ${key.toLowerCase()}`;
  const code = text.length === 1 ? text.charCodeAt(0) : Infinity;
  if (code > 0 && code < 0x20 && !'\n\r\t'.includes(text)) return code === 0x1b ? 'escape' : `ctrl ${control(code)}`;
  const [, word] = /^\s*<?([A-Z]+)>?\s*$/.exec(text) ?? [];
  return word !== undefined && keyWords.test(word) ? keyName(word) : undefined;
}

const control = (code: number): string => String.fromCharCode(code | 0x40).toLowerCase();
