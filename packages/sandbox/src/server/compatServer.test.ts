import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingForDesktop } from '../desktop/requirement.js';
import { probeIsolation } from '../isolation/createEnclosure.js';
import { Remote } from '../foreign/driven/remote.js';
import { Sandbox } from '../lease/sandbox.js';
import type { SandboxSession } from '../lease/sandboxSession.js';
import { AccessTokens } from './tokens.js';
import { compatProtocols, serveCompat } from './compatServer.js';

const isolated = (await probeIsolation()).kind !== 'none';
const without = missingForDesktop().map(({ debian }) => debian);
const size = { width: 320, height: 240 };

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.start(isolated ? {} : { isolation: 'none' });
});
afterAll(() => sandbox.close());

describe.skipIf(without.length > 0).each(compatProtocols)(
  `a session that serves a client of %s${without.length > 0 ? ` (${without.join(', ')} missing)` : ''}`,
  (protocol) => {
    let session: SandboxSession;
    let server: { url: string; close(): Promise<void> };
    beforeAll(async () => {
      session = await sandbox.lease({ kind: 'desktop', size });
      server = await serveCompat({ session, protocol });
    });
    afterAll(async () => {
      await server.close();
      await session.release();
    });

    it('is driven by the client of gyre', async () => {
      const remote = await Remote.connect({ protocol, url: server.url });
      expect(remote.size).toEqual(size);
      const before = await remote.observe();
      await remote.act({ type: 'right_click', point: { x: 0.8, y: 0.8 } });
      expect((await remote.observe()).hash).not.toBe(before.hash);
      expect(await remote.run('echo $((6 * 7))')).toMatchObject({ exitCode: 0, stdout: '42\n' });
      await session.files.write('note.txt', 'of the session');
      expect(Buffer.from(await remote.readBytes(`${session.home}/note.txt`)).toString()).toBe('of the session');
      const bytes = Uint8Array.from([0, 255, 13, 10, 45, 45]);
      await remote.write(`${session.home}/more/é.bin`, bytes);
      expect(new Uint8Array(await remote.readBytes(`${session.home}/more/é.bin`))).toEqual(bytes);
      expect(await remote.list(`${session.home}/more`)).toEqual([{ name: 'é.bin', type: 'file' }]);
      await expect(remote.readBytes('/nowhere')).rejects.toMatchObject({ code: 'bad_input' });
      await expect(remote.list('/nowhere')).rejects.toMatchObject({ code: 'bad_input' });
      await expect(remote.write('/proc/x', 'x')).rejects.toMatchObject({ code: 'bad_input' });
      await remote.close();
    });

    it('ignores requests of foreign pages, whose body is not JSON', async () => {
      const [path, body] =
        protocol === 'osworld'
          ? ['/execute', { command: 'touch hacked', shell: true }]
          : ['/v1/bash/exec', { command: 'touch hacked' }];
      const post = (url: string, headers: Record<string, string>) =>
        fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      const json = { 'content-type': 'application/json' };
      for (const type of ['text/plain', 'application/octet-stream', 'text/json'])
        expect((await post(server.url, { 'content-type': type })).status, type).toBe(415);
      for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
        expect((await post(server.url, { 'content-type': type })).status, type).toBeGreaterThanOrEqual(400);
      expect((await post(server.url, { ...json, origin: 'http://evil.example' })).status).toBe(403);
      // DNS rebinding.
      const rebound = request(`${server.url}${path}`, { method: 'POST', headers: { ...json, host: 'evil.example' } });
      rebound.end(JSON.stringify(body));
      const [{ statusCode }] = (await once(rebound, 'response')) as [IncomingMessage];
      expect(statusCode).toBe(403);
      rebound.destroy();
      await expect(session.files.readBytes('hacked')).rejects.toMatchObject({ code: 'bad_input' });
    });

    it('takes a token as the password of its address, which clients know that know no tokens', async () => {
      const token = AccessTokens.random();
      await expect(serveCompat({ session, protocol, host: '0.0.0.0' })).rejects.toMatchObject({ code: 'bad_input' });
      const open = await serveCompat({ session, protocol, tokens: [{ token, scope: 'operate' }] });
      const path = protocol === 'osworld' ? '/screenshot' : '/v1/browser/screenshot';
      const as = async (authorization?: string) =>
        (await fetch(`${open.url}${path}`, { headers: authorization ? { authorization } : {} })).status;
      expect(await as()).toBe(401);
      expect(await as(`Basic ${Buffer.from('gyre:wrong').toString('base64')}`)).toBe(401);
      expect(await as(`Basic ${Buffer.from(`gyre:${token}`).toString('base64')}`)).toBe(200);
      await open.close();
    });
  },
);

it('is refused to a session without a desktop', async () => {
  const session = await sandbox.lease({ kind: 'browser', size });
  const serving = serveCompat({ session, protocol: 'osworld' });
  await expect(serving).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'session' } });
  await session.release();
});
