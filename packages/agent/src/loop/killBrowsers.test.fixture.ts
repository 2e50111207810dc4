import { readFileSync } from 'node:fs';
import type { BrowserPool } from '@gyre/sandbox';
import { expect } from 'vitest';

/** Kills the browsers of a pool, and resolves once they are dead: on a busy machine one still acts for a moment. */
export async function killBrowsers(pool: BrowserPool): Promise<void> {
  const pids = await pool.pids();
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  await expect.poll(() => pids.some(isAlive), { timeout: 5_000 }).toBe(false);
}

function isAlive(pid: number): boolean {
  try {
    // The state follows the name, which ends with the last parenthesis.
    return !/^\) [ZX]/.test(/\)[^)]*$/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[0] ?? '');
  } catch {
    return false;
  }
}
