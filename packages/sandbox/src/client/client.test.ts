import type { GyreError } from '@gyre/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SandboxClient } from './client.js';
import type { ClientSession } from './clientSession.js';
import { probeIsolation } from '../isolation/createEnclosure.js';
import { Sandbox } from '../lease/sandbox.js';
import { serveSandbox, type SandboxServer } from '../server/server.js';
import { AccessTokens } from '../server/tokens.js';
import { type Session, browserOf } from '../lease/session.js';
import { killWithin } from '../isolation/browser/killWithin.test.support.js';

const isolated = (await probeIsolation()).kind !== 'none';
const token = AccessTokens.random();
const size = { width: 160, height: 120 };

let sandbox: Sandbox;
let server: SandboxServer;
let client: SandboxClient;
beforeAll(async () => {
  sandbox = await Sandbox.start(isolated ? {} : { isolation: 'none' });
  server = await serveSandbox({ sandbox, tokens: [{ token, scope: 'operate' }] });
  client = new SandboxClient({ url: server.url, token });
});
afterAll(async () => {
  await server.close();
  await sandbox.close();
});

const page = {
  html: '<body style="margin:0"><button id=b style="width:100%;height:60px">0</button><i style="animation: turn 1s infinite">x</i><style>@keyframes turn { to { opacity: 0 } }</style>',
  script:
    '(step) => { globalThis.pressed = 0; b.addEventListener("click", () => { pressed += step; b.textContent = String(pressed); }); }',
  argument: 3,
  seed: 7,
};

async function played(session: Session): Promise<unknown[]> {
  const browser = browserOf(session);
  await browser.open(page);
  const seen: unknown[] = [(await session.screen.observe()).hash];
  for (let turn = 0; turn < 3; turn++) {
    await session.screen.act({ type: 'click', point: { x: 0.5, y: 0.2 } });
    seen.push((await session.screen.observe()).hash, await browser.evaluate('pressed'));
    await browser.advance(50);
  }
  return seen;
}

describe('a session of a remote server', () => {
  let session: ClientSession;
  beforeAll(async () => {
    session = await client.lease({ kind: 'browser', size });
  });
  afterAll(() => session.release());

  it('sends notices to its client once', async () => {
    await session.screen.act({ type: 'navigate', url: 'http://127.0.0.1:9/' });
    expect(session.screen.notices?.()).toEqual([expect.stringContaining('net::ERR_')]);
    expect(session.screen.notices?.()).toEqual([]);
  });

  it('shows the same frames as a local one', async () => {
    const here = await sandbox.lease({ kind: 'browser', size });
    expect(await played(session)).toEqual(await played(here));
    await here.release();
  });

  it('has a shell and files', async () => {
    await session.files.write('a/note.txt', 'written elsewhere');
    expect(await session.shell.run('cat a/note.txt >&2; exit 2')).toMatchObject({
      exitCode: 2,
      stderr: 'written elsewhere',
    });
    expect(Buffer.from(await session.files.readBytes('a/note.txt')).toString()).toBe('written elsewhere');
    expect((await session.files.list('a')).entries.map(({ path }) => path)).toEqual(['a/note.txt']);
    await session.renew();
    expect(await client.sessions()).toHaveLength(1);
  });

  it('tells of tabs and dialogs', async () => {
    const browser = browserOf(session);
    const click = { type: 'click', point: { x: 0.5, y: 0.5 } } as const;
    await browser.open({
      html: `<button style="position:fixed;inset:0" onclick="document.title = confirm('Sure?')"></button>`,
      seed: 1,
    });
    await session.screen.act(click);
    expect(session.browser!.page.asks).toBe('confirm');
    await expect(browser.evaluate('document.title')).rejects.toMatchObject({ code: 'bad_input' });
    await session.screen.act({ type: 'hotkey', keys: 'enter' });
    expect(session.browser!.page.asks).toBeUndefined();
    expect(await browser.evaluate('document.title')).toBe('true');
    await browser.open({
      html: '<title>one</title><button style="position:fixed;inset:0" onclick="window.open(`about:blank`)"></button>',
      seed: 1,
    });
    await session.screen.act(click);
    expect(session.browser!.page.tabs).toEqual({ urls: [expect.any(String), 'about:blank'], shown: 2 });
    expect(session.screen.notices!().join()).toContain('tab 2 of 2 is shown');
    expect(await browser.evaluate('document.title', { tab: 'first' })).toBe('one');
    await session.screen.act({ type: 'hotkey', keys: 'ctrl w' });
    expect(session.browser!.page.tabs).toBeUndefined();
  });

  it('passes on errors of the server', async () => {
    await expect(session.files.readBytes('../../etc/passwd')).rejects.toMatchObject({ code: 'bad_input' });
    await expect(session.browser?.evaluate('nothing.at.all')).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'expression' },
    });
    expect(session.state).toBe('leased');
  });
});

// A program's name could match anybody's.
it.skipIf(!isolated)('stays broken after its machine is gone', async () => {
  const session = await client.lease({ kind: 'browser', size });
  await killWithin(session, 'user-data-dir');
  await expect
    .poll(() =>
      session.screen.observe().then(
        () => 'seen',
        (error: unknown) => (error as GyreError).code,
      ),
    )
    .toBe('infra');
  expect(session.state).toBe('broken');
  expect(await session.broken).toMatchObject({ code: 'infra' });
  await session.release();
});

it('refuses an invalid address, and reports a server that does not answer', async () => {
  expect(() => new SandboxClient({ url: 'sandbox', token })).toThrow('sandbox is not a server address');
  const nobody = new SandboxClient({ url: 'http://127.0.0.1:9', token });
  await expect(nobody.sessions()).rejects.toMatchObject({ code: 'infra', detail: { field: 'url' } });
  const stranger = new SandboxClient({ url: server.url, token: AccessTokens.random() });
  await expect(stranger.sessions()).rejects.toMatchObject({ code: 'bad_input' });
});
