import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingForDesktop } from '../desktop/requirement.js';
import { probeIsolation } from '../enclosure/createEnclosure.js';
import { Remote } from '../remote/remote.js';
import { Sandbox } from '../sandbox.js';
import type { SandboxSession } from '../sandboxSession.js';
import { compatProtocols, serveCompat, type CompatProtocol } from './compatServer.js';

const walled = (await probeIsolation()).kind !== 'none';
const without = missingForDesktop().map(({ debian }) => debian);
const size = { width: 320, height: 240 };

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.start(walled ? {} : { isolation: 'none' });
});
afterAll(() => sandbox.close());

describe.skipIf(without.length > 0).each(Object.keys(compatProtocols) as CompatProtocol[])(
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

    it('is driven by our own', async () => {
      const remote = await Remote.connect({ protocol, url: server.url });
      expect(remote.size).toEqual(size);
      const before = await remote.observe();
      await remote.act({ type: 'right_click', point: { x: 0.8, y: 0.8 } });
      expect((await remote.observe()).hash).not.toBe(before.hash);
      expect(await remote.run('echo $((6 * 7))')).toMatchObject({ exitCode: 0, stdout: '42\n' });
      await session.files.write('note.txt', 'of the session');
      expect(Buffer.from(await remote.readBytes(`${session.home}/note.txt`)).toString()).toBe('of the session');
      await remote.close();
    });
  },
);

it('is refused to a session without a desktop', async () => {
  const session = await sandbox.lease({ kind: 'browser', size });
  const serving = serveCompat({ session, protocol: 'osworld' });
  await expect(serving).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'session' } });
  await session.release();
});
