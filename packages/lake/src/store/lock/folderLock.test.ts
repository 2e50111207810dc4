import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { checksum } from '../checksum.js';
import { aFolder } from '../folder.test.fixture.js';
import { FolderLock } from '../../index.js';

const program = fileURLToPath(new URL('./lockHolder.test.fixture.js', import.meta.url));

class Holder {
  output = '';
  readonly child: ChildProcess;

  constructor(command: string, ...args: string[]) {
    this.child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.child.stdout?.on('data', (data: Buffer) => (this.output += data.toString()));
    onTestFinished(() => void this.child.kill('SIGKILL'));
  }

  static holding(dir: string, ...more: string[]): Holder {
    return new Holder(process.execPath, program, dir, ...more);
  }

  async outcome(): Promise<string> {
    await vi.waitFor(() => expect(this.output).toContain('\n'), { timeout: 20_000, interval: 5 });
    return this.output.split('\n')[0] ?? '';
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
  }
}

const claim = (dir: string, number: number): string => join(dir, 'lock', `${String(number).padStart(8, '0')}.held`);

async function moveElsewhere(path: string, change: object, silentSeconds: number): Promise<void> {
  const [line = '', beat] = (await readFile(path, 'utf8')).split('\n');
  const holder = JSON.parse(line.slice(9)) as { process: object };
  const json = JSON.stringify({ ...holder, process: { ...holder.process, ...change } });
  await writeFile(path, `${checksum(json)} ${json}\n${beat ?? ''}\n`);
  const time = Date.now() / 1000 - silentSeconds;
  await utimes(path, time, time);
}

describe('a folder that is held', () => {
  it('refuses a second owner, and names the first and a fix', async () => {
    const dir = await aFolder();
    const first = Holder.holding(dir);
    expect(await first.outcome()).toBe('took 1');
    const error: unknown = await FolderLock.take(dir).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'held', detail: { field: 'directory' } });
    const { message, detail } = error as Error & { detail: { fix: string } };
    expect(message).toContain(`process ${String(first.child.pid)} on ${hostname()} since 2`);
    expect(message).toMatch(/last heartbeat 2.*lockHolder/);
    expect(detail.fix).toContain(`stop process ${String(first.child.pid)}`);
  });

  it('is refused to its own process too, until it is released', async () => {
    const dir = await aFolder();
    const lock = await FolderLock.take(dir);
    await expect(FolderLock.take(dir)).rejects.toMatchObject({ code: 'held' });
    await lock.expect();
    await lock.release();
    const next = await FolderLock.take(dir);
    expect(next.token).toBe(2);
    await expect(lock.expect()).rejects.toMatchObject({ code: 'held' });
    expect(lock.lost.aborted).toBe(true);
    await next.release();
  });

  it('is taken over at once when its owner was killed, whenever that was', async () => {
    const dir = await aFolder();
    for (let number = 1; number <= 6; number++) {
      const holder = Holder.holding(dir);
      expect(await holder.outcome()).toBe(`took ${number}`);
      await new Promise((resolve) => setTimeout(resolve, (11 * number) % 17));
      await holder.kill();
    }
    expect((await readdir(join(dir, 'lock'))).length).toBeLessThanOrEqual(2);
  });

  it('is given to one of many that take it at once, also from a dead owner', async () => {
    for (let round = 0; round < 2; round++) {
      const dir = await aFolder();
      if (round > 0) {
        const dead = Holder.holding(dir);
        await dead.outcome();
        await dead.kill();
      }
      const holders = Array.from({ length: 4 }, () => Holder.holding(dir));
      const outcomes = await Promise.all(holders.map((holder) => holder.outcome()));
      expect(outcomes.filter((outcome) => outcome.startsWith('took'))).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome.startsWith('held'))).toHaveLength(3);
      for (const holder of holders) await holder.kill();
    }
  });

  it('has every owner after the other, and never two, when many take and release it', async () => {
    const dir = await aFolder();
    const tokens: number[] = [];
    const work = async (): Promise<void> => {
      for (let done = 0; done < 15;) {
        const lock = await FolderLock.take(dir).catch(() => undefined);
        if (lock) {
          tokens.push(lock.token);
          await lock.expect();
          await writeFile(join(dir, 'owned'), '', { flag: 'wx' });
          await rm(join(dir, 'owned'));
          await lock.release();
          done++;
        } else await new Promise((resolve) => setTimeout(resolve, 1));
      }
    };
    await Promise.all(Array.from({ length: 4 }, work));
    expect(tokens).toEqual([...tokens].sort((a, b) => a - b));
    expect(new Set(tokens).size).toBe(60);
  });

  it('stays with an owner that is only stopped', async () => {
    const dir = await aFolder();
    const holder = Holder.holding(dir);
    await holder.outcome();
    holder.child.kill('SIGSTOP');
    const long = Date.now() / 1000 - 3600;
    await utimes(claim(dir, 1), long, long);
    await expect(FolderLock.take(dir)).rejects.toMatchObject({ code: 'held' });
  });

  it('is free if its owner is a zombie', async () => {
    const dir = await aFolder();
    // The shell never waits for its child.
    const parent = new Holder('sh', '-c', `"${process.execPath}" "${program}" "${dir}" & exec sleep 60`);
    await parent.outcome();
    const pid = Number(/"pid":(\d+)/.exec(await readFile(claim(dir, 1), 'utf8'))?.[1]);
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(async () => expect(await readFile(`/proc/${pid}/stat`, 'utf8')).toContain(') Z '));
    const lock = await FolderLock.take(dir);
    expect(lock.token).toBe(2);
    await lock.release();
    await parent.kill();
  });

  it('is not held by a process that has the number of a dead one', async () => {
    const dir = await aFolder();
    const lock = await FolderLock.take(dir);
    await moveElsewhere(claim(dir, 1), { started: '1' }, 0);
    expect((await FolderLock.take(dir)).token).toBe(2);
    await lock.release();
  });
});

