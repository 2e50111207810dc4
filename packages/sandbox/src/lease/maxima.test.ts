import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findGroupPlaces } from '../isolation/controlGroup.js';
import { probeIsolation } from '../isolation/createEnclosure.js';
import { LeaseBounds, reserved, defaultMachineLimits, defaultTotals } from './maxima.js';
import { QuotaReached } from './quotas.js';
import { Sandbox, type SandboxLease, type SandboxOptions } from './sandbox.js';
import { serveSandbox } from '../server/server.js';
import { AccessTokens } from '../server/tokens.js';

const isolationOptions: SandboxOptions = (await probeIsolation()).kind === 'none' ? { isolation: 'none' } : {};
const size = { width: 64, height: 48 };
const maxima = {
  memoryBytes: 2 ** 30,
  cpus: 1,
  processes: 200,
  diskBytes: 2 ** 28,
  outputBytes: 2 ** 26,
  ttlMs: 60_000,
  waitMs: 1_000,
  network: ['example.org', '*.example.net'],
};
const beyond: [string, Partial<SandboxLease>][] = [
  ['limits.memoryBytes', { limits: { memoryBytes: 1e15 } }],
  ['limits.cpus', { limits: { cpus: 1.5 } }],
  ['limits.processes', { limits: { processes: 201 } }],
  ['limits.diskBytes', { limits: { diskBytes: 2 ** 28 + 1 } }],
  ['limits.outputBytes', { limits: { outputBytes: 2 ** 27 } }],
  ['ttlMs', { ttlMs: 60_001 }],
  ['waitMs', { waitMs: 1_001 }],
  ['network.allow', { network: { allow: ['example.com'] } }],
  ['network.allow', { network: { allow: ['example.org', '*'] } }],
];

describe('a maximum of the operator', () => {
  it.each(beyond)('limits a lease, and is named: %s', async (field, more) => {
    const sandbox = await Sandbox.start({ ...isolationOptions, maxima });
    const lease = { kind: 'browser', size, ...more } as SandboxLease;
    await expect(sandbox.lease(lease)).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field, fix: expect.stringMatching(/\d|example/) },
    });
    expect(sandbox.sessions).toEqual([]);
    await sandbox.close();
  });

  it.each(beyond.filter(([field]) => field.startsWith('limits')))(
    'holds for machines that are kept ready: %s',
    async (field, more) => {
      const warm = [{ kind: 'browser', size, count: 1, ...more } as never];
      await expect(Sandbox.start({ ...isolationOptions, maxima, warm })).rejects.toMatchObject({
        code: 'bad_input',
        detail: { field },
      });
    },
  );

  it('holds for what is restored, for devices, and over HTTP', async () => {
    const sandbox = await Sandbox.start({ ...isolationOptions, maxima });
    const token = AccessTokens.random();
    const server = await serveSandbox({ sandbox, tokens: [{ token, scope: 'operate' }] });
    const post = async (path: string, body: unknown) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const answer = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return [answer.status, ((await answer.json()) as { error: { field?: string } }).error.field];
    };
    const limits = { diskBytes: 910 * 2 ** 40 };
    const checkpoint = { version: 1, at: new Date().toISOString(), terms: { kind: 'browser', size, limits }, home: '' };
    const field = 'limits.diskBytes';
    await expect(sandbox.restore(checkpoint as never)).rejects.toMatchObject({ code: 'bad_input', detail: { field } });
    await expect(sandbox.lease({ kind: 'phone', serial: 'x', ttlMs: 1e9 })).rejects.toMatchObject({
      detail: { field: 'ttlMs' },
    });
    expect(await post('/v1/restore', { checkpoint })).toEqual([400, field]);
    expect(await post('/v1/sessions', { kind: 'browser', size, limits })).toEqual([400, field]);
    expect(await post('/v1/sessions', { kind: 'desktop', size, limits })).toEqual([400, field]);
    await server.close();
    await sandbox.close();
  });

  it('limits defaults, too, and allows smaller values', () => {
    const bounds = new LeaseBounds('/', maxima);
    expect(bounds.limitsOf({ kind: 'browser' })).toMatchObject({ cpus: 1, processes: 200, diskBytes: 2 ** 28 });
    expect(bounds.limitsOf({ kind: 'browser', limits: { cpus: 0.5 }, network: { allow: ['example.org'] } }).cpus).toBe(
      0.5,
    );
  });

  it.each([{ memoryBytes: -1 }, { cpus: Number.NaN }, { ttlMs: 0 }, { network: [] }])(
    'is validated: %j',
    async (none) => {
      await expect(Sandbox.start({ ...isolationOptions, maxima: none })).rejects.toMatchObject({ code: 'bad_input' });
    },
  );
});

