import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Claims } from './claims.js';
import { TaskLog } from './taskLog.js';

async function aFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'gyre-claims-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

const minute = 60_000;

test('however many claim at once, in however many processes, no task has two owners', async () => {
  const dir = await aFolder();
  const desks = Array.from({ length: 4 }, () => new Claims(new TaskLog(dir)));
  const tasks = Array.from({ length: 12 }, (_, seed) => `search/train/${seed}`);
  const people = Array.from({ length: 20 }, (_, number) => `person ${number}`);
  const claims = await Promise.all(people.map((by, number) => desks[number % 4]!.claim(by, tasks)));
  const claimed = claims.flatMap((claim) => (claim ? [claim.task] : []));
  expect(new Set(claimed).size).toBe(claimed.length);
  const rest = await Promise.all(people.map((by) => desks[0]!.claim(by, tasks)));
  const owners = new Map(rest.flatMap((claim) => (claim ? [[claim.task, claim.by] as const] : [])));
  expect(owners.size).toBe(12);
});

test('a claim is a lease: its owner finds it again, and another only once it has run out', async () => {
  const dir = await aFolder();
  let now = Date.parse('2026-11-30T19:00:00Z');
  const claims = new Claims(new TaskLog(dir), () => now);
  const first = (await claims.claim('ann', ['a', 'b']))!;
  expect(await claims.claim('bob', ['a'])).toBeUndefined();
  const again = (await new Claims(new TaskLog(dir), () => now).claim('ann', ['b', 'a']))!;
  expect([again.task, again.episode]).toEqual([first.task, first.episode]);
  now += 10 * minute;
  await claims.renew(again);
  now += 10 * minute;
  expect(await claims.claim('bob', ['a'])).toBeUndefined();
  now += 10 * minute;
  const taken = (await claims.claim('bob', ['a']))!;
  expect(taken.episode).not.toBe(first.episode);
  await expect(claims.renew(again)).rejects.toMatchObject({ code: 'held' });
  await expect(claims.end(again, 'submitted')).rejects.toMatchObject({ code: 'held' });
  await claims.end(taken, 'submitted');
  expect(await claims.claim('ann', ['a'])).toBeUndefined();
  await claims.judge('a', 'returned', 'cy', 'it stops too early');
  await expect(claims.judge('a', 'accepted', 'cy')).rejects.toMatchObject({ code: 'bad_input' });
  expect((await claims.claim('ann', ['a']))?.task).toBe('a');
});
