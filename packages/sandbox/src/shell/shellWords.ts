import { GyreError } from '@gyre/protocol';

/*
 * Not the package shell-quote: its `parse` expands variables and reads comments, and its `quote` leaves words bare, so
 * that bash would take the program `time` for its keyword.
 */

/** Splits like Python's `shlex.split`. Throws `bad_input` for an unclosed quote. */
export function shellWords(command: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let index = 0; index < command.length; index++) {
    const character = command[index]!;
    if (quote === "'" || (quote === '"' && character !== '\\')) {
      if (character === quote) quote = '';
      else word = (word ?? '') + character;
    } else if (character === '\\') {
      const next = command[++index];
      if (next === undefined) throw unclosed('a backslash at the end');
      // In double quotes, backslashes escape only these.
      word = (word ?? '') + (quote === '"' && next !== '"' && next !== '\\' ? `\\${next}` : next);
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= '';
    } else if (/[ \t\r\n]/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + character;
    }
  }
  if (quote !== '') throw unclosed('an unclosed quote');
  if (word !== undefined) words.push(word);
  return words;
}

export function quotedWords(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}

function unclosed(what: string): GyreError {
  return new GyreError('bad_input', `the command has ${what}`, { field: 'command', fix: 'use a list of words' });
}
