import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hasPython } from '../foreign/double/pyautoguiDouble.js';
import { quotedWords, shellWords } from './shellWords.js';

const script = `
import json, shlex, sys
def words(command):
    try: return shlex.split(command)
    except ValueError: return None
print(json.dumps([words(command) for command in json.load(sys.stdin)]))
`;

it.skipIf(!hasPython)('splits commands as shlex does', () => {
  const pieces = ["'", '"', '\\', ' ', '\t', '\n', 'a', 'b', '$', ';', '#', 'é', '|', '"x y"', "'p q'"];
  const command = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));
  const commands = fc.sample(command, 4_000);
  const options = { input: JSON.stringify(commands), encoding: 'utf8', maxBuffer: 2 ** 26 } as const;
  const split = JSON.parse(execFileSync('python3', ['-c', script], options)) as (string[] | null)[];
  for (const [index, command] of commands.entries()) {
    const expected = split[index];
    if (expected === null) expect(() => shellWords(command), JSON.stringify(command)).toThrow();
    else expect(shellWords(command), JSON.stringify(command)).toEqual(expected);
  }
});

it('splits what was quoted into the same words', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), (words) => {
      expect(shellWords(quotedWords(words))).toEqual(words);
    }),
  );
});
