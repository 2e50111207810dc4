import { GyreError } from '@gyre/protocol';
import { describe, expect, it } from 'vitest';
import { QuotaReached, Quotas } from './quotas.js';

const browser = { kind: 'browser' } as const;
const desktop = { kind: 'desktop' } as const;

describe('a quota', () => {
  it.each([
    ['sessions', { sessions: 1 }, desktop, browser],
    ['kinds.browser', { kinds: { browser: 1 }, sessions: 9 }, browser, browser],
    ['perOwner', { perOwner: 1 }, { ...desktop, owner: 'a' }, { ...browser, owner: 'a' }],
  ])('of %s is named where it is reached, until one is given back', async (limit, limits, first, second) => {
    const quotas = new Quotas(limits);
    const giveBack = await quotas.take(first);
    const refused = quotas.take(second);
    await expect(refused).rejects.toBeInstanceOf(QuotaReached);
    await expect(refused).rejects.toMatchObject({ code: 'infra', limit, detail: { field: limit } });
    giveBack();
    giveBack();
    await quotas.take(second);
    await expect(quotas.take(second)).rejects.toMatchObject({ limit });
    expect(quotas.taken).toBe(1);
  });

  it('of one kind or owner leaves the others alone', async () => {
    const quotas = new Quotas({ kinds: { browser: 1 }, perOwner: 1 });
    await quotas.take({ ...browser, owner: 'a' });
    await quotas.take({ ...desktop, owner: 'b' });
    await quotas.take(desktop);
    await quotas.take(desktop);
    expect(quotas.taken).toBe(4);
  });

  it.each([
    [{ sessions: -1 }, 'sessions'],
    [{ perOwner: 1.5 }, 'perOwner'],
    [{ kinds: { browser: Number.NaN } }, 'kinds.browser'],
  ])('of %o is refused', (limits, field) => {
    expect(() => new Quotas(limits)).toThrow(
      expect.objectContaining({ code: 'bad_input', detail: expect.objectContaining({ field }) as object }),
    );
  });
});

describe('a device', () => {
  const phone = { kind: 'phone', device: { field: 'serial', name: 'a' } } as const;

  it('has one lease at a time, and leases of others overtake those that wait for it', async () => {
    const quotas = new Quotas({ sessions: 2 });
    const giveBack = await quotas.take(phone);
    const refused = expect(quotas.take({ ...phone, owner: 'somebody else' })).rejects;
    await refused.toMatchObject({ limit: 'serial', message: 'a is leased', detail: { field: 'serial' } });
    await expect(quotas.take(phone, { waitMs: 5 })).rejects.toThrow('a is leased, and it was not released within 5 ms');
    const next = quotas.take(phone, { waitMs: 5_000 });
    const others = await quotas.take({ kind: 'phone', device: { field: 'serial', name: 'b' } });
    await expect(quotas.take({ kind: 'remote', device: { field: 'url', name: 'a' } })).rejects.toMatchObject({
      limit: 'sessions',
    });
    giveBack();
    const second = await next;
    await expect(quotas.take(phone)).rejects.toMatchObject({ limit: 'serial' });
    second();
    others();
    expect(quotas.taken).toBe(0);
  });
});

describe('a waiting lease', () => {
  it('is served in order, but does not block leases of other kinds', async () => {
    const quotas = new Quotas({ sessions: 2, kinds: { browser: 1 } });
    const backs = [await quotas.take(browser), await quotas.take(desktop)];
    const order: string[] = [];
    const wait = (name: string, claim: typeof browser | typeof desktop) =>
      quotas.take(claim, { waitMs: 5_000 }).then((back) => {
        order.push(name);
        return back;
      });
    const first = wait('first browser', browser);
    const second = wait('second browser', browser);
    const third = wait('desktop', desktop);
    backs[1]!();
    await third;
    backs[0]!();
    (await first)();
    await second;
    expect(order).toEqual(['desktop', 'first browser', 'second browser']);
  });

  it('fails with the limit on timeout, and no longer counts', async () => {
    const quotas = new Quotas({ sessions: 1 });
    const giveBack = await quotas.take(browser);
    await expect(quotas.take(browser, { waitMs: 20 })).rejects.toMatchObject({ limit: 'sessions' });
    giveBack();
    expect(quotas.taken).toBe(0);
  });

  it('leaves by its signal, and when all is closed', async () => {
    const quotas = new Quotas({ sessions: 1 });
    const giveBack = await quotas.take(browser);
    const gone = new AbortController();
    const leaving = quotas.take(browser, { waitMs: 5_000, signal: gone.signal });
    const staying = quotas.take(browser, { waitMs: 5_000 });
    const never = quotas.take(browser, { waitMs: 5_000, signal: AbortSignal.abort() });
    gone.abort();
    await expect(leaving).rejects.toMatchObject({ detail: { field: 'signal' } });
    await expect(never).rejects.toMatchObject({ detail: { field: 'signal' } });
    quotas.close(new GyreError('infra', 'closed', { part: 'lease' }));
    await expect(staying).rejects.toMatchObject({ message: 'closed' });
    giveBack();
    expect(quotas.taken).toBe(0);
    await expect(quotas.take(browser)).rejects.toMatchObject({ message: 'closed' });
  });

  it.each([-1, Number.NaN, 2 ** 31])('for %f ms is refused', async (waitMs) => {
    await expect(new Quotas().take(browser, { waitMs })).rejects.toMatchObject({ detail: { field: 'waitMs' } });
  });
});
