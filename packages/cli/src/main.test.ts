import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commands } from './commands/index.js';
import { bin, inProcess, lastJson } from './inProcess.test.fixture.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gyre-cli-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

function gyre(...args: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, ...args], { cwd: directory }, (error, stdout, stderr) => {
      resolve({ status: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });
}

describe('help', () => {
  const names = commands.flatMap((entry) => [
    ...('load' in entry ? [entry.name] : []),
    ...(entry.commands ?? []).map(({ name }) => `${entry.name} ${name}`),
  ]);

  test.each(names)('gyre %s --help shows an example, --json and --seed', async (name) => {
    const { status, stdout } = await inProcess(...name.split(' '), '--help');
    expect(status).toBe(0);
    expect(stdout).toMatch(new RegExp(`Examples?:\\n  gyre ${name}`));
    expect(stdout).toContain('--json');
    expect(stdout).toContain('--seed');
  });

  test('lists every command', async () => {
    const { stdout } = await inProcess();
    for (const { name } of commands) expect(stdout).toContain(name);
  });
});

describe('a mistake gets one clear line and exit status 2', () => {
  test.each([
    [['flywel'], "error: unknown command 'flywel' (flywel: did you mean flywheel?)"],
    [['eval', '--sead', '3'], "error: unknown option '--sead' (--sead: did you mean --seed?)"],
    [
      ['serve', 'gateway', '--upstream', 'localhost'],
      'error: "localhost" is not a URL (--upstream: use the base URL of an OpenAI-compatible server, such as http://127.0.0.1:8000/v1)',
    ],
    [['run'], "error: missing required argument 'task' (task: see --help)"],
    [
      ['flywheel', '--minutes', 'ten'],
      'error: --minutes must be a number above 0, got "ten" (--minutes: for example --minutes 10)',
    ],
    [
      ['eval', '--seed', '-1'],
      'error: --seed must be a whole number of at least 0, got "-1" (--seed: for example --seed 7)',
    ],
    [
      ['eval', '--family', 'click,golf'],
      expect.stringMatching(
        /^error: unknown task family "golf" \(--family: list the families of the suites [a-z, ]+ with `gyre tasks list`\)\n$/,
      ),
    ],
    [
      ['rollout', '--family', 'click,silder', '--policy', 'random'],
      expect.stringMatching(/^error: unknown task family "silder" \(--family: did you mean slider\b.*\?\)\n$/),
    ],
    [
      ['eval', '--suite', 'basic'],
      expect.stringMatching(/^error: unknown suite "basic" \(--suite: use one of basics, .*\)\n$/),
    ],
    [
      ['eval', '--record', 'baselines.json'],
      'error: --record needs the policy random or oracle, and the default screens (--record: add --policy random or --policy oracle, and omit --size)',
    ],
  ])('gyre %s', async (args, message) => {
    const { status, stdout, stderr } = await inProcess(...args);
    expect(stderr).toEqual(typeof message === 'string' ? `${message}\n` : message);
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });
});

