import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { baseDirectory, isolation } from '../isolation/within.test.support.js';
import { Sandbox } from '../lease/sandbox.js';
import type { SandboxSession } from '../lease/sandboxSession.js';
import { guestImage, heard, plain, whyNot } from './guest.test.support.js';

const isolated = isolation.kind !== 'none';
const isDiskBounded = isolation.kind !== 'none' && isolation.holds.diskBytes === 'session';

describe.skipIf(whyNot !== '')(`a session of kind vm${whyNot}`, { timeout: 60_000 }, () => {
  let sandbox: Sandbox;
  let image: Awaited<ReturnType<typeof guestImage>>;
  let session: SandboxSession<'vm'>;
  beforeAll(async () => {
    image = await guestImage();
    sandbox = await Sandbox.start({ isolation: isolated ? 'auto' : 'none', directory: baseDirectory() });
    session = await sandbox.lease({ kind: 'vm', vm: { image: image.path, ...plain } });
    await heard(session.vm, /R/);
  }, 60_000);
  afterAll(async () => {
    await sandbox.close();
    await image.remove();
  });

  it('has a screen, keys and snapshots, with an image that the session itself cannot read', async () => {
    const before = await session.screen.observe();
    await session.vm.snapshot('start');
    await session.screen.act({ type: 'type', text: 'hello' });
    expect(await heard(session.vm, /hello/)).toBe('hello');
    expect((await session.screen.observe()).hash).not.toBe(before.hash);
    await session.vm.restore('start');
    expect((await session.screen.observe()).hash).toBe(before.hash);
    expect((await session.shell.run(`cat ${image.path}`)).exitCode).toBe(isolated ? 1 : 0);
  });

  it('ends as infra when its guest does, and another is leased', async () => {
    await session.screen.act({ type: 'hotkey', keys: 'f2' }).catch(() => undefined);
    expect(await session.broken).toMatchObject({ code: 'infra', message: 'the guest shut down' });
    expect(() => session.vm.observe()).toThrow(expect.objectContaining({ code: 'infra' }));
    await session.release();
    session = await sandbox.lease({ kind: 'vm', vm: { image: image.path, ...plain } });
    expect(await heard(session.vm, /R/)).toBe('R');
  });

  it.skipIf(!isDiskBounded)('ends as infra when its disk is full, and says so', async () => {
    const full = await sandbox.lease({
      kind: 'vm',
      vm: { image: image.path, ...plain },
      limits: { diskBytes: 400_000 },
    });
    await heard(full.vm, /R/);
    await expect(full.vm.snapshot('large')).rejects.toMatchObject({ code: 'infra', detail: { field: 'snapshot' } });
    // Failed snapshots free their space, so the session fills the disk.
    await full.shell.run('cat /dev/zero > ~/zeros');
    await full.screen.act({ type: 'hotkey', keys: 'f4' }).catch(() => undefined);
    expect(await full.broken).toMatchObject({ message: 'the guest stopped: its disk is full' });
    await full.release();
  });

  it('needs an image', async () => {
    await expect(sandbox.lease({ kind: 'vm' })).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'vm.image' },
    });
  });
});
