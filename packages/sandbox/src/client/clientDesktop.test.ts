import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SandboxClient } from './client.js';
import { missingForDesktop } from '../desktop/requirement.js';
import { probeIsolation } from '../isolation/createEnclosure.js';
import { Sandbox } from '../lease/sandbox.js';
import { serveSandbox, type SandboxServer } from '../server/server.js';
import { AccessTokens } from '../server/tokens.js';

const isolated = (await probeIsolation()).kind !== 'none';
const missing = missingForDesktop().map(({ debian }) => debian);
const [token, watching] = [AccessTokens.random(), AccessTokens.random()];
const size = { width: 320, height: 240 };

let sandbox: Sandbox;
let server: SandboxServer;
let client: SandboxClient;
beforeAll(async () => {
  sandbox = await Sandbox.start(isolated ? {} : { isolation: 'none' });
  server = await serveSandbox({
    sandbox,
    tokens: [
      { token, scope: 'operate' },
      { token: watching, scope: 'watch' },
    ],
  });
  client = new SandboxClient({ url: server.url, token });
});
afterAll(async () => {
  await server.close();
  await sandbox.close();
});

const windowsOf = (id: string, bearer = token) =>
  fetch(`${server.url}/v1/sessions/${id}/windows`, { headers: { authorization: `Bearer ${bearer}` } });

describe.skipIf(missing.length > 0)('a remote desktop', () => {
  it('starts programs and lists their windows like a local one', async () => {
    const session = await client.lease({ kind: 'desktop', size });
    const { desktop } = session;
    expect(await desktop.windows()).toEqual([]);
    await desktop.launch('xterm', ['-title', 'elsewhere', '-geometry', '20x5+10+10']);
    const window = await desktop.waitForWindow(({ title }) => title === 'elsewhere', 30_000);
    expect(window.program).toBe('XTerm');
    const [here] = sandbox.sessions;
    if (!here || !('tools' in here)) throw new Error('there is no such session here');
    expect(await desktop.windows()).toEqual(await here.desktop!.windows());
    await expect(desktop.launch('no-such-program', ['x'])).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'program' },
    });
    await expect(desktop.waitForWindow(() => false, 1)).rejects.toMatchObject({
      code: 'infra',
      detail: { field: 'window' },
    });
    expect(session.state).toBe('leased');
    expect((await windowsOf(session.id, watching)).status).toBe(403);
    await session.release();
  });
});

it('a remote browser has no windows', async () => {
  const session = await client.lease({ kind: 'browser', size });
  expect(session.desktop).toBeUndefined();
  const answer = await windowsOf(session.id);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { code: 'bad_input', field: 'id' } });
  await session.release();
});
