import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { hasPython } from '../foreign/double/pyautoguiDouble.js';
import { programText } from './programText.js';

const checks: Readonly<Record<string, readonly [string, ...string[]]>> = {
  py: ['python3', '-c', 'import sys; compile(sys.stdin.read(), "program", "exec")'],
  sh: ['sh', '-n'],
  bash: ['bash', '-n'],
  pl: ['perl', '-c'],
};
const packages = new URL('../../../', import.meta.url);
const files = ['sandbox', 'agent', 'tasks'].flatMap((name) =>
  readdirSync(new URL(`${name}/dist/`, packages), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:py|sh|pl)$/.test(file))
    .map((file) => new URL(`${name}/dist/${file}`, packages)),
);

it.each(files.map((file) => [fileURLToPath(file).replace(fileURLToPath(packages), ''), file] as const))(
  '%s can be parsed',
  (name, file) => {
    const text = programText(file);
    const kind = text.startsWith('#!/bin/bash') ? 'bash' : name.split('.').at(-1)!;
    if (kind === 'py' && !hasPython) return;
    const [program, ...args] = checks[kind]!;
    const checked = spawnSync(program, args, { input: text, encoding: 'utf8' });
    expect(checked, checked.stderr).toMatchObject({ status: 0 });
  },
);

it('finds the programs', () => {
  expect(files.length).toBeGreaterThan(10);
});
