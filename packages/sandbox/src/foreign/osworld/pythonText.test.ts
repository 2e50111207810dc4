import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hasPython } from '../double/pyautoguiDouble.js';
import { pythonText } from './pythonText.js';

function evaluated(literals: readonly string[]): string[] {
  const script = [
    'import ast, json, sys',
    "values = [ast.literal_eval(text) for text in json.loads(sys.stdin.buffer.read().decode('ascii'))]",
    'assert all(type(value) is str for value in values)',
    'print(json.dumps(values))',
  ].join('\n');
  const input = JSON.stringify(literals);
  return JSON.parse(
    execFileSync('python3', ['-c', script], { input, encoding: 'utf8', maxBuffer: 2 ** 26 }),
  ) as string[];
}

const special = [
  "'",
  '"',
  '\\',
  '\n',
  '\r',
  '\0',
  '{',
  '}',
  '$',
  '`',
  ';',
  '#',
  '\u2028',
  'é',
  '漢',
  '😀',
  '\ud800',
  '\udfff',
  'N',
  'x41',
];
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.constantFrom(...special)).map((parts) => parts.join('')),
);

it.skipIf(!hasPython)('is exactly the text to Python, and plain ASCII without double quotes', () => {
  const texts = fc.sample(text, 3_000);
  const literals = texts.map(pythonText);
  for (const literal of literals) expect(literal).toMatch(/^'[ !#-~]*'$/);
  expect(evaluated(literals)).toEqual(texts);
});
