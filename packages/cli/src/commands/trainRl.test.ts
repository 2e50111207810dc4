import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { inProcess, lastJson } from '../inProcess.test.fixture.js';

async function aFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'gyre-practice-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

test(
  'PPO is evaluated on the same held-out tasks before and after, and resumes with more iterations',
  { timeout: 300_000 },
  async () => {
    const dir = await aFolder();
    const settings = join(dir, 'settings.json');
    const ppo = { decisions: 8, minibatch: 8, epochs: 1, replay: { steps: 0 } };
    await writeFile(settings, JSON.stringify({ from: 'pixels', families: ['click'], ppo }));
    const run = ['train', 'ppo', '--settings', settings, '--directory', join(dir, 'run')];
    const few = ['--sessions', '4', '--browsers', '1', '--evaluate', '6', '--iterations', '1'];
    const { status, stdout, stderr } = await inProcess(...run, ...few, '--json');
    expect(status).toBe(0);
    expect(stderr).toMatch(/family +episodes +start +trained +gain\n.*\nclick +6 /);
    const result = lastJson(stdout) as { families: { family: string; n: number; start: object; gain: object }[] };
    expect(result.families).toHaveLength(1);
    expect(result.families[0]).toMatchObject({ family: 'click', n: 6 });
    const more = await inProcess(...run, ...few.slice(0, -1), '2', '--resume', '--json');
    const resumed = lastJson(more.stdout) as typeof result & { iterations: object[] };
    expect(resumed.iterations).toHaveLength(2);
    expect(resumed.families[0]).toMatchObject({ n: 6, start: result.families[0]!.start });
    const unmeasured = await inProcess(...run, '--iterations', '2', '--resume', '--json');
    expect(lastJson(unmeasured.stdout)).toMatchObject({ error: { code: 'bad_input' } });
  },
);

test('VinePPO refuses families that cannot be forked, before anything is opened', async () => {
  const { status, stdout } = await inProcess('train', 'vineppo', '--family', 'shell.readAndType', '--json');
  expect(status).toBe(1);
  expect(lastJson(stdout)).toMatchObject({ error: { code: 'bad_input', field: 'families' } });
});

test('a preset and settings cannot be combined', async () => {
  const both = ['--preset', 'quick', '--settings', fileURLToPath(new URL('../../package.json', import.meta.url))];
  const { status, stdout } = await inProcess('train', 'grpo', ...both, '--json');
  expect(status).toBe(1);
  expect(lastJson(stdout)).toMatchObject({ error: { code: 'bad_input', field: '--preset' } });
});
