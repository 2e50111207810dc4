import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { AccessTokens, SandboxClient } from '@gyre/sandbox';
import { afterEach, describe, expect, it } from 'vitest';
import { bin } from '../inProcess.test.fixture.js';

const token = AccessTokens.random();

describe('gyre serve sandbox --drain', () => {
  let child: ChildProcess;
  afterEach(() => void child.kill('SIGKILL'));

  async function start(seconds: string): Promise<SandboxClient> {
    const args = ['serve', 'sandbox', '--isolation', 'none', '--drain', seconds];
    const server = spawn(process.execPath, [bin, ...args], {
      env: { ...process.env, GYRE_TOKEN: token },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child = server;
    for await (const line of createInterface(server.stderr)) {
      const url = /listening at (\S+)/.exec(line)?.[1];
      if (url !== undefined) return new SandboxClient({ url, token });
    }
    throw new Error('the server does not listen');
  }

  it('lets sessions end, and takes no others', async () => {
    const client = await start('60');
    const session = await client.lease({ kind: 'shell' });
    child.kill('SIGTERM');
    await expect
      .poll(() => client.lease({ kind: 'shell' }).catch((error: unknown) => String(error)), { timeout: 10_000 })
      .toContain('draining');
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect((await session.shell.run('echo still')).stdout).toBe('still\n');
    const ended = once(child, 'exit');
    await session.release();
    await ended;
  });

  it('ends sessions that last longer', async () => {
    const client = await start('1');
    await client.lease({ kind: 'shell' });
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
});
