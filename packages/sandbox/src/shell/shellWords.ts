import { GyreError } from '@gyre/protocol';

/*
 * Not the package shell-quote: its `parse` expands variables and reads comments, and its `quote` leaves plain words bare, so that bash would
 * take the program `time` for its keyword.
 */

/** Splits a command into words as Python's `shlex.split` does. Throws `bad_input` for a quote that is not closed. */
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
      // Between double quotes a backslash escapes only these.
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
  if (quote !== '') throw unclosed('a quote that is not closed');
  if (word !== undefined) words.push(word);
  return words;
}

/** Returns a command of a POSIX shell that consists of exactly these words. */
export function quotedWords(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}

function unclosed(what: string): GyreError {
  return new GyreError('bad_input', `the command has ${what}`, { field: 'command', fix: 'give a list of words' });
}