describe('a failure', () => {
  test('names the field and the fix, without a stack, with exit status 1', async () => {
    const { status, stderr } = await inProcess('tasks', 'show', 'click/7');
    expect(stderr).toMatch(/^error: "click\/7" is not a task id \(task: use FAMILY\/SPLIT\/SEED, .*\)\n$/);
    expect(status).toBe(1);
  });

  test('to read the tokens of a server names the flag', async () => {
    const { status, stderr } = await inProcess('serve', 'sandbox', '--tokens', '/nowhere/tokens.json');
    expect(stderr).toMatch(/^error: cannot read \/nowhere\/tokens\.json \(--tokens: /);
    expect(status).toBe(1);
  });

  test('to read a recipe names the flag', async () => {
    const { status, stderr } = await inProcess('train', 'ct', '--recipe', '/nowhere/recipe.json');
    expect(stderr).toMatch(/^error: cannot read \/nowhere\/recipe\.json \(--recipe: /);
    expect(status).toBe(1);
  });

  test('is a JSON object with --json', async () => {
    const { status, stdout } = await inProcess('eval', '--checkpoint', '/nowhere/a.safetensors', '--json');
    expect(lastJson(stdout)).toMatchObject({ error: { code: 'bad_input', field: '--checkpoint' } });
    expect(status).toBe(1);
  });
});

test('doctor checks servers instead of the machine, and exits with 1 for those that do not answer', async () => {
  const { status, stdout } = await inProcess('doctor', '--sampler', 'http://127.0.0.1:9/v1', '--json');
  expect(lastJson(stdout)).toMatchObject({ ok: false, checks: [{ name: 'vLLM', state: 'missing' }] });
  expect(status).toBe(1);
});

test.each([
  [['--model', 'qwen'], /add --engine URL or --sampler URL/],
  [['--engine', '127.0.0.1:8000'], /--engine must be a URL of http or https/],
])('doctor refuses %s', async (flags, message) => {
  const { status, stderr } = await inProcess('doctor', ...flags);
  expect(stderr).toMatch(message);
  expect(status).not.toBe(0);
});

test('doctor reports every check with what was found', async () => {
  const { stdout } = await gyre('doctor', '--json');
  const report = lastJson(stdout) as {
    ok: boolean;
    checks: { name: string; ok: boolean; state: string; fix: string }[];
  };
  // Vulkan depends on the system, and WebGPU on Vulkan.
  const names = report.checks.map(({ name }) => name).filter((name) => name !== 'vulkan' && name !== 'webgpu');
  expect(names).toEqual([
    'node',
    'onnxruntime',
    'browser',
    'fonts',
    'more fonts',
    'desktop',
    'adb',
    'ffmpeg',
    'Jupyter',
    'pyautogui',
    'isolation',
    'browser sandbox',
    'vm',
    'podman',
    'benchmarks',
    'cores',
    'memory',
    'disk',
    'writing',
  ]);
  expect(report.ok).toBe(report.checks.every(({ ok }) => ok));
  for (const { ok, state, fix } of report.checks) {
    expect(ok || fix !== '').toBe(true);
    expect(state).toBe(!ok ? 'missing' : fix === '' ? 'ready' : 'optional');
  }
});

describe('on the real browser', () => {
  test('an episode is played, and its replay shows the same frames', async () => {
    const played = await gyre('run', 'maze/test/2', '--policy', 'oracle', '--json');
    expect(played.stderr).toContain('success');
    const { episode, verdict } = lastJson(played.stdout) as { episode: string; verdict: object };
    expect(verdict).toMatchObject({ success: true });
    const replayed = await gyre('replay', episode, '--json');
    expect(lastJson(replayed.stdout)).toMatchObject({ identical: true, sameVerdict: true });
    expect(replayed.status).toBe(0);
  });

  test('eval prints one result for each family, with its interval', async () => {
    const { status, stdout } = await gyre(
      'eval',
      '--policy',
      'oracle',
      '--family',
      'click,maze',
      '--episodes',
      '4',
      '--json',
    );
    expect(status).toBe(0);
    expect(lastJson(stdout)).toMatchObject({
      results: [
        { family: 'click', split: 'test', policy: 'oracle', n: 4, success: 1, high: 1, infraErrors: 0 },
        { family: 'maze', split: 'test', policy: 'oracle', n: 4, success: 1, high: 1, infraErrors: 0 },
      ],
    });
  });

  test('ctrl-C ends a rollout with exit status 130, and the lake is whole', async () => {
    const args = [bin, 'rollout', '--policy', 'random', '--episodes', '100000', '--directory', 'interrupted'];
    const child = spawn(process.execPath, args, { cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] });
    // Play has begun.
    await new Promise((resolve) => child.stderr.once('data', resolve));
    child.kill('SIGINT');
    // Twice, as through npm.
    child.kill('SIGINT');
    const status = await new Promise((resolve) => child.once('exit', resolve));
    expect(status).toBe(130);
    const after = await gyre(
      'rollout',
      '--policy',
      'oracle',
      '--family',
      'click',
      '--episodes',
      '1',
      '--directory',
      'interrupted',
    );
    expect(after.status).toBe(0);
  });

  test('a reader that goes away gets no stack trace, and what was under way ends', async () => {
    const closed = (...args: string[]) => {
      const child = spawn(process.execPath, [bin, ...args], { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] });
      child.stdout.destroy();
      let stderr = '';
      child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
      return new Promise<{ status: number | null; stderr: string }>((resolve) =>
        child.once('close', (status) => resolve({ status, stderr })),
      );
    };
    expect(await closed('eval', '--help')).toEqual({ status: 0, stderr: '' });
    const played = await closed('run', 'maze/test/1', '--policy', 'random', '--directory', 'unread');
    expect(played.status).toBe(130);
    expect(played.stderr).not.toMatch(/EPIPE| at /);
  });
});
