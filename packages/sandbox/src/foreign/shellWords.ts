import { GyreError } from '@gyre/protocol';

/**
 * The words of a command as Python's `shlex.split` cuts it: quotes and backslashes as in a POSIX shell, and nothing else of
 * one. Throws `bad_input` for a quote that is not closed.
 */
export function shellWords(command: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let index = 0; index < command.length; index++) {
    const character = command[index]!;
    if (quote === "'" || (quote === '"' && character !== '\\')) {
      if (character === quote) quote = '';
      else word += character;
    } else if (character === '\\') {
      const next = command[++index];
      if (next === undefined) throw open('a backslash at the end');
      // Between double quotes a backslash is itself, but before these.
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
  if (quote !== '') throw open('a quote that is not closed');
  if (word !== undefined) words.push(word);
  return words;
}

/** A command of a POSIX shell that has exactly these words. */
export function quotedWords(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}

function open(what: string): GyreError {
  return new GyreError('bad_input', `the command has ${what}`, { field: 'command', fix: 'give a list of words' });
}
