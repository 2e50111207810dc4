/**
 * Characters obeyed or hidden by terminals and pages: controls, bidirectional and other format marks, zero-width characters,
 * separators, tags, lone surrogates. The excluded variation selectors only choose a glyph.
 */
const unshown = /(?![\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const suspect = /[^\x20-\x7e]/;

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return short[character] ?? `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/**
 * Makes untrusted text one safe line: characters that move the cursor, reorder or vanish become escapes such as `\x1b`
 * or `\u202e`. All output for people goes through this. Idempotent.
 */
export function shownText(text: string): string {
  return suspect.test(text) ? text.replace(unshown, escaped) : text;
}

/** Splits at `\n` and `\r\n` only, and escapes each line. */
export function shownLines(text: string): string[] {
  return text.split(/\r?\n/).map(shownText);
}

/** Serializes to JSON with the same characters as `\u` escapes. */
export function shownJson(value: unknown): string {
  return shownInJson(['undefined', 'function', 'symbol'].includes(typeof value) ? 'null' : JSON.stringify(value));
}

/** Escapes with `\u`; line breaks and tabs between values stay. */
export function shownInJson(json: string): string {
  if (!suspect.test(json)) return json;
  return json.replace(unshown, (character) => {
    // JSON strings contain none of them raw.
    if (character in short) return character;
    const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
}
