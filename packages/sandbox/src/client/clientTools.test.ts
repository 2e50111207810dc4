import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SandboxClient } from './client.js';
import type { ClientSession } from './clientSession.js';
import { probeIsolation } from '../isolation/createEnclosure.js';
import { Sandbox } from '../lease/sandbox.js';
import type { SandboxSession } from '../lease/sandboxSession.js';
import { serveSandbox, type SandboxServer } from '../server/server.js';
import { AccessTokens } from '../server/tokens.js';
import { programText } from '../shell/programText.js';
import type { ToolServer } from '../tools/tool.js';

const program = programText(new URL('./toolServer.test.fixture.py', import.meta.url));

const isolated = (await probeIsolation()).kind !== 'none';
const [token, strange, watching] = [AccessTokens.random(), AccessTokens.random(), AccessTokens.random()];

let sandbox: Sandbox;
let server: SandboxServer;
let session: ClientSession;
let tools: ToolServer;
const terms = { name: 'python', command: 'python3', args: ['tools.py'], env: { MARK: '!' } };
beforeAll(async () => {
  sandbox = await Sandbox.start(isolated ? {} : { isolation: 'none' });
  server = await serveSandbox({
    sandbox,
    tokens: [
      { token, scope: 'operate' },
      { token: strange, scope: 'operate' },
      { token: watching, scope: 'watch' },
    ],
  });
  const client = new SandboxClient({ url: server.url, token });
  session = await client.lease({ kind: 'browser', size: { width: 160, height: 120 } });
  await session.files.write('tools.py', program);
  tools = await session.tools.start(terms);
});
afterAll(async () => {
  await server.close();
  await sandbox.close();
});

describe('tools of a remote session', () => {
  it('work like local ones', async () => {
    const here = (sandbox.sessions[0] as SandboxSession).tools.server('python');
    expect(await tools.list()).toEqual(await here.list());
    expect(await tools.call('greet', { who: 'you' })).toEqual(await here.call('greet', { who: 'you' }));
    expect(await tools.call('greet', { who: 'you' })).toMatchObject({
      structured: { said: 'hello you!' },
      failed: false,
    });
    const picture = await tools.call('picture');
    expect(picture).toEqual(await here.call('picture'));
    expect([...(picture.content[0] as { bytes: Uint8Array }).bytes]).toEqual([0, 1, 254, 255]);
    const { content, leftOut } = await tools.call('greet', { who: 'x'.repeat(1_000) }, { maxOutput: 100 });
    expect(content).toMatchObject([{ type: 'text', text: expect.stringContaining('bytes left out') }]);
    expect(leftOut).toBeGreaterThan(900);
    expect((await session.tools.servers()).map(({ name }) => name)).toEqual(['python']);
    expect(await session.tools.server('python').call('greet', { who: 'me' })).toMatchObject({ failed: false });
  });

  it.each([
    ['an unknown tool', () => tools.call('none'), { field: 'tool' }],
    ['a missing argument', () => tools.call('greet'), { field: 'args.who' }],
    ['arguments that are none', () => tools.call('greet', [1] as never), { field: 'args' }],
    ['an invalid time', () => tools.call('greet', { who: '' }, { timeoutMs: -1 }), { field: 'timeoutMs' }],
    ['an unknown server', () => session.tools.server('none').list(), { field: 'server' }],
    ['a strange name', () => session.tools.server('../../x').list(), { field: 'server' }],
    ['a name that is taken', () => session.tools.start(terms), { field: 'name' }],
    ['a setting that there is not', () => session.tools.start({ ...terms, shell: true } as never), {}],
  ])('refuse %s, like local ones', async (_, work, detail) => {
    await expect(work()).rejects.toMatchObject({ code: 'bad_input', detail });
  });

  it('may fail and die, and the session goes on', async () => {
    const failed = { code: 'infra', detail: { field: 'server' } };
    await expect(tools.call('hang', {}, { timeoutMs: 100 })).rejects.toMatchObject(failed);
    await expect(session.tools.start({ name: 'nobody', command: 'false' })).rejects.toMatchObject({ code: 'infra' });
    await expect(tools.call('die')).rejects.toMatchObject({
      ...failed,
      message: expect.stringContaining('has ended (exit code 4)'),
    });
    expect(session.state).toBe('leased');
    expect(await session.tools.servers()).toEqual([]);
    const again = await session.tools.start(terms);
    expect(await again.call('greet', { who: 'again' })).toMatchObject({ failed: false });
    await again.close();
    await again.close();
    await expect(again.list()).rejects.toMatchObject(failed);
  });

  it('are available only to the leaser of the session', async () => {
    const ask = (bearer: string) =>
      fetch(`${server.url}/v1/sessions/${session.id}/tools`, { headers: { authorization: `Bearer ${bearer}` } });
    expect((await ask(token)).status).toBe(200);
    expect((await ask(strange)).status).toBe(404);
    expect((await ask(watching)).status).toBe(403);
    expect((await ask('none')).status).toBe(401);
  });

  it('end with it, and say so', async () => {
    const last = await session.tools.start(terms);
    await sandbox.sessions[0]!.release();
    await expect(last.list()).rejects.toMatchObject({ code: 'infra' });
    expect(session.state).toBe('broken');
  });
});
