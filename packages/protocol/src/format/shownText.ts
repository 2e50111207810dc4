/**
 * Characters that a terminal or a page obeys or hides instead of drawing: controls (C0, DEL, C1), bidirectional and other format marks,
 * zero-width characters, line and paragraph separators, tags, lone surrogates, and blanks with an ignorable code point. The two variation
 * selectors of text and emoji are left out: they only choose a drawing.
 */
const unshown = /(?![\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Most texts have none of these, which is found out in a fraction of the time that the classes above take. */
const suspect = /[^\x20-\x7e]/;

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return short[character] ?? `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/**
 * Returns a text of anyone as one line that a person can be shown: what would move the cursor, reorder or vanish is written as an escape
 * such as `\x1b` or `\u202e`. Every output for people goes through this function. A text that it has returned stays as it is.
 */
export function shownText(text: string): string {
  return suspect.test(text) ? text.replace(unshown, escaped) : text;
}

/** Returns the lines of a text, each as `shownText` shows it. Only `\n` and `\r\n` end a line. */
export function shownLines(text: string): string[] {
  return text.split(/\r?\n/).map(shownText);
}

/** Returns a value as JSON in which every character that `shownText` escapes is a `\u` escape: a parser reads the same value. */
export function shownJson(value: unknown): string {
  // JSON has no undefined, and no functions.
  return shownInJson(['undefined', 'function', 'symbol'].includes(typeof value) ? 'null' : JSON.stringify(value));
}

/** Returns JSON with every character that `shownText` escapes as a `\u` escape. Line breaks and tabs between values stay. */
export function shownInJson(json: string): string {
  if (!suspect.test(json)) return json;
  return json.replace(unshown, (character) => {
    // JSON has none of them in a string.
    if (character in short) return character;
    const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
}
