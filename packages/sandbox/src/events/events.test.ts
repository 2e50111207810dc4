import { expect, it } from 'vitest';
import { probeIsolation } from '../isolation/createEnclosure.js';
import { SandboxEvent } from './event.js';
import { Sandbox } from '../lease/sandbox.js';
import { killWithin } from '../isolation/browser/killWithin.test.support.js';

const isolated = (await probeIsolation()).kind !== 'none';
const terms = { kind: 'browser', size: { width: 160, height: 120 } } as const;

it('tells of every session how it began and why it ended', async () => {
  const sandbox = await Sandbox.start({
    ...(isolated ? {} : { isolation: 'none' }),
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
  if (isolated) await killWithin(crashed, 'type=renderer');
  else await crashed.release();
  await crashed.ended;
  const died = await sandbox.lease(terms);
  if (isolated) await killWithin(died, 'user-data-dir');
  else await died.release();
  await died.ended;
  const closed = await sandbox.lease(terms);
  await sandbox.close();

  const received: SandboxEvent[] = [];
  for await (const event of events) received.push(SandboxEvent.parse(event));
  const typesOf = (session: { id: string }) =>
    received.filter((event) => 'session' in event && event.session === session.id).map(({ type }) => type);
  const reasonsOf = (session: { id: string }) =>
    received.flatMap((event) => (event.type === 'session.ended' && event.session === session.id ? event.reason : []));
  // The first event, `pool.refilled`, preceded the reader.
  expect(received[0]).toMatchObject({ type: 'session.created', seq: 2, owner: 'me', warm: true });
  expect(typesOf(released)).toEqual(['session.created', 'session.ended']);
  expect(reasonsOf(released)).toEqual(['released']);
  expect(typesOf(expired)).toEqual(['session.created', 'session.expired', 'session.ended']);
  expect(reasonsOf(expired)).toEqual(['expired']);
  if (isolated) {
    expect(typesOf(crashed)).toEqual(['session.created', 'page.crashed', 'session.ended']);
    expect(typesOf(died)).toEqual(['session.created', 'machine.died', 'session.ended']);
    expect([...reasonsOf(crashed), ...reasonsOf(died)]).toEqual(['page', 'machine']);
  }
  expect(reasonsOf(closed)).toEqual(['closed']);
  expect(received).toContainEqual(expect.objectContaining({ type: 'quota.reached', limit: 'perOwner', owner: 'me' }));
  expect(received.map(({ seq }) => seq)).toEqual(received.map((_, index) => index + 2));
}, 20_000);
