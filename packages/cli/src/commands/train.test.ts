import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { inProcess, lastJson } from '../inProcess.test.fixture.js';

test('value pretraining prints the explained variance and its ceiling', { timeout: 300_000 }, async () => {
  const dir = await mkdtemp(join(tmpdir(), 'gyre-value-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const settings = join(dir, 'settings.json');
  await writeFile(settings, JSON.stringify({ families: ['tabs'], ppo: { criticLearningRate: 1e-3 } }));
  const run = ['train', 'value', '--from', 'pixels', '--settings', settings, '--directory', join(dir, 'run')];
  const few = ['--sessions', '4', '--browsers', '1', '--episodes', '10', '--ceiling', '8'];
  const { status, stdout, stderr } = await inProcess(...run, ...few, '--json');
  expect(status).toBe(0);
  expect(stderr).toMatch(
    /a critic can explain -?\d\.\d\d \(.*\) of the variance \(measured on 8 continued turns\); this one reaches -?\d+ % of it/,
  );
  const { ceiling } = lastJson(stdout) as { ceiling: { explainedVariance: number; low: number; high: number } };
  expect(ceiling).toMatchObject({ pairs: 8 });
  expect(ceiling.low).toBeLessThan(ceiling.explainedVariance);
  expect(ceiling.explainedVariance).toBeLessThan(ceiling.high);
});
