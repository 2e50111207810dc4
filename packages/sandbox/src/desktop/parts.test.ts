import { describe, expect, it } from 'vitest';
import { probeIsolation } from '../isolation/createEnclosure.js';
import { killWithin } from '../isolation/browser/killWithin.test.support.js';
import { Sandbox } from '../lease/sandbox.js';
import { missingForDesktop } from './requirement.js';

const isolated = (await probeIsolation()).kind !== 'none';
const here = isolated && missingForDesktop().length === 0;

describe.skipIf(!here)('a part of a machine that dies', () => {
  it.each([
    ['desktop', 'openbox', 'window_manager'],
    ['desktop', 'dbus-daemon', 'bus'],
    ['desktop', 'Xvfb', 'display'],
    ['browser', 'headless-shell', 'browser'],
  ] as const)('is noticed without a call: of a %s, %s', async (kind, program, part) => {
    const sandbox = await Sandbox.start({ quotas: { sessions: 1 } });
    try {
      const events = sandbox.events();
      const session = await sandbox.lease({ kind, size: { width: 200, height: 150 } });
      expect(await killWithin(session, program)).toBeGreaterThan(0);
      expect(await session.broken).toMatchObject({ code: 'infra', detail: { part } });
      await expect((async () => session.screen.observe())()).rejects.toMatchObject({ code: 'infra', detail: { part } });
      await session.ended;
      const values = [await events.next(), await events.next(), await events.next()].map(({ value }) => value);
      expect(values).toMatchObject([
        { type: 'session.created' },
        { type: 'machine.died', part },
        { type: 'session.ended', reason: 'machine' },
      ]);
      await (await sandbox.lease({ kind: 'browser', size: { width: 64, height: 64 } })).release();
    } finally {
      await sandbox.close();
    }
  });
});
