import { ESLint } from 'eslint';
import { fileURLToPath } from 'node:url';
import tseslint from 'typescript-eslint';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
// The files do not exist, so they have no types.
const eslint = new ESLint({ cwd: root, overrideConfig: [tseslint.configs.disableTypeChecked] });

async function lintMessages(file: string, code: string): Promise<string[]> {
  const [result] = await eslint.lintText(code, { filePath: `${root}packages/${file}` });
  expect(result?.messages.filter((message) => message.fatal)).toEqual([]);
  return (result?.messages ?? [])
    .filter((message) => message.ruleId === 'gyre/floors')
    .map((message) => message.message);
}

describe('the floor rule', () => {
  test('lets a package import from floors below', async () => {
    expect(await lintMessages('training/src/x.ts', "import { Lake } from '@gyre/lake';\nexport { Lake };\n")).toEqual(
      [],
    );
  });

  test('lets an example use its own package by its name', async () => {
    expect(await lintMessages('engine/examples/x.js', "import '@gyre/engine';\n")).toEqual([]);
    expect(await lintMessages('engine/src/x.ts', "import '@gyre/engine';\n")).toHaveLength(1);
  });

  test.each([
    [
      'an upward import',
      'engine/src/x.ts',
      "import '@gyre/training';",
      /engine \(floor 2\) may not import training \(floor 4\)/,
    ],
    [
      'an import on the same floor',
      'agent/src/x.ts',
      "import '@gyre/tasks';",
      /agent \(floor 3\) may not import tasks/,
    ],
    [
      'a type from above',
      'protocol/src/x.ts',
      "import type { Lake } from '@gyre/lake';\nexport type { Lake };",
      /may not import lake/,
    ],
    ['a dynamic import from above', 'lake/src/x.ts', "await import('gyre');", /may not import cli/],
    ['a re-export from above', 'sandbox/src/x.ts', "export * from '@gyre/agent';", /may not import agent/],
    ['a way around the index', 'cli/src/x.ts', "import '@gyre/engine/dist/graph.js';", /through its index/],
    ['a path into another package', 'cli/src/x.ts', "import '../../engine/src/tensor/graph.js';", /leaves the package/],
    ['a package without a floor', 'cli/src/x.ts', "import '@gyre/attic';", /has no floor/],
  ])('refuses %s', async (_, file, code, expected) => {
    const messages = await lintMessages(file, `${code}\n`);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatch(expected);
  });
});
