import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { inProcess, lastJson } from '../inProcess.test.fixture.js';

test(
  'supervised fine-tuning starts from the base policy, and plays missing demonstrations',
  { timeout: 300_000 },
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'gyre-sft-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const settings = join(dir, 'settings.json');
    await writeFile(settings, JSON.stringify({ sft: { perception: 0, demonstrations: 2 } }));
    const run = [
      'train',
      'sft',
      '--settings',
      settings,
      '--directory',
      join(dir, 'run'),
      '--minutes',
      '0.05',
      '--json',
    ];
    const few = ['--sessions', '2', '--browsers', '1', '--demonstrations', '3'];
    const first = await inProcess(...run, ...few, '--family', 'click');
    expect(first.status).toBe(0);
    const report = lastJson(first.stdout) as { steps: number; demonstrations: number; loss: number };
    expect(report).toMatchObject({ demonstrations: 3 });
    expect(report.steps).toBeGreaterThan(0);
    // Random weights have a loss above 4.
    expect(report.loss).toBeLessThan(1.5);
    const more = await inProcess(...run, ...few, '--family', 'click,tabs');
    expect(lastJson(more.stdout)).toMatchObject({ demonstrations: 6 });
  },
);

test('two starts cannot be combined', async () => {
  const { status, stdout } = await inProcess('train', 'sft', '--from', 'base', '--from-scratch', '--json');
  expect(status).toBe(1);
  expect(lastJson(stdout)).toMatchObject({ error: { code: 'bad_input', field: '--from-scratch' } });
});
