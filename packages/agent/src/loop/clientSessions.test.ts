import { AccessTokens, probeIsolation, Sandbox, SandboxClient, serveSandbox } from '@gyre/sandbox';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { ClientSessions } from './clientSessions.js';

it('keep the session of a slow decision, and not that of a worker without signs of life', async () => {
  const sandbox = await Sandbox.start((await probeIsolation()).kind === 'none' ? { isolation: 'none' } : {});
  const token = AccessTokens.random();
  const server = await serveSandbox({ sandbox, tokens: [{ token, scope: 'operate' }] });
  try {
    const client = new SandboxClient({ url: server.url, token });
    const ttlMs = 2_000;
    const size = { width: 160, height: 120 };
    const session = await new ClientSessions({ client, ttlMs }).lease({ size, machine: 'shell' });
    const unattended = await client.lease({ kind: 'shell', ttlMs });
    await delay(2 * ttlMs);
    expect((await client.sessions()).map(({ id }) => id)).toEqual([session.id]);
    await expect(unattended.renew()).rejects.toMatchObject({ code: expect.any(String) as string });
    await session.release();
    await vi.waitFor(async () => expect(await client.sessions()).toEqual([]));
  } finally {
    await server.close();
    await sandbox.close();
  }
});