describe('the capacity of the host', () => {
  const limits = { memoryBytes: 2 ** 29, cpus: 1, processes: 200, diskBytes: 2 ** 27, outputBytes: 2 ** 24 };
  const share = reserved(limits, limits);
  const totals = { memoryBytes: 2 * share.memoryBytes, diskBytes: 2 * share.diskBytes };

  it('is allocated once: a lease beyond it is refused with the usage, or waits', async () => {
    const sandbox = await Sandbox.start({ ...isolationOptions, totals });
    const events = sandbox.events();
    const lease = { kind: 'browser', size, limits } as const;
    const sessions = [await sandbox.lease(lease), await sandbox.lease(lease)];
    const refused = sandbox.lease(lease);
    await expect(refused).rejects.toBeInstanceOf(QuotaReached);
    await expect(refused).rejects.toMatchObject({
      limit: share.diskBytes > 0 ? expect.any(String) : 'memoryBytes',
      message: expect.stringMatching(/^\d+ of \d+ bytes of \w+ are in use, and the lease needs \d+$/),
      detail: { fix: expect.stringMatching(/0 bytes are free/) },
    });
    const waiting = sandbox.lease({ ...lease, waitMs: 20_000 });
    await sessions[0]!.release();
    await (await waiting).release();
    await sessions[1]!.release();
    const types = [];
    for (let event = await events.next(); !event.done; event = await events.next()) {
      types.push(event.value.type);
      if (types.filter((type) => type === 'session.ended').length === 3) break;
    }
    expect(types).toContain('quota.reached');
    await sandbox.close();
  });

  it('has room for many leases that name no limits, since most sessions use a small part of them', async () => {
    const { memoryBytes } = defaultTotals('/');
    const defaults = defaultMachineLimits();
    expect(memoryBytes / reserved(defaults).memoryBytes).toBeGreaterThan(30);
    expect(reserved(defaults, { memoryBytes: 1 }).memoryBytes).toBeGreaterThan(defaults.memoryBytes);

    const place = findGroupPlaces().find(({ limits }) => limits.includes('memoryBytes'));
    if (!place || isolationOptions.isolation === 'none') return;
    const sandbox = await Sandbox.start(isolationOptions);
    const session = await sandbox.lease({ kind: 'browser', size });
    const file = place.version === 2 ? 'memory.max' : 'memory.limit_in_bytes';
    const bound = Number(await readFile(join(place.directory, 'gyre', file), 'utf8'));
    expect([bound > memoryBytes - 4_096, bound <= memoryBytes]).toEqual([true, true]);
    await session.release();
    await sandbox.close();
  });

  it('is taken by machines that are kept ready, leased or not', async () => {
    const warm = [{ kind: 'browser', size, limits, count: 3 } as const];
    await expect(Sandbox.start({ ...isolationOptions, totals, warm })).rejects.toBeInstanceOf(QuotaReached);
    const sandbox = await Sandbox.start({ ...isolationOptions, totals, warm: [{ ...warm[0]!, count: 1 }] });
    const session = await sandbox.lease({ kind: 'browser', size, limits });
    await expect(sandbox.lease({ kind: 'browser', size, limits })).rejects.toBeInstanceOf(QuotaReached);
    await session.release();
    await sandbox.close();
  });
});
