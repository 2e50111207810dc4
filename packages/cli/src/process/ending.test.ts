import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBrowser } from '@gyre/sandbox';
import { machineFamilies } from '@gyre/tasks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bin, inProcess, lastJson } from '../inProcess.test.fixture.js';

const onLinux = process.platform === 'linux';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gyre-ending-'));
  // As root, browsers and sessions run as other users, who must pass this folder.
  chmodSync(folder, 0o711);
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

function start(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const temporary = mkdtempSync(join(folder, 'tmp-'));
  chmodSync(temporary, 0o711);
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd: temporary,
    env: { ...process.env, TMPDIR: temporary, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]!.on('data', (chunk: Buffer) => (output[name] += chunk.toString()));
  const ended = new Promise<Ended>((resolve) =>
    // As in a shell: 128 plus the signal.
    child.once('close', (code, signal) => resolve({ status: code ?? (signal === 'SIGINT' ? 130 : 255), ...output })),
  );
  const files = () =>
    readdirSync(temporary).flatMap((name) => (name.startsWith('gyre-') ? namesIn(join(temporary, name)) : []));
  const remains = () => ({ processes: processesOf(temporary), mounts: mountsBelow(temporary), files: files() });
  return { child, output, ended, files, remains, temporary };
}

const patience = { timeout: 30_000 };

const concurrently = { concurrent: true };

const nothing = { processes: [], mounts: [], files: [] };

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function processesOf(path: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return ['environ', 'cmdline'].some((name) => readFileSync(`/proc/${pid}/${name}`, 'latin1').includes(path));
    } catch {
      return false;
    }
  });
}

function mountsBelow(path: string): string[] {
  return readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .filter((line) => line.includes(path));
}

describe.runIf(onLinux)('a browser that lingers', concurrently, () => {
  test.each([
    ['run', ['run', 'click/test/1', '--policy', 'oracle', '--json'], { verdict: { success: true } }],
    ['eval', ['eval', '--policy', 'oracle', '--family', 'click', '--episodes', '2', '--json'], { results: [{ n: 2 }] }],
    [
      'rollout',
      ['rollout', '--policy', 'oracle', '--family', 'click', '--episodes', '2', '--json'],
      { results: [{ n: 2 }] },
    ],
  ])('takes no result from %s, and is killed', async (_, words, result) => {
    const wrapper = join(folder, 'lingers');
    // Ignores every signal it can, and outlives the browser.
    writeFileSync(
      wrapper,
      `#!/bin/sh\ntrap '' TERM HUP INT PIPE\n${findBrowser().path} "$@"\n(trap '' TERM; sleep 1000) &\nsleep 1000\n`,
      { mode: 0o755 },
    );
    const { ended, remains } = start([bin, ...words], { GYRE_BROWSER: wrapper });
    const { status, stdout } = await ended;
    expect(lastJson(stdout)).toMatchObject(result);
    expect(status).toBe(0);
    expect(remains()).toEqual(nothing);
  });
});

const desktop = Object.values(machineFamilies).find((one) => one.kind === 'desktop' && one.missing?.().length === 0);

describe.runIf(onLinux && desktop !== undefined)('a signal while a machine is set up', () => {
  const task = `${desktop?.name}/test/1`;
  test.each([
    ['SIGINT', ['run', task, '--policy', 'oracle']],
    ['SIGTERM', ['eval', '--family', desktop?.name ?? '', '--policy', 'oracle', '--episodes', '20']],
    ['SIGINT', ['tasks', 'show', task, '--solution']],
    ['SIGTERM', ['tasks', 'play', task]],
    ['SIGINT', ['serve', 'mcp', '--kind', 'desktop']],
  ] as const)('%s ends gyre %j, and nothing is left', async (name, words) => {
    const { child, ended, files, remains } = start([bin, ...words]);
    await expect.poll(() => files().some((file) => file.startsWith('session-')), patience).toBe(true);
    child.kill(name);
    expect((await ended).status).toBe(130);
    await expect.poll(remains, patience).toEqual(nothing);
  });
});

