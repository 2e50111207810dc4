import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SandboxClient } from '../client/client.js';
import { probeIsolation } from '../isolation/createEnclosure.js';
import { Sandbox } from '../lease/sandbox.js';
import { serveSandbox } from '../server/server.js';
import { AccessTokens } from '../server/tokens.js';

const isolated = (await probeIsolation()).kind !== 'none';
const terms = { kind: 'browser', size: { width: 160, height: 120 } } as const;

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.start(isolated ? {} : { isolation: 'none' });
});
afterAll(() => sandbox.close());

describe('files of a lease', () => {
  const files = {
    '.config/app/settings': 'first = no\n',
    'Desktop/': '',
    'bin/hello': { text: '#!/bin/sh\necho hello\n', executable: true },
  };
  const look =
    'cat .config/app/settings; ls -A Desktop | wc -l; bin/hello; echo more >>.config/app/settings && echo mine';
  const seen = 'first = no\n0\nhello\nmine\n';

  it('are in the home when the session begins, and are those of its user', async () => {
    const session = await sandbox.lease({ ...terms, files });
    expect(await session.shell.run(look)).toMatchObject({ stdout: seen });
    await session.release();
  });

  it('come over HTTP, too, with the name of the user', async () => {
    const token = AccessTokens.random();
    const server = await serveSandbox({ sandbox, tokens: [{ token, scope: 'operate' }] });
    const client = new SandboxClient({ url: server.url, token });
    const session = await client.lease({ ...terms, files, user: isolated ? 'user' : undefined });
    expect(await session.shell.run(`${look}; pwd`)).toMatchObject({
      stdout: expect.stringMatching(isolated ? /mine\n\/home\/user\n$/ : /mine\n/) as string,
    });
    await session.release();
    await expect(client.lease({ ...terms, user: 'No Name' })).rejects.toMatchObject({ detail: { field: 'user' } });
    await server.close();
  });

  it.each([
    ['a path out of the home', { '../x': '' }, 'relative to the home'],
    ['an absolute path', { '/tmp/x': '' }, 'relative to the home'],
    ['an empty name', { 'a//b': '' }, 'relative to the home'],
    ['a folder with a text', { 'a/': 'text' }, 'remove the trailing /'],
    ['too much text', { a: 'x'.repeat(2 ** 24 + 1) }, 'upload the others'],
    ['too many', Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`f${index}`, ''])), 'upload'],
  ])('are refused with %s before anything starts', async (_, wrong, fix) => {
    await expect(sandbox.lease({ ...terms, files: wrong })).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'files', fix: expect.stringContaining(fix) as string },
    });
    expect(sandbox.sessions).toEqual([]);
  });

  it('that contradict each other fail the lease', async () => {
    const both = { a: 'a file', 'a/b': 'in a file' };
    await expect(sandbox.lease({ ...terms, files: both })).rejects.toMatchObject({ code: 'bad_input' });
    expect(sandbox.sessions).toEqual([]);
  });
});

it('a session without isolation has no user of its own', async () => {
  const bare = await Sandbox.start({ isolation: 'none' });
  await expect(bare.lease({ ...terms, user: 'user' })).rejects.toMatchObject({
    code: 'bad_input',
    detail: { field: 'user' },
  });
  await bare.close();
});
