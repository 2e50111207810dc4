import { execFile, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bubblewrapBuilder } from './bubblewrap.js';
import { NamespaceBuilder } from './firstProcess.js';
import { runOnHost } from './program.js';
import { type StartOptions, startOnHost } from './starter.js';

const env = { PATH: '/usr/bin:/bin' };
const shell = (script: string, options: Partial<StartOptions> = {}) =>
  startOnHost({ file: 'sh', args: ['-c', script], env, cwd: '/', ...options });

function runs(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ');
  } catch {
    return false;
  }
}

describe('a program that is started', () => {
  it('has its status, and null where a signal ends it', async () => {
    expect(await (await shell('exit 7')).ended).toBe(7);
    expect(await (await shell('kill -9 $$')).ended).toBeNull();
    const sleeps = await shell('exec sleep 1000');
    expect([runs(sleeps.pid), sleeps.over]).toEqual([true, false]);
    sleeps.kill();
    expect(await sleeps.ended).toBeNull();
    expect([runs(sleeps.pid), sleeps.over]).toEqual([false, true]);
  });

  it('gets its environment, directory, group and input, and nothing else', async () => {
    const texts = ['', '', '', ''];
    const program = await shell('read -r line; echo "$line $A $HOME $PWD"; echo $$ >&2; ps -o pgid= -p $$ >&3; cat', {
      env: { ...env, A: 'ä' },
      cwd: '/usr',
      input: true,
      outputs: [1, 2, 3],
      onText: (text, descriptor) => void (texts[descriptor] = `${texts[descriptor]}${text}`),
    });
    program.write('line\n');
    await expect.poll(() => texts[3]).not.toBe('');
    expect(program.over).toBe(false);
    program.closeInput();
    expect(await program.ended).toBe(0);
    expect(texts[1]).toBe('line ä  /usr\n');
    expect([texts[2], texts[3]].map(Number)).toEqual([program.pid, program.pid]);
  });

  it('has delivered all its output when it has ended', async () => {
    const command = 'seq 200000; echo over >&2; exit 3';
    const texts = ['', '', ''];
    const onText = (text: string, descriptor: number) => void (texts[descriptor] = `${texts[descriptor]}${text}`);
    const program = await shell(command, { outputs: [1, 2], onText });
    const code = await program.ended;
    expect([code, texts[1]?.length, texts[2]]).toEqual([3, 1_288_895, 'over\n']);
    const { stdout, ...outcome } = await runOnHost('sh', ['-c', command]);
    expect(outcome).toEqual({ code: 3, stderr: 'over\n' });
    expect([stdout.length, stdout.endsWith('199999\n200000\n')]).toEqual([1_288_895, true]);
  });

  it('has ended even if a leftover process holds its outputs', async () => {
    let output = '';
    const program = await shell('sleep 1000 & echo $!', { outputs: [1], onText: (text) => void (output += text) });
    expect(await program.ended).toBe(0);
    process.kill(Number(output));
  });

  it('is refused if it is missing, or its arguments are too long', async () => {
    await expect(startOnHost({ file: 'no-such-program', args: [], env, cwd: '/' })).rejects.toMatchObject({
      code: 'missing',
    });
    await expect(shell('a\0b')).rejects.toMatchObject({ code: 'infra' });
    expect(await runOnHost('no-such-program', [])).toMatchObject({ code: 127 });
    expect(await runOnHost('sleep', ['1000'], 50)).toMatchObject({ code: 128, stderr: 'sleep was killed' });
  });
});

describe('an isolation builder', () => {
  it.each([
    ['after', 'echo standing; sleep 0.3; echo "{ \\"child-pid\\": 5 }" >&3; cat'],
    ['before', 'echo "{ \\"child-pid\\": 5 }" >&3; sleep 0.3; echo standing; cat'],
  ])('is ready when its process id arrives %s the first process', async (_, script) => {
    const builder = await NamespaceBuilder.start(['sh', '-c', script]);
    expect(await bubblewrapBuilder.finish(builder, {} as Parameters<typeof bubblewrapBuilder.finish>[1])).toBe(5);
    builder.program.closeInput();
    await builder.program.ended;
  });
});

function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

describe('the program starter', () => {
  it('reports exhausted file descriptors, and recovers', async () => {
    const program = await shell('cat', { input: true });
    const limited = (files: number) =>
      execFileSync('prlimit', [`--pid=${parentOf(program.pid)}`, `--nofile=${files}:`]);
    limited(3);
    await expect(shell('exit 5', { outputs: [1, 2, 3] })).rejects.toMatchObject({ code: 'infra' });
    limited(1024);
    expect(await (await shell('exit 5', { outputs: [1, 2, 3] })).ended).toBe(5);
    expect(program.over).toBe(false);
    program.closeInput();
    expect(await program.ended).toBe(0);
  });

  it('is replaced when it is killed, and its programs end with it', async () => {
    const program = await shell('echo; cat', { input: true });
    process.kill(parentOf(program.pid), 'SIGKILL');
    expect(await program.ended).toBeNull();
    await expect.poll(() => runs(program.pid)).toBe(false);
    expect(await (await shell('exit 5')).ended).toBe(5);
  });

  const script = (then: string) => `
    import { startOnHost } from ${JSON.stringify(fileURLToPath(new URL('./starter.js', import.meta.url)))};
    const program = await startOnHost({ file: 'cat', args: [], env: ${JSON.stringify(env)}, cwd: '/', input: true });
    console.log(program.pid);
    ${then}`;

  it('does not hold up the process that it works for, and ends with it', async () => {
    const pid = await new Promise<number>((resolve, reject) =>
      execFile(process.execPath, ['--input-type=module', '-e', script('program.unref();')], (error, stdout) =>
        error ? reject(new Error(error.message)) : resolve(Number(stdout)),
      ),
    );
    await expect.poll(() => runs(pid)).toBe(false);
  });

  it('ends with a process that is killed', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script('')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = Number(await new Promise((resolve) => child.stdout.once('data', resolve)));
    expect(runs(pid)).toBe(true);
    child.kill('SIGKILL');
    await expect.poll(() => runs(pid)).toBe(false);
  });
});
