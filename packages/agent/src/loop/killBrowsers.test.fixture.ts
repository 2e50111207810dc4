import { readFileSync } from 'node:fs';
import type { BrowserPool } from '@gyre/sandbox';
import { expect } from 'vitest';

/** Waits for their death: a busy machine's browsers act a moment longer. */
export async function killBrowsers(pool: BrowserPool): Promise<void> {
  const pids = await pool.pids();
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  await expect.poll(() => pids.some(isAlive), { timeout: 5_000 }).toBe(false);
}

function isAlive(pid: number): boolean {
  try {
    // The state follows the name's last parenthesis.
    return !/^\) [ZX]/.test(/\)[^)]*$/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[0] ?? '');
  } catch {
    return false;
  }
}
