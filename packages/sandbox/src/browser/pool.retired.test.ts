import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { BrowserPool } from './pool.js';

const size = { width: 160, height: 160 };

function processesOf(leader: number): { pid: number; type: string }[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
      if (group !== leader) return [];
      const line = readFileSync(`/proc/${name}/cmdline`, 'latin1');
      return [{ pid: Number(name), type: /--type=([a-z-]+)/.exec(line)?.[1] ?? '' }];
    } catch {
      return [];
    }
  });
}

it('a browser that opens no pages any more is replaced, and ends with the last of its sessions', async () => {
  const pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 3, timeoutMs: 2_000 });
  try {
    const retired = await pool.lease({ size });
    await retired.browser.open({ html: '<h1>here</h1>', seed: 1 });
    const [leader = 0] = await pool.pids();
    const zygotes = processesOf(leader).filter(({ type }) => type === 'zygote');
    expect(zygotes.length).toBeGreaterThan(0);
    for (const { pid } of zygotes) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Killed along with an earlier one.
      }
    }
    const fresh = await pool.lease({ size });
    await fresh.browser.open({ html: '<h1>there</h1>', seed: 1 });
    await fresh.screen.observe();
    expect((await pool.pids())[0]).not.toBe(leader);
    await retired.release().catch(() => undefined);
    await expect.poll(() => processesOf(leader).length, { timeout: 10_000 }).toBe(0);
    await fresh.release();
  } finally {
    await pool.close();
  }
});
