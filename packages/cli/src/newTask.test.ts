import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type Split, Task } from '@gyre/protocol';
import { BrowserPool, probeIsolation } from '@gyre/sandbox';
import { setUpTask, type SuiteModule, type TaskFamily } from '@gyre/tasks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(join(root, 'docs/how-to/new-task.md'), 'utf8');
const files = new Map(
  [...page.matchAll(/^`([\w.-]+\.ts)`[^\n]*(?:\n[^\n`]+)*\n\n```ts\n(.*?)```/gms)].map(([, name, code]) => [
    name!,
    code!,
  ]),
);
const commands = [...page.matchAll(/^npx .*$/gm)].map(([line]) => line.replace(/ +#.*$/, ''));
const run = promisify(execFile);
const isolation = await probeIsolation();
const whyNot = isolation.kind === 'none' ? ` (left out: ${isolation.reason})` : '';

describe('docs/how-to/new-task.md, followed in an empty folder', () => {
  let folder: string;
  let dots: TaskFamily;
  let pool: BrowserPool;

  const follow = (beginning: string, ...more: string[]) => {
    const line = commands.find((command) => command.startsWith(beginning));
    if (line === undefined) throw new Error(`the page does not show: ${beginning}`);
    const env = { ...process.env, npm_config_offline: 'true' };
    return run('sh', ['-c', [line, ...more].join(' ')], { cwd: folder, env });
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gyre-new-task-'));
    const modules = join(folder, 'node_modules');
    await mkdir(join(modules, '.bin'), { recursive: true });
    await symlink(join(root, 'node_modules/@gyre'), join(modules, '@gyre'));
    await symlink(join(root, 'node_modules/.bin/esbuild'), join(modules, '.bin/esbuild'));
    await symlink(join(root, 'packages/cli/bin/gyre.mjs'), join(modules, '.bin/gyre'));
    await writeFile(join(folder, 'package.json'), '{ "name": "my-tasks", "type": "module" }');
    for (const [name, code] of files) await writeFile(join(folder, name), code);
    await follow('npx esbuild *.ts');
    await follow('npx esbuild dots.page.ts');
    const { suite } = (await import(pathToFileURL(join(folder, 'my-suite.js')).href)) as { suite: SuiteModule };
    dots = suite.families[0] as TaskFamily;
    pool = await BrowserPool.launch();
  });
  afterAll(async () => {
    await pool.close();
    await rm(folder, { recursive: true });
  });

  test('its files compile in strict mode, in as many lines as it says', async () => {
    expect([...files.keys()].sort()).toEqual(['dots.page.ts', 'dots.ts', 'my-suite.ts', 'notes.ts']);
    const lines = [...files.values()].join('').trimEnd().split('\n').length;
    expect(/two families in (\d+) lines/.exec(page)?.[1]).toBe(String(lines));
    expect(lines).toBeLessThan(100);
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--lib',
      'es2023,dom',
    ];
    const tsc = join(root, 'node_modules/typescript-native/bin/tsc');
    const { stdout } = await run(process.execPath, [tsc, ...options, '--types', '', ...files.keys()], {
      cwd: folder,
    }).catch((error: unknown) => error as { stdout: string });
    expect(stdout).toBe('');
  });

  test('draws valid tasks, the same for the same seed, and no picture twice for two splits', () => {
    const pictures = (split: Split) =>
      new Set(Array.from({ length: 200 }, (_, seed) => dots.create(split, seed).page.html.replace(/<button.*/s, '')));
    expect(dots.create('test', 3)).toEqual(dots.create('test', 3));
    expect(Task.parse(dots.create('test', 3).task)).toEqual(dots.create('test', 3).task);
    const [train, dev, heldOut] = [pictures('train'), pictures('dev'), pictures('test')];
    expect(train.size).toBeGreaterThan(190);
    expect([...dev, ...heldOut].filter((html) => train.has(html))).toEqual([]);
  });

  test('is solved by its oracle, and not by a wrong press or a forged one', async () => {
    const session = await pool.lease({ size: { width: 160, height: 160 } });
    for (const seed of [0, 1, 2, 3, 4, 5, 6, 7]) {
      const verifier = await setUpTask(session, dots.create('test', seed), dots);
      const { actions } = await verifier.oracle();
      await session.browser.evaluate(`document.querySelectorAll('button').forEach((button) => button.click())`);
      expect(await verifier.step()).toEqual({ reward: 0, done: false });
      for (const action of actions) await session.screen.act(action as Parameters<typeof session.screen.act>[0]);
      expect(await verifier.step()).toEqual({ reward: 1, done: true });
    }
    const verifier = await setUpTask(session, dots.create('test', 0), dots);
    const [right] = (await verifier.oracle()).actions;
    const x = right && 'point' in right && right.point && right.point.x < 0.5 ? 0.9 : 0.1;
    await session.screen.act({ type: 'click', point: { x, y: 0.8 } });
    expect(await verifier.step()).toEqual({ reward: 0, done: true });
    expect((await verifier.verdict()).success).toBe(false);
    await session.release();
  });

  test('is listed, shown and run by the command-line program', async () => {
    const { stdout: list } = await follow('npx gyre tasks list');
    expect(list).toMatch(/^mine +dots +160x160 .*Count the dots/m);
    expect(list).toMatch(/^mine +notes +640x480 .*Count the lines/m);
    const { stdout: output } = await follow('npx gyre tasks show');
    expect(output).toMatch(/solved in 1 turns/);
    expect((await readFile(join(folder, 'dots.png'))).subarray(1, 4).toString()).toBe('PNG');
    expect((await follow('npx gyre run')).stdout).toMatch(/success, score 1\.00/);
  });

  test.skipIf(isolation.kind === 'none')(`page and machine are evaluated alike${whyNot}`, async () => {
    const { stdout } = await follow('npx gyre eval', '--json');
    const { results } = JSON.parse(stdout.trim().split('\n').at(-1)!) as { results: object[] };
    expect(results).toMatchObject([
      { family: 'dots', n: 4, success: 1 },
      { family: 'notes', n: 4, success: 1 },
    ]);
  });
});
