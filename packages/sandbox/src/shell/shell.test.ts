import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BareEnclosure } from '../isolation/bareEnclosure.js';
import { Shell } from './shell.js';

let enclosure: BareEnclosure;
let shell: Shell;

beforeEach(async () => {
  enclosure = await BareEnclosure.create();
  shell = new Shell(enclosure);
});
afterEach(async () => {
  await shell.close();
  await enclosure.close();
});

function running(text: string): string[] {
  const table = execFileSync('ps', ['-eo', 'pid=,stat=,args=']).toString().split('\n');
  return table.filter((line) => line.includes(text) && !/^\s*\d+\s+Z/.test(line) && !line.includes('ps -eo'));
}

/** Unique; two minutes, so that a failing test leaves nothing for long. */
let number = process.pid * 100;
const unique = (): string => `120.${(number += 1)}`;

async function eventually(check: () => void): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return check();
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }
}

describe('run', () => {
  it('gives the output, the errors and the exit code, and feeds the input', async () => {
    const result = await shell.run('read line; echo "got $line"; echo bad >&2; exit 3', { stdin: 'hellö\n' });
    expect(result).toMatchObject({ exitCode: 3, stdout: 'got hellö\n', stderr: 'bad\n', timedOut: false });
    expect(result).toMatchObject({ truncated: false, leftOut: { stdout: 0, stderr: 0 } });
    expect(result).not.toHaveProperty('signal');
  });

  it('gives scripts the standard streams by name', async () => {
    const result = await shell.run('cat /dev/stdin | tee /dev/stderr > /dev/stdout', { stdin: 'x' });
    expect(result).toMatchObject({ exitCode: 0, stdout: 'x', stderr: 'x' });
    expect((await shell.run('stat -Lc %a /dev/stdin /dev/stdout', { stdin: 'x' })).stdout).toBe('444\n666\n');
  });

  it('starts in the home, in a directory and with variables', async () => {
    expect((await shell.run('pwd; cat')).stdout).toBe(`${enclosure.home}\n`);
    expect((await shell.run('echo $A; pwd', { cwd: '/usr', env: { A: 'b c' } })).stdout).toBe('b c\n/usr\n');
    await expect(shell.run('pwd', { cwd: '/no/such' })).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'cwd' },
    });
    for (const command of ['echo a\0b', `: ${'x'.repeat(140_000)}`]) {
      const refused = { code: 'bad_input', detail: { field: 'command' } };
      await expect(shell.run(command)).rejects.toMatchObject(refused);
      await expect(shell.start(command)).rejects.toMatchObject(refused);
      await expect(shell.open({ command })).rejects.toMatchObject(refused);
    }
    const environments: Record<string, string>[] = [
      { A: 'a\0' },
      { A: 'x'.repeat(140_000) },
      { 'A=B': '' },
      { '': '' },
    ];
    for (const env of environments) {
      await expect(shell.run('true', { env })).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'env' } });
    }
    await expect(shell.run('true', { timeoutMs: Number.NaN })).rejects.toMatchObject({
      detail: { field: 'timeoutMs' },
    });
  });

  it('says which signal ended it', async () => {
    expect(await shell.run('kill -9 $$')).toMatchObject({ signal: 'SIGKILL', timedOut: false });
  });

  it('ends a command that ignores SIGTERM, and all below it', async () => {
    const name = unique();
    const command = `trap '' TERM; echo begun; (trap '' TERM; sleep ${name}; sleep ${name}) & sleep ${name}; sleep ${name}`;
    const result = await shell.run(command, { timeoutMs: 300 });
    expect(result).toMatchObject({ signal: 'SIGKILL', timedOut: true, stdout: 'begun\n' });
    expect(running(`sleep ${name}`)).toEqual([]);
  });

  it('ends orphans in their own session', async () => {
    const name = unique();
    const result = await shell.run(`setsid -f sleep ${name}; setsid sleep ${name} & sleep ${name}`, { timeoutMs: 500 });
    expect(result.timedOut).toBe(true);
    expect(running(`sleep ${name}`)).toEqual([]);
  });

  it('ends programs that fork faster than they are counted', async () => {
    const name = unique();
    const rolling = `roll() { sleep 0.001; [ $1 -gt 0 ] && roll $(($1 - 1)) & }; roll 2000`;
    const broad = `for i in $(seq 8); do (for j in $(seq 60); do sleep ${name} & sleep 0.02; done) & done; wait`;
    const result = await shell.run(`(${rolling}) & ${broad}`, { timeoutMs: 400 });
    expect(result.timedOut).toBe(true);
    expect(running(name)).toEqual([]);
  });

  it('does not wait for background programs, which run until the shell is closed', async () => {
    const name = unique();
    const result = await shell.run(`(while echo x; do sleep 0.01; done) & setsid -f sleep ${name}; echo done`);
    expect(result.stdout).toContain('done\n');
    expect(running(`sleep ${name}`).filter((line) => !line.includes('bash'))).toHaveLength(1);
    await shell.close();
    expect(running(`sleep ${name}`)).toEqual([]);
  });
});

