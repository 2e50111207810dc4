import { execFileSync, spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pythonProgram } from './pythonProgram.js';

const hasPython = spawnSync('python3', ['--version']).status === 0;

function python(expression: string, items: readonly unknown[]): unknown[] {
  const script = [
    'import ast, json, shlex, sys',
    'def call(x):',
    '    body = ast.parse(x).body',
    '    assert len(body) == 1 and len(body[0].value.args) == 1 and not body[0].value.keywords',
    '    return ast.literal_eval(body[0].value.args[0])',
    'def value(x):',
    '    try: return json.loads(json.dumps([' + expression + ']))',
    '    except Exception: return None',
    "given = json.loads(sys.stdin.buffer.read().decode('ascii'))",
    'print(json.dumps([value(x) for x in given]))',
  ].join('\n');
  const input = ascii(items);
  return JSON.parse(
    execFileSync('python3', ['-W', 'ignore', '-c', script], { input, encoding: 'utf8', maxBuffer: 2 ** 26 }),
  ) as unknown[];
}

function ascii(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\x7f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function read(literal: string): unknown[] | undefined {
  const program = pythonProgram(`f(${literal})`);
  const [statement] = program ?? [];
  return program?.length === 1 && statement?.kind === 'call' && statement.positional.length === 1
    ? [statement.positional[0]]
    : undefined;
}

describe.skipIf(!hasPython)('compared with Python', () => {
  it('reads what repr and json write', () => {
    const texts = fc.sample(fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' })), 1_000);
    const written = [...python('repr(x)', texts), ...python('ascii(x)', texts)] as ([string] | null)[];
    written.forEach((literal, index) => expect(read(literal![0])).toEqual([texts[index % texts.length]]));
  });

  it('reads a literal as Python does, or not at all', () => {
    const pieces = [
      "'",
      "'",
      '"',
      '"""',
      "'''",
      '\\',
      '\\\\',
      '\\x4',
      '1',
      'a',
      'n',
      'N{DOT}',
      'u0041',
      'U0001F600',
      '\n',
      '#',
      ' ',
      'é',
      'r',
      'b',
      'f',
      '{',
      '7',
      '(',
      ')',
      ',',
    ];
    const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));
    const quoted = fc
      .tuple(fc.constantFrom("'", '"', "r'", '"""', "u'"), soup)
      .map(([open, middle]) => open + middle + open.replace(/^[ru]/, ''));
    const literals = fc.sample(fc.oneof(soup, quoted, quoted), 8_000);
    const values = python(
      'call(x)',
      literals.map((literal) => `f(${literal})`),
    );
    let understood = 0;
    literals.forEach((literal, index) => {
      const mine = read(literal);
      if (mine === undefined || typeof mine[0] !== 'string') return;
      understood++;
      expect(values[index], JSON.stringify(literal)).toEqual(mine);
    });
    expect(understood).toBeGreaterThan(500);
  });
});

it('understands nothing but imports, settings and calls with values', () => {
  const strange = [
    'for i in range(3): f(1)',
    'x = 1\nf(x + 1)',
    'f(1) if True else g(2)',
    'f(g(1))',
    'f(*[1, 2])',
    'f(x=1, 2)',
    'f(x=1, x=2)',
    "f(f'{1}')",
    "f(b'1')",
    'f(1 2)',
    'f(1,,2)',
    'f(1',
    'f 1',
    ' f(1)',
    'f(1)\n  g(2)',
    'f(012)',
    'f(1_000)',
    'f(1j)',
    "f('a\nb')",
    'f(lambda: 1)',
    'f(1); import os, sys',
    'f(1) or g(2)',
    'f(not 1)',
    'f(--1)',
    'f[1]',
    'f(1)[0]',
    '@f\ng(1)',
    'f(1)\\\n',
  ];
  for (const code of strange) expect(pythonProgram(code), code).toBeUndefined();
});

it('understands what stands as itself', () => {
  const code = `import pyautogui; import time  # so
from pynput.keyboard import Controller
pyautogui.PAUSE = .5; f(1, -2.5, 'a' "b", [True, (None, 1e3)], (5), key = m.easeIn,
  more=r'\\n',)
Controller().type('x')
`;
  expect(pythonProgram(code)).toEqual([
    { kind: 'import', module: 'pyautogui' },
    { kind: 'import', module: 'time' },
    { kind: 'import', module: 'pynput.keyboard.Controller' },
    { kind: 'set', name: 'pyautogui.PAUSE', value: 0.5 },
    {
      kind: 'call',
      name: 'f',
      positional: [1, -2.5, 'ab', [true, [null, 1_000]], 5],
      named: new Map<string, unknown>([
        ['key', { name: 'm.easeIn' }],
        ['more', '\\n'],
      ]),
    },
    { kind: 'call', name: 'Controller().type', positional: ['x'], named: new Map() },
  ]);
});

it('reads every text and number back', () => {
  const unit = fc.constantFrom(
    'a',
    'n',
    'x41',
    '\\',
    "'",
    '"',
    '\n',
    '\r',
    '\t',
    '\0',
    '☃',
    '\u{1f600}',
    '\ud83d',
    '#',
    ')',
  );
  const escaped = { '\\': '\\\\', "'": "\\'", '\n': '\\n', '\r': '\\r', '\t': '\\t' } as Record<string, string>;
  const quote = (text: string) => `'${text.replace(/[\\'\n\r\t]/g, (mark) => escaped[mark]!)}'`;
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit }), { maxLength: 4 }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      (texts, number) => {
        const code = `f.g(${[...texts.map(quote), String(number)].join(', ')},)`;
        expect(pythonProgram(code, { lenient: true })).toEqual([
          { kind: 'call', name: 'f.g', positional: [...texts, Number(String(number))], named: new Map() },
        ]);
      },
    ),
  );
});

it('accepts leniently what recorders write and Python refuses', () => {
  const call = (value: unknown) => ({ kind: 'call', name: 'f', positional: [value], named: new Map() });
  const table: readonly (readonly [string, readonly unknown[]])[] = [
    [' f(1)\n  f(2)', [call(1), call(2)]],
    [';f(07);;', [call(7)]],
    ["f('a\rb')", [call('a\rb')]],
  ];
  for (const [code, program] of table) {
    expect(pythonProgram(code), code).toBeUndefined();
    expect(pythonProgram(code, { lenient: true }), code).toEqual(program);
  }
});
