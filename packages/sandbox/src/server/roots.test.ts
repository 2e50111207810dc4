import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SandboxClient } from '../client/client.js';
import type { ClientSession } from '../client/clientSession.js';
import { baseDirectory, isolation } from '../isolation/within.test.support.js';
import { Sandbox } from '../lease/sandbox.js';
import { readRoots } from './images.js';
import { serveSandbox, type SandboxServer } from './server.js';
import { AccessTokens } from './tokens.js';

const token = AccessTokens.random();
const possible = isolation.kind !== 'none' && process.getuid?.() === 0;
const label = possible ? '' : ' (left out: needs root and bubblewrap)';

describe.skipIf(!possible)(`a shell over HTTP${label}`, () => {
  let sandbox: Sandbox;
  let server: SandboxServer;
  let client: SandboxClient;
  let session: ClientSession<'shell'>;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gyre-roots-'));
    for (const name of ['empty', 'machine']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'file'), '');
    sandbox = await Sandbox.start({ directory: baseDirectory() });
    server = await serveSandbox({ sandbox, tokens: [{ token, scope: 'operate' }], roots: await readRoots(folder) });
    client = new SandboxClient({ url: server.url, token });
    session = await client.lease({ kind: 'shell', root: 'machine' });
  });
  afterAll(async () => {
    await server.close();
    await sandbox.close();
    rmSync(folder, { recursive: true });
  });

  it('is root in a root of its own, with files in its home', async () => {
    await session.files.write('task.txt', 'for the task');
    const { stdout } = await session.shell.run('id -u; mkdir /app; cp task.txt /app; cat /app/task.txt');
    expect(stdout).toBe('0\nfor the task');
    const second = await client.lease({ kind: 'shell', root: 'machine' });
    expect((await second.shell.run('ls /app')).exitCode).not.toBe(0);
    await second.release();
  });

  it('has no screen', async () => {
    const refusal = { code: 'bad_input', detail: { field: 'kind' } };
    await expect(session.screen.observe()).rejects.toMatchObject(refusal);
    await expect(session.screen.act({ type: 'click', point: { x: 0, y: 0 } })).rejects.toMatchObject(refusal);
  });

  it('has no checkpoints', async () => {
    await expect(session.checkpoint()).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'root' } });
  });

  it.each(['/', '/usr', 'other', '../empty', '__proto__', 'file', ''])('cannot start from %s', async (root) => {
    await expect(client.lease({ kind: 'shell', root })).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'root' },
    });
  });

  it('cannot start from a folder without programs', async () => {
    await expect(client.lease({ kind: 'shell', root: 'empty' })).rejects.toMatchObject({
      code: 'missing',
      detail: { field: 'root' },
    });
  });

  it.each(['browser', 'desktop'] as const)('is no %s', async (kind) => {
    await expect(client.lease({ kind, root: 'machine' })).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'root' },
    });
  });

  it('without a root of its own, is an ordinary user', async () => {
    const plain = await client.lease({ kind: 'shell' });
    expect((await plain.shell.run('id -u; mkdir /app 2>/dev/null || echo no')).stdout).toBe('1000\nno\n');
    await plain.release();
  });
});
