import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadPolicyCheckpoint } from '@gyre/engine';
import { expect, onTestFinished, test } from 'vitest';
import { inProcess, lastJson } from '../inProcess.test.fixture.js';

async function aFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'gyre-flywheel-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

test(
  'runs cycles on real pages, and writes weights, a report and the state to resume from',
  { timeout: 300_000 },
  async () => {
    const dir = await aFolder();
    const file = join(dir, 'given.json');
    await writeFile(
      file,
      JSON.stringify({
        ...{
          families: ['click', 'vault'],
          cycles: 2,
          minutes: 0.5,
          evaluate: 4,
          baselines: 2,
          sessions: 4,
          browsers: 1,
        },
        ppo: { decisions: 12, minibatch: 6, epochs: 1, replay: { steps: 1, decisions: 2, perception: 1 } },
        cycle: {
          evaluate: 3,
          ct: { every: 1, steps: 1, pages: 1 },
          sft: { steps: 1, pages: 1 },
          rl: { iterations: 1 },
          generate: { tasks: 2, attempts: 2 },
        },
      }),
    );
    const run = join(dir, 'run');
    const { status, stdout, stderr } = await inProcess(
      'flywheel',
      '--settings',
      file,
      '--directory',
      run,
      '--seed',
      '3',
      '--json',
    );
    expect(status).toBe(0);
    expect(stderr).toMatch(/^click +4 /m);
    expect(stderr).toMatch(/^mean +8 /m);
    const result = lastJson(stdout) as {
      families: { family: string }[];
      gain: object;
      weights: string;
      report: string;
    };
    expect(result).toMatchObject({ report: join(run, 'report.html'), weights: join(run, 'trained.safetensors') });
    expect(result.families.map(({ family }) => family)).toEqual(['click', 'vault']);
    await loadPolicyCheckpoint(result.weights);
    expect(await readFile(result.report, 'utf8')).toContain('P(V = 1) by cycle');
    expect(JSON.parse(await readFile(join(run, 'settings.json'), 'utf8'))).toMatchObject({ seed: 3, cycles: 2 });

    // A complete run plays nothing again.
    const again = await inProcess('flywheel', '--resume', run, '--json');
    expect(lastJson(again.stdout)).toMatchObject({ families: result.families, gain: result.gain });
    // A directory with a run is refused.
    const upon = await inProcess('flywheel', '--settings', file, '--directory', run, '--json');
    expect(lastJson(upon.stdout)).toMatchObject({ error: { code: 'bad_input', field: 'directory' } });
    const nowhere = await inProcess(
      'flywheel',
      '--settings',
      file,
      '--directory',
      join(dir, 'x'),
      '--bring',
      dir,
      '--json',
    );
    expect(lastJson(nowhere.stdout)).toMatchObject({ error: { code: 'bad_input', field: 'bring' } });
    const nothing = await inProcess('flywheel', '--resume', dir, '--seed', '9', '--json');
    expect(nothing.status).toBe(1);

    const none = { share: 0 };
    const supervised = {
      ...{ families: ['click'], cycles: 1, minutes: 2, evaluate: 1, baselines: 1, sessions: 4, browsers: 1 },
      cycle: { evaluate: 1, ct: none, rl: none, generate: none, sft: { steps: 1, pages: 1 } },
    };
    await writeFile(file, JSON.stringify(supervised));
    const otherDirectory = join(dir, 'other');
    const brought = await inProcess(
      'flywheel',
      '--settings',
      file,
      '--directory',
      otherDirectory,
      '--bring',
      run,
      '--json',
    );
    expect(brought.status).toBe(0);
    const { stages } = JSON.parse(await readFile(join(otherDirectory, 'state.json'), 'utf8')) as {
      stages: { stage: string; outcome: { pools?: { sft: number }; episodes?: number } }[];
    };
    const outcomeOf = (name: string) => stages.find(({ stage }) => stage === name)?.outcome;
    expect(outcomeOf('route 0')?.pools?.sft).toBeGreaterThan(0);
    expect(outcomeOf('sft 1')?.episodes).toBeGreaterThan(0);
    expect(stages.some(({ stage }) => stage.startsWith('rl'))).toBe(false);
  },
);
