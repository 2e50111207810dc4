import { expect, it } from 'vitest';
import { probeIsolation } from '../isolation/createEnclosure.js';
import { SandboxEvent } from './event.js';
import { Sandbox } from '../lease/sandbox.js';
import { killWithin } from '../isolation/browser/killWithin.test.support.js';

const walled = (await probeIsolation()).kind !== 'none';
const terms = { kind: 'browser', size: { width: 160, height: 120 } } as const;

it('tells of every session how it began and why it ended', async () => {
  const sandbox = await Sandbox.start({
    ...(walled ? {} : { isolation: 'none' }),
    warm: [{ ...terms, count: 1 }],
    quotas: { perOwner: 1 },
  });
  const events = sandbox.events();
  const released = await sandbox.lease({ ...terms, owner: 'me' });
  await expect(sandbox.lease({ ...terms, owner: 'me' })).rejects.toMatchObject({ limit: 'perOwner' });
  await released.release();
  const expired = await sandbox.lease({ ...terms, ttlMs: 1 });
  await expired.ended;
  const crashed = await sandbox.lease(terms);
  if (walled) await killWithin(crashed, 'type=renderer');
  else await crashed.release();
  await crashed.ended;
  const died = await sandbox.lease(terms);
  if (walled) await killWithin(died, 'user-data-dir');
  else await died.release();
  await died.ended;
  const closed = await sandbox.lease(terms);
  await sandbox.close();

  const all: SandboxEvent[] = [];
  for await (const event of events) all.push(SandboxEvent.parse(event));
  const of = (session: { id: string }) =>
    all.filter((event) => 'session' in event && event.session === session.id).map(({ type }) => type);
  const why = (session: { id: string }) =>
    all.flatMap((event) => (event.type === 'session.ended' && event.session === session.id ? event.reason : []));
  // The first event, `pool.refilled`, preceded the reader.
  expect(all[0]).toMatchObject({ type: 'session.created', seq: 2, owner: 'me', warm: true });
  expect(of(released)).toEqual(['session.created', 'session.ended']);
  expect(why(released)).toEqual(['released']);
  expect(of(expired)).toEqual(['session.created', 'session.expired', 'session.ended']);
  expect(why(expired)).toEqual(['expired']);
  if (walled) {
    expect(of(crashed)).toEqual(['session.created', 'page.crashed', 'session.ended']);
    expect(of(died)).toEqual(['session.created', 'machine.died', 'session.ended']);
    expect([...why(crashed), ...why(died)]).toEqual(['page', 'machine']);
  }
  expect(why(closed)).toEqual(['closed']);
  expect(all).toContainEqual(expect.objectContaining({ type: 'quota.reached', limit: 'perOwner', owner: 'me' }));
  expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 2));
}, 20_000);
