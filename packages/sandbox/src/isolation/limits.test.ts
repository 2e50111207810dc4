import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { builders } from './builders.test.support.js';
import { createEnclosure } from './createEnclosure.js';
import { IsolatedEnclosure } from './isolatedEnclosure.js';
import type { IsolationBuilder } from './isolationBuilder.js';
import type { IsolationOptions } from './isolationOptions.js';
import { run, shell } from './within.test.support.js';

const megabyte = 2 ** 20;
const enclosures: IsolatedEnclosure[] = [];

async function build(builder: IsolationBuilder, options: IsolationOptions = {}): Promise<IsolatedEnclosure> {
  const enclosure = await IsolatedEnclosure.create(options, builder);
  enclosures.push(enclosure);
  return enclosure;
}
afterEach(async () => {
  await Promise.all(enclosures.splice(0).map((enclosure) => enclosure.close()));
});

for (const { builder, isolation, label } of builders)
  describe.skipIf(isolation.kind === 'none')(`limits under isolation ${label}`, () => {
    const holds = isolation.kind === 'none' ? undefined : isolation.holds;
    const create = (options?: IsolationOptions) => build(builder, options);

    it('stop a fork bomb without effect on others', async () => {
      const [bad, good] = await Promise.all([create({ limits: { processes: 40 } }), create()]);
      const { file, args, env, cwd } = bad.command('bash', ['-c', 'bomb() { bomb | bomb & }; bomb; sleep 100']);
      const bomb = spawn(file, args, { env, cwd, stdio: 'ignore' });
      const counter = bad.group.directories.map((each) => join(each, 'pids.current')).find((each) => existsSync(each));
      const members = () => (counter ? Number(readFileSync(counter, 'utf8')) : 30);
      await expect.poll(members, { timeout: 5_000 }).toBeGreaterThanOrEqual(29);
      expect(members()).toBeLessThanOrEqual(40);
      if (isolation.kind !== 'none' && counter) {
        expect((await run(bad, 'sh', ['-c', 'true | true'], { as: 'system' })).code).toBe(0);
      }
      expect(await shell(good, 'echo fine')).toBe('fine');
      await bad.close();
      expect(bomb.exitCode ?? bomb.signalCode ?? (await once(bomb, 'exit'))).not.toBe(null);
      expect(await shell(good, 'echo fine')).toBe('fine');
    });

    it('end a program that takes too much memory, and the session goes on', async () => {
      const [bad, good] = await Promise.all([create({ limits: { memoryBytes: 64 * megabyte } }), create()]);
      const script = 'set -o pipefail; head -c 300M /dev/zero | tail -c 290M > /dev/null';
      expect((await run(bad, 'bash', ['-c', script])).code).not.toBe(0);
      expect(await shell(bad, 'echo still here')).toBe('still here');
      expect(await shell(good, 'head -c 100M /dev/zero | tail -c 90M | wc -c')).toBe(String(90 * megabyte));
    });

    it.skipIf(holds?.memoryBytes !== 'session')('count files in memory as memory', async () => {
      const bad = await create({ limits: { memoryBytes: 64 * megabyte } });
      expect(
        await shell(bad, 'head -c 200M /dev/zero > /dev/shm/x 2>/dev/null; du -sm /dev/shm | cut -f1'),
      ).not.toMatch(/^(200|1\d\d)$/);
    });

    it.skipIf(holds?.diskBytes !== 'session')('let the home and /tmp fill up and no further', async () => {
      const bad = await create({ limits: { diskBytes: 8 * megabyte } });
      for (const place of ['/home/agent', '/tmp', '/dev/shm', '/run/user/1000']) {
        const { stderr } = await run(bad, 'sh', ['-c', `head -c 20M /dev/zero > ${place}/file`]);
        expect(stderr).toContain('No space left');
        expect(await shell(bad, `du -sm ${place} | cut -f1; rm ${place}/file`)).toBe('8');
      }
      await run(bad, 'sh', ['-c', 'for place in ~ /tmp /dev/shm; do head -c 3M /dev/zero > $place/file; done']);
      expect(await shell(bad, 'cat ~/file /tmp/file /dev/shm/file | wc -c')).toMatch(/^8[23]\d{5}$/);
      await shell(bad, 'rm ~/file /tmp/file /dev/shm/file');
      expect(await shell(bad, 'cd; seq 9000 | xargs touch 2>/dev/null; ls | wc -l')).toMatch(/^[12]\d\d\d$/);
    });

    it.skipIf(holds?.cpus !== 'session')('set a share of the cores', async () => {
      const slow = await create({ limits: { cpus: 0.25 } });
      const file = slow.group.directories
        .map((each) => join(each, 'cpu.cfs_quota_us'))
        .find((each) => existsSync(each));
      if (file) expect(readFileSync(file, 'utf8').trim()).toBe('25000');
      expect(await shell(slow, 'echo works')).toBe('works');
    });

    it('bound unread output, and close ends its writer', async () => {
      const enclosure = await create();
      const { file, args, env, cwd } = enclosure.command('head', ['-c', '1G', '/dev/zero']);
      const child = spawn(file, args, { env, cwd, stdio: ['ignore', 'pipe', 'ignore'] });
      await once(child.stdout, 'readable');
      const before = process.memoryUsage().rss;
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(process.memoryUsage().rss - before).toBeLessThan(64 * megabyte);
      await enclosure.close();
      child.stdout.destroy();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      expect(child.exitCode).not.toBe(0);
    });

    it('that make no sense are refused', async () => {
      for (const limits of [{ memoryBytes: -1 }, { cpus: 0 }, { processes: 1.5 }, { diskBytes: Number.NaN }]) {
        await expect(create({ limits })).rejects.toMatchObject({ code: 'bad_input' });
      }
      for (const readable of ['/', 'relative', '/proc/1', '/usr/../root', '/dev']) {
        await expect(create({ readable: [readable] })).rejects.toMatchObject({
          code: 'bad_input',
          detail: { field: 'readable' },
        });
      }
      await expect(createEnclosure({ isolation: 'none', network: { allow: ['example.org'] } })).rejects.toMatchObject({
        code: 'bad_input',
      });
      await expect(createEnclosure({ isolation: 'chroot' as 'auto' })).rejects.toMatchObject({ code: 'bad_input' });
    });
  });