describe('a command', concurrently, () => {
  const perform = (body: string) => `
    import { perform } from ${JSON.stringify(fileURLToPath(new URL('./perform.js', import.meta.url)))};
    import { Terminal } from ${JSON.stringify(fileURLToPath(new URL('../terminal/terminal.js', import.meta.url)))};
    process.exitCode = await perform(new Terminal(true), ${body});`;
  const script = (body: string) => ['--input-type=module', '-e', perform(body)];

  test('that ends without a result says so, and fails', async () => {
    const { status, stdout, stderr } = await start(script('() => new Promise(() => {})')).ended;
    expect(stderr).toMatch(/^error: the command ended without a result/);
    expect(lastJson(stdout)).toMatchObject({ error: { code: 'bug' } });
    expect(status).toBe(1);
  });

  test.for(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('that ignores %s is killed', async (name, { expect }) => {
    const { child, ended, output } = start(
      script('() => { console.log("begun"); return new Promise((r) => setTimeout(r, 1e6)); }'),
    );
    await expect.poll(() => output.stdout, patience).toContain('begun');
    child.kill(name);
    const { status, stdout } = await ended;
    expect(status).toBe(130);
    expect(lastJson(stdout)).toMatchObject({ error: { code: 'interrupted' } });
  });

  test('ends at once at the second signal', async ({ expect }) => {
    const body = '() => { setInterval(() => {}, 1000); console.log("begun"); return new Promise(() => {}); }';
    const { child, ended, output } = start(script(body));
    await expect.poll(() => output.stdout, patience).toContain('begun');
    child.kill('SIGINT');
    await expect.poll(() => output.stderr, patience).toContain('stopping');
    await new Promise((resolve) => setTimeout(resolve, 400));
    child.kill('SIGINT');
    const { status, stdout } = await ended;
    expect(status).toBe(130);
    expect(stdout).not.toContain('interrupted');
  });

  test('that has not started ends at the first signal', async () => {
    const { child, ended } = start([bin, 'eval', '--policy', 'random']);
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.kill('SIGINT');
    expect((await ended).status).toBe(130);
  });
});

describe('nothing to do', () => {
  const lacking = Object.values(machineFamilies).find((one) => (one.missing?.() ?? []).length > 0);

  test.runIf(lacking)('is an error that names what is missing, before anything is leased', async () => {
    const { name } = lacking!;
    const [first] = lacking!.missing!();
    for (const words of [
      ['run', `${name}/test/1`, '--policy', 'oracle'],
      ['tasks', 'show', `${name}/test/1`, '--solution'],
      ['tasks', 'play', `${name}/test/1`],
      ['eval', '--family', name, '--policy', 'oracle'],
      ['rollout', '--family', name, '--policy', 'random'],
    ]) {
      const { status, stdout, stderr } = await inProcess(
        ...words,
        ...(words[0] === 'tasks' ? [] : ['--directory', folder]),
      );
      expect(stderr, words.join(' ')).toMatch(new RegExp(`^error: .*${name}.*no .*${first}`));
      expect([status, stdout]).toEqual([1, '']);
    }
  });

  test('is an error where a lake has no such episode, or is not there', async () => {
    const empty = mkdtempSync(join(folder, 'empty-'));
    const full = mkdtempSync(join(folder, 'full-'));
    await inProcess('run', 'click/test/1', '--policy', 'oracle', '--directory', full);
    for (const words of [
      ['replay', '--last', '3', '--directory', empty],
      ['lake', 'sql', 'SELECT 1', '--directory', empty],
      ['lake', 'export', '--directory', empty, '--output', join(empty, 'out')],
      ['fork', 'none', '--turn', '1', '--directory', empty],
      ['replay', '--family', 'maze', '--directory', full],
      ['lake', 'export', '--family', 'maze', '--directory', full, '--output', join(empty, 'out')],
      ['lake', 'pull', empty, '--directory', join(folder, 'pulled')],
    ]) {
      const { status, stdout, stderr } = await inProcess(...words);
      expect(stderr, words.join(' ')).toMatch(/^(replay [^\n]*\n)?error: no (lake|episodes?) .*\(/);
      expect([status, stdout], words.join(' ')).toEqual([1, '']);
    }
    expect(readdirSync(empty)).toEqual([]);
  });
});
