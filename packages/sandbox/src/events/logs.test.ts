import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SandboxClient } from '../client/client.js';
import { probeIsolation } from '../isolation/createEnclosure.js';
import { findBrowser } from '../browser/executable.js';
import { readLines } from './lines.js';
import { BrowserPool } from '../browser/pool.js';
import { Sandbox } from '../lease/sandbox.js';
import { serveSandbox } from '../server/server.js';
import { AccessTokens } from '../server/tokens.js';

const isolated = (await probeIsolation()).kind !== 'none';
const terms = { kind: 'browser', size: { width: 160, height: 120 } } as const;
const secret = 'correct horse battery staple';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.start(isolated ? {} : { isolation: 'none' });
});
afterAll(() => sandbox.close());

describe('the log of a session', () => {
  it('tells what was done and how it ended, and nothing of what was typed', async () => {
    const session = await sandbox.lease(terms);
    await session.browser.open({ html: `<input autofocus><script>console.warn('here', 7, {})</script>`, seed: 1 });
    await session.screen.act({ type: 'type', text: secret });
    for (let i = 0; i < 3; i++) await session.screen.act({ type: 'click', point: { x: 0.5, y: 0.5 } });
    await expect(session.browser.evaluate(`throw '${secret}'`)).rejects.toThrow();
    await expect(session.screen.act({ type: 'hotkey', keys: secret })).rejects.toThrow();
    await session.shell.run(`echo '${secret}'; exit 3`);
    const job = await session.shell.start(`sleep 100 # ${secret}`);
    await job.kill(0);
    await session.files.write('note.txt', secret);
    await session.browser.evaluate(`setTimeout(() => { throw new Error('nobody caught it') }, 0)`);
    await session.browser.advance(50);
    await session.release();
    const { entries, leftOut } = session.logs();
    const textsFrom = (source: string) => entries.filter(({ from }) => from === source).map(({ text }) => text);
    expect(leftOut).toBe(0);
    expect(textsFrom('lease')).toEqual([
      `leased as ${session.id}: browser, 160 x 120 px`,
      'released',
      'ended; its machine was removed',
    ]);
    expect(textsFrom('action')).toEqual([
      'browser.open',
      'type',
      'click',
      'browser.evaluate',
      'hotkey',
      'shell.run',
      'shell.start',
      'files.write',
      'browser.evaluate',
      'browser.advance',
    ]);
    expect(entries.find(({ text }) => text === 'click')?.times).toBe(3);
    expect(textsFrom('error')).toEqual([
      'browser.evaluate: bad_input (expression)',
      expect.stringContaining('hotkey: bad_input'),
    ]);
    expect(textsFrom('process')).toEqual(['shell.run ended with exit code 3', expect.stringMatching(/^job-\d+ ended/)]);
    expect(textsFrom('page')).toEqual(['warning: here 7 Object', expect.stringContaining('nobody caught it')]);
    expect(JSON.stringify(entries)).not.toContain(secret);
  });

  it('reports the death of its machine', async () => {
    const session = await sandbox.lease({ ...terms, ttlMs: 1 });
    await session.ended;
    expect(session.logs().entries.map(({ text }) => text)).toContain('broken: the lease of 1 ms was not renewed');
  });

  it('is bounded, whatever the page writes', async () => {
    const session = await sandbox.lease(terms);
    await session.browser.open({ html: `<script>for (let i = 0; i < 5000; i++) console.log(i)</script>`, seed: 1 });
    await session.screen.observe();
    const { entries, leftOut } = session.logs();
    expect(entries.filter(({ from }) => from === 'page').at(-1)?.text).toBe('log: 4999');
    expect(entries.length).toBeLessThan(300);
    expect(leftOut).toBe(4_800);
    await session.release();
  });

  it('is read over HTTP, also when the session has ended, by its leaser and by those who watch', async () => {
    const [mine, theirs, watcher] = [AccessTokens.random(), AccessTokens.random(), AccessTokens.random()];
    const tokens = [
      { token: mine, scope: 'operate' },
      { token: theirs, scope: 'operate' },
      { token: watcher, scope: 'watch' },
    ] as const;
    const server = await serveSandbox({ sandbox, tokens });
    const session = await new SandboxClient({ url: server.url, token: mine }).lease(terms);
    await session.shell.run('exit 4');
    await session.release();
    await expect.poll(async () => (await session.logs()).entries.at(-1)?.text).toContain('its machine was removed');
    expect((await session.logs()).entries.map(({ text }) => text)).toContain('shell.run ended with exit code 4');
    const status = async (token: string, id: string) =>
      (await fetch(`${server.url}/v1/sessions/${id}/logs`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await status(watcher, session.id)).toBe(200);
    expect(await status(theirs, session.id)).toBe(404);
    expect(await status(mine, 'nothing')).toBe(404);
    expect(await status('forged'.repeat(5), session.id)).toBe(401);
    await server.close();
  });
});

it('includes the standard error of a browser', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gyre-test-'));
  const executable = join(folder, 'browser');
  writeFileSync(executable, `#!/bin/sh\necho something is wrong >&2\nexec '${findBrowser().path}' "$@"\n`);
  chmodSync(executable, 0o755);
  const heard: [string, string][] = [];
  const pool = await BrowserPool.launch({ executable, log: (from, text) => heard.push([from, text]) });
  await pool.close();
  rmSync(folder, { recursive: true });
  expect(heard).toContainEqual(['browser', 'something is wrong']);
});

it('reads lines however they come, and no more of one than fits', async () => {
  const stream = new PassThrough();
  const lines: string[] = [];
  readLines(stream, (line) => lines.push(line));
  for (const part of ['a', 'b\nc\n', '\nd', 'x'.repeat(10_000), '\n', Buffer.from('ü').subarray(0, 1)])
    stream.write(part);
  stream.write(Buffer.concat([Buffer.from('ü').subarray(1), Buffer.from('\n')]));
  await new Promise(setImmediate);
  expect(lines.map((line) => line.slice(0, 3))).toEqual(['ab', 'c', 'dxx', 'ü']);
  expect(lines[2]).toHaveLength(4_096);
});
