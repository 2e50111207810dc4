import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { endTree, leaderOf, members } from './processTree.js';

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
});

async function sleeper(): Promise<ChildProcess & { pid: number }> {
  const child = spawn('sh', ['-c', 'echo; sleep 120 & sleep 120'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  started.push(child);
  await once(child.stdout, 'data');
  return child as ChildProcess & { pid: number };
}
const mark = 'nobody has this mark';

describe('a tree of processes', () => {
  it('is its leader and what is below it, and ends', async () => {
    const child = await sleeper();
    const leader = leaderOf(child.pid);
    expect(members({ leader, mark })).toContain(child.pid);
    const ended = once(child, 'exit');
    await endTree({ leader, mark }, 0);
    expect(members({ leader, mark })).toEqual([]);
    await ended;
  });

  it('does not signal a process that reuses the id of a dead leader', async () => {
    const child = await sleeper();
    for (const began of ['1', undefined]) {
      const leader = { pid: child.pid, started: began };
      expect(members({ leader, mark })).toEqual([]);
      await endTree({ leader, mark }, 0);
    }
    expect(leaderOf(child.pid).started).toMatch(/^\d+$/);
  });

  it('is never this process', () => {
    expect(members({ leader: leaderOf(process.pid), mark })).not.toContain(process.pid);
  });
});