describe('jobs', () => {
  it('show their output while they run, in the order of writing, and are listed', async () => {
    const job = await shell.start('echo a; echo b >&2; echo c; read x; echo never');
    await job.wait();
    expect(job.output).toMatchObject({ text: 'a\nb\nc\nnever\n', leftOut: 0 });
    const endless = await shell.start('echo begun; exec sleep 120');
    await eventually(() => expect(endless.output.text).toBe('begun\n'));
    expect(endless.state).toBe('running');
    expect(await endless.wait(20)).toBeUndefined();
    expect(shell.jobs).toEqual([job, endless]);
    expect(shell.job(endless.id)).toBe(endless);
    await endless.kill();
    expect(endless).toMatchObject({ state: 'killed', ending: { signal: 'SIGTERM' } });
    expect(job).toMatchObject({ state: 'exited', ending: { exitCode: 0 } });
    expect(() => shell.job('job-99')).toThrow(expect.objectContaining({ code: 'bad_input' }) as Error);
  });

  it('keep a capped output', async () => {
    const job = await shell.start('seq 100000', { maxOutput: 100 });
    await job.wait();
    expect(job.output.text).toMatch(/^1\n2\n[^]*bytes left out[^]*\n100000\n$/);
  });
});

describe('the end', () => {
  it('ends all programs when the enclosure ends, for any reason', async () => {
    const name = unique();
    await shell.start(`sleep ${name}`);
    await shell.run(`setsid -f sleep ${name}`);
    await shell.open({ command: `sleep ${name}` });
    const going = shell.run(`sleep ${name}`);
    const console = await shell.console();
    await console.execute(`sleep ${name} & disown; setsid -f sleep ${name}`);
    await eventually(() => expect(running(`sleep ${name}`).length).toBeGreaterThanOrEqual(6));
    await enclosure.close();
    await shell.close();
    expect(running(name)).toEqual([]);
    expect(await going).toMatchObject({ timedOut: false });
    await expect(shell.run('true')).rejects.toMatchObject({ code: 'infra' });
    await expect(shell.open()).rejects.toMatchObject({ code: 'infra' });
    await expect(shell.execute('true')).rejects.toMatchObject({ code: 'infra' });
  });

  it('leaves no file descriptor', async () => {
    const open = (): number => readdirSync('/proc/self/fd').length;
    const before = open();
    for (let round = 0; round < 3; round++) {
      const another = new Shell(enclosure);
      await another.run('true', { stdin: 'x' });
      await another.run('sleep 120 &');
      await another.start('sleep 120');
      await another.execute('sleep 120 &');
      await another.close();
    }
    await eventually(() => expect(open()).toBeLessThanOrEqual(before));
  });

  it('of a bare enclosure spares deliberately hidden programs: another group, no parent, no environment', async () => {
    const name = unique();
    await shell.run(`(env -i setsid sleep ${name} &) ; sleep 0.2`);
    await shell.close();
    const [escaped] = running(`sleep ${name}`);
    expect(escaped).toBeDefined();
    process.kill(Number(escaped!.trim().split(/\s+/)[0]), 'SIGKILL');
  });
});

describe('limits', () => {
  it('refuse more at once than allowed, and allow again what has ended', async () => {
    const small = new Shell(enclosure, { maxRunning: 2 });
    const job = await small.start('sleep 120');
    const terminal = await small.open();
    await expect(small.run('true')).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'maxRunning' } });
    await job.kill();
    expect(await small.run('true')).toMatchObject({ exitCode: 0 });
    await terminal.close();
    await small.close();
  });

  it('are those of the session for files too: what is written in the shell is in the home', async () => {
    await shell.run('echo from shell > a.txt');
    expect(readFileSync(join(enclosure.homeOnHost, 'a.txt'), 'utf8')).toBe('from shell\n');
    await writeFile(join(enclosure.homeOnHost, 'b.txt'), 'from host');
    expect((await shell.run('cat b.txt')).stdout).toBe('from host');
  });
});

it('keeps no more output than it may: jobs that have ended make room, what is more is refused', async () => {
  const enclosure = await BareEnclosure.create();
  const small = new Shell(enclosure, { outputBytes: 2 ** 22 });
  const first = await small.start('echo done', { maxOutput: 2 ** 21 });
  await first.wait();
  const running = await small.start('sleep 100', { maxOutput: 2 ** 21 });
  expect(small.jobs.map(({ id }) => id)).toEqual([first.id, running.id]);
  await small.start('true', { maxOutput: 2 ** 21 });
  expect(small.jobs.map(({ id }) => id)).not.toContain(first.id);
  const refused = { code: 'bad_input', detail: { field: 'outputBytes' } };
  await running.kill();
  await expect(small.open({ size: { columns: 500, rows: 200 }, scrollback: 50_000 })).rejects.toMatchObject(refused);
  const terminal = await small.open({ scrollback: 2_000 });
  await expect(terminal.resize({ columns: 500, rows: 200 })).rejects.toMatchObject(refused);
  await expect(small.run('true', { maxOutput: 2 ** 25 })).rejects.toMatchObject({ detail: { field: 'maxOutput' } });
  await expect(terminal.wait({ until: { exit: true }, timeoutMs: 1e12 })).rejects.toMatchObject({
    detail: { field: 'timeoutMs' },
  });
  await small.close();
  await enclosure.close();
});
