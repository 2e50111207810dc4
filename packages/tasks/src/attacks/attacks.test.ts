import { BrowserPool, createEnclosure, probeIsolation, Sandbox } from '@gyre/sandbox';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machineFamilies } from '../family/machine/families.js';
import { familyOf } from '../family/suites.js';
import { attacks } from './attacks.js';
import { playAttacks, type AttackTargets } from './playAttack.js';
import { processAttacks } from './processes.js';

const isolation = await probeIsolation();
const walled = isolation.kind !== 'none';
/** Without root, the agent runs as the same user as the judged programs, and verdicts report that. */
const apart = walled && process.getuid?.() === 0;
const why = walled ? ' (left out: needs root)' : ' (left out: no walls here)';

/** Skipped here; `gyre tasks attack` plays every attack on every family. */
const slow = /inside a page|and back|anew|as addresses|keys of the browser|reaches back|same screen|used up/;

let targets: AttackTargets;
beforeAll(async () => {
  targets = { pool: await BrowserPool.launch(), sandbox: await Sandbox.start(walled ? {} : { isolation: 'none' }) };
});
afterAll(() => Promise.all([targets.pool.close(), targets.sandbox.close()]));

const lost = async (name: string, chosen = attacks) => {
  const results = await playAttacks(targets, familyOf(name), 3, chosen);
  expect(results.length).toBeGreaterThan(5);
  return results.filter(({ resisted }) => !resisted);
};
const missing = (name: string) => machineFamilies[name]?.missing?.() ?? [];
const quick = attacks.filter(({ name }) => !slow.test(name));

describe('attacks earn nothing', () => {
  test.each(['click', 'mail.archive'])('on the page of %s', async (name) => {
    expect(await lost(name)).toEqual([]);
  });

  test.skipIf(!apart)(
    `on a browser machine with a shell${apart ? '' : why}`,
    async () => {
      expect(await lost('hybrid.keepNote', quick)).toEqual([]);
    },
    120_000,
  );

  test.skipIf(!apart || missing('windows.close').length > 0)(
    `on a desktop with a shell${apart ? '' : why}`,
    async () => {
      expect(await lost('windows.close', quick)).toEqual([]);
    },
    120_000,
  );
});

test.skipIf(!apart)(
  `what attacks look for is there: as the user of what is judged they reach it${apart ? '' : why}`,
  async () => {
    const enclosure = await createEnclosure();
    try {
      const run = async (name: string, as: 'agent' | 'system') => {
        const { text } = processAttacks.find((attack) => attack.name === name)!;
        const { file, args, env, cwd } = enclosure.command('python3', ['-c', text], { as });
        const { stdout } = await promisify(execFile)(file, [...args], { env: { ...env }, cwd });
        return stdout.split('\n').filter((line) => line.startsWith('reached'));
      };
      const judged = enclosure.command('bash', ['-c', 'exec -a Xvfb sleep 1000'], { as: 'system' });
      const child = execFile(judged.file, [...judged.args], { env: { ...judged.env }, cwd: judged.cwd });
      child.on('error', () => undefined);
      await expect
        .poll(() => run('files of /proc', 'system'), { timeout: 10_000 })
        .toContainEqual(expect.stringMatching(/write mem .*Xvfb/));
      for (const name of ['files of /proc', 'priorities, processors and limits of others']) {
        expect(await run(name, 'agent')).toEqual([]);
        expect((await run(name, 'system')).length).toBeGreaterThan(0);
      }
    } finally {
      await enclosure.close();
    }
  },
);
