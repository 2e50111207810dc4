import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Split, Task } from '@gyre/protocol';
import { BrowserPool } from '@gyre/sandbox';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TaskFamily } from './family/family.js';
import { startTask } from './family/run.js';

const page = readFileSync(new URL('../../../docs/how-to/new-task.md', import.meta.url), 'utf8');
const [drawn = '', judged = ''] = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code!);
const dist = fileURLToPath(new URL('./', import.meta.url));

describe('docs/how-to/new-task.md', () => {
  let folder: string;
  let dots: TaskFamily;
  let pool: BrowserPool;
  beforeAll(async () => {
    // Beside what it imports, and where its packages are found.
    folder = await mkdtemp(`${dist}new-task-`);
    const stdin = (contents: string) => ({ contents, loader: 'ts' as const, resolveDir: `${dist}family` });
    const external = ['@gyre/*'];
    // As `scripts/bundle.mjs` does; `pageScript` looks for it beside the code that it is part of.
    const bundled = { bundle: true, format: 'iife', globalName: 'page' } as const;
    await Promise.all([
      build({
        stdin: stdin(drawn),
        outfile: `${folder}/family/dots.js`,
        bundle: true,
        format: 'esm',
        platform: 'node',
        external,
      }),
      build({ ...bundled, stdin: stdin(judged), outfile: `${folder}/dots.page.bundle` }),
      writeFile(`${folder}/package.json`, '{ "type": "module" }'),
    ]);
    ({ dots } = (await import(pathToFileURL(`${folder}/family/dots.js`).href)) as { dots: TaskFamily });
    pool = await BrowserPool.launch();
  });
  afterAll(async () => {
    await pool.close();
    await rm(folder, { recursive: true });
  });

  test('is a task in under 60 lines', () => {
    expect(`${drawn}${judged}`.trimEnd().split('\n').length).toBeLessThan(60);
    expect(page).toContain(`${`${drawn}${judged}`.trimEnd().split('\n').length} lines`);
  });

  test('draws valid tasks, the same for the same seed, and no picture twice for two splits', () => {
    const pictures = (split: Split) =>
      new Set(Array.from({ length: 200 }, (_, seed) => dots.create(split, seed).page.html.replace(/<button.*/s, '')));
    expect(dots.create('test', 3)).toEqual(dots.create('test', 3));
    expect(Task.parse(dots.create('test', 3).task)).toEqual(dots.create('test', 3).task);
    const [train, dev, held] = [pictures('train'), pictures('dev'), pictures('test')];
    expect(train.size).toBeGreaterThan(190);
    expect([...dev, ...held].filter((html) => train.has(html))).toEqual([]);
  });

  test('is solved by its oracle, and not by a wrong press or a forged one', async () => {
    const session = await pool.lease({ size: { width: 160, height: 160 } });
    for (const seed of [0, 1, 2, 3, 4, 5, 6, 7]) {
      const run = await startTask(session, dots.create('test', seed));
      const { actions } = await run.oracle();
      await session.browser.evaluate(`document.querySelectorAll('button').forEach((button) => button.click())`);
      expect(await run.step()).toEqual({ reward: 0, done: false });
      for (const action of actions) await session.screen.act(action);
      expect(await run.step()).toEqual({ reward: 1, done: true });
    }
    const run = await startTask(session, dots.create('test', 0));
    const [right] = (await run.oracle()).actions;
    const x = right && 'point' in right && right.point && right.point.x < 0.5 ? 0.9 : 0.1;
    await session.screen.act({ type: 'click', point: { x, y: 0.8 } });
    expect(await run.step()).toEqual({ reward: 0, done: true });
    expect((await run.verdict()).success).toBe(false);
    await session.release();
  });
});