describe('an owner on another machine', () => {
  it.each([
    ['another host', { host: 'elsewhere', boot: 'b' }],
    ['a container that has this host’s name', { boot: 'b' }],
    ['a container on this machine', { pidNamespace: 'pid:[1]' }],
  ])('%s: it is believed for two minutes after its last heartbeat', async (_, change) => {
    const dir = await aFolder();
    const first = await FolderLock.take(dir);
    await moveElsewhere(claim(dir, 1), { ...change, pid: 2 ** 22 + 1 }, 60);
    await expect(FolderLock.take(dir)).rejects.toMatchObject({ code: 'held' });
    await moveElsewhere(claim(dir, 1), {}, 130);
    expect((await FolderLock.take(dir)).token).toBe(2);
    await first.release();
  });

  it('notices when it wakes up that it was taken over, before its next write', async ({ skip }) => {
    const dir = await aFolder();
    const inNamespace = ['--pid', '--fork', '--mount-proc', '--kill-child'];
    try {
      execFileSync('unshare', [...inNamespace, 'true'], { stdio: 'ignore' });
    } catch {
      skip('namespaces take root');
    }
    const sleeper = new Holder('unshare', ...inNamespace, process.execPath, program, dir);
    await vi.waitFor(() => expect(sleeper.output).toContain('wrote'), { timeout: 20_000, interval: 5 });
    const child = Number(execFileSync('pgrep', ['-P', String(sleeper.child.pid)]).toString());
    process.kill(child, 'SIGSTOP');
    const long = Date.now() / 1000 - 130;
    await utimes(claim(dir, 1), long, long);
    const lock = await FolderLock.take(dir);
    expect(lock.token).toBe(2);
    await writeFile(join(dir, 'written'), 'mine');
    process.kill(child, 'SIGCONT');
    await once(sleeper.child, 'exit');
    expect(sleeper.output.trimEnd().split('\n').at(-1)).toMatch(/^held .* was taken over by process/);
    expect(await readFile(join(dir, 'written'), 'utf8')).toBe('mine');
    await lock.expect();
    await lock.release();
  });
});

describe('a claim that is not what was written', () => {
  it('is cut at every byte or has any bit flipped: it is held for two minutes and then not, and nothing crashes', async () => {
    const dir = await aFolder();
    const lock = await FolderLock.take(dir);
    const whole = await readFile(claim(dir, 1));
    await lock.release();
    const line = whole.indexOf(0x0a);
    const wounds = fc.oneof(
      fc.nat(line - 1).map((at) => whole.subarray(0, at)),
      fc.tuple(fc.nat(line - 1), fc.nat(7)).map(([offset, bit]) => {
        const bytes = Buffer.from(whole);
        bytes[offset] = bytes[offset]! ^ (1 << bit);
        return bytes;
      }),
    );
    await fc.assert(
      fc.asyncProperty(wounds, async (bytes) => {
        const copy = await aFolder();
        await mkdir(join(copy, 'lock'));
        await writeFile(claim(copy, 7), bytes);
        const error: unknown = await FolderLock.take(copy).catch((reason: unknown) => reason);
        expect(error).toMatchObject({ code: 'held', message: expect.stringContaining('damaged record') as string });
        const long = Date.now() / 1000 - 130;
        await utimes(claim(copy, 7), long, long);
        const next = await FolderLock.take(copy);
        expect(next.token).toBe(8);
        await next.release();
      }),
      { numRuns: 150 },
    );
  });
});
