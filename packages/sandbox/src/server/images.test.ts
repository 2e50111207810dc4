import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { SandboxClient } from '../client/client.js';
import type { ClientSession } from '../client/clientSession.js';
import { baseDirectory, isolation } from '../isolation/within.test.support.js';
import { Sandbox } from '../lease/sandbox.js';
import { guestImage, heard, whyNot } from '../vm/guest.test.support.js';
import { readVmImages } from './images.js';
import { requireMachine } from './requireMachine.js';
import { serveSandbox, type SandboxServer } from './server.js';
import { AccessTokens } from './tokens.js';

const [token, watching] = [AccessTokens.random(), AccessTokens.random()];
const isolated = isolation.kind !== 'none';

let sandbox: Sandbox;
let server: SandboxServer;
let client: SandboxClient;
let image: Awaited<ReturnType<typeof guestImage>>;
beforeAll(async () => {
  image = await guestImage();
  sandbox = await Sandbox.start({ isolation: isolated ? 'auto' : 'none', directory: baseDirectory() });
  server = await serveSandbox({
    sandbox,
    images: { guest: image.path },
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
  await image.remove();
});

function socket(path: string, bearer: string): WebSocket {
  return new WebSocket(`${server.url.replace('http', 'ws')}${path}`, {
    headers: { authorization: `Bearer ${bearer}` },
  });
}

it.each(['other', '__proto__', '/etc/passwd', '../guest'])('a client cannot lease a machine with %s', async (name) => {
  await expect(client.lease({ kind: 'vm', vm: { image: name } })).rejects.toMatchObject({
    code: 'bad_input',
    detail: { field: 'vm.image', fix: 'use one of guest' },
  });
});

it('nor with a path of the host, by way of a checkpoint', async () => {
  const terms = { kind: 'vm', vm: { image: image.path } } as never;
  const checkpoint = { version: 1, at: new Date().toISOString(), terms, home: '' } as const;
  await expect(client.restore(checkpoint)).rejects.toMatchObject({ code: 'corrupt', detail: { field: 'terms' } });
});

it('the images of a folder are its files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gyre-images-'));
  await writeFile(join(folder, 'a.qcow2'), '');
  expect(await readVmImages(folder)).toEqual({ 'a.qcow2': join(folder, 'a.qcow2') });
  await rm(folder, { recursive: true });
  await expect(readVmImages(folder)).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'images' } });
});

describe.skipIf(whyNot !== '')(`a remote machine${whyNot}`, () => {
  let session: ClientSession;
  const guest = () => requireMachine(sandbox.sessions[0]!).vm!;
  beforeAll(async () => {
    session = await client.lease({ kind: 'vm', vm: { image: 'guest', memoryBytes: 2 ** 25 } });
    await heard(guest(), /R/);
  });

  it('can be acted on', async () => {
    await session.screen.act({ type: 'type', text: 'hello' });
    expect(await heard(guest(), /hello/)).toBe('hello');
  });

  it('is shown by the live view to watchers, and can be taken over by operators', async () => {
    const path = `/v1/sessions/${session.id}`;
    const seen = socket(`${path}/frames`, watching);
    const received = await new Promise<Buffer[]>((resolve) => {
      const messages: Buffer[] = [];
      seen.on('message', (data: Buffer) => messages.push(data) === 3 && resolve(messages));
    });
    seen.close();
    expect(JSON.parse(received[0]!.toString())).toMatchObject({ session: { kind: 'vm', mayControl: false } });
    expect(received[2]!.subarray(1, 4).toString()).toBe('PNG');

    const refused = socket(`${path}/control`, watching);
    const status = await new Promise((resolve) => {
      refused.on('error', () => undefined);
      refused.on('unexpected-response', (_, { statusCode }) => resolve(statusCode));
    });
    expect(status).toBe(403);

    const control = socket(`${path}/control?name=Anna`, token);
    await new Promise((resolve) => control.once('open', resolve));
    control.send(JSON.stringify({ id: 1, action: { type: 'type', text: 'anna' } }));
    expect(await heard(guest(), /anna/)).toBe('anna');
    await expect(session.screen.act({ type: 'type', text: 'x' })).rejects.toMatchObject({ code: 'held' });
    control.close();
  });
});
