import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const file = fileURLToPath(new URL('../../../examples/minimal-ppo/ppo.js', import.meta.url));

test('the example is one file of less than 300 lines that imports the packages alone', () => {
  const text = readFileSync(file, 'utf8');
  expect(text.split('\n').length).toBeLessThan(300);
  const imported = [...text.matchAll(/ from '([^']+)'/g)].map(([, name]) => name);
  expect(imported).toContain('@gyre/engine');
  for (const name of imported) expect(name).toMatch(/^(node:\w+(\/\w+)?|@gyre\/\w+)$/);
});

test('the example plays, learns and measures', { timeout: 300_000 }, async () => {
  const small = ['--family', 'click', '--iterations', '2', '--episodes', '6', '--tests', '3', '--sessions', '4'];
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...small]);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => line.split(':')[0])).toEqual(['before', 'iteration 1', 'iteration 2', 'after']);
  expect(lines[0]).toMatch(/^before: \d+ % \(\d+–\d+\) of 3 click tasks$/);
  expect(lines[1]).toMatch(/of 6 click tasks, entropy \d\.\d+, KL \d\.\d+$/);
  // Rewards differ, so the update cannot be zero.
  expect(lines.slice(1, 3).join()).not.toMatch(/KL 0\.0000.*KL 0\.0000/);
});

test('the example refuses what it cannot understand', async () => {
  const run = promisify(execFile)(process.execPath, [file, '--episodes', 'many']);
  await expect(run).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('--episodes') as string });
});
