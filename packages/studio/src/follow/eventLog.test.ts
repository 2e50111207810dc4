import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventLog } from './eventLog.js';

/** Reads until the newest event. */
async function taken(log: EventLog<number>, after: number): Promise<unknown[]> {
  const gone = new AbortController();
  const got: unknown[] = [];
  for await (const { id, ...rest } of log.read(after, gone.signal)) {
    got.push('event' in rest ? rest.event : { missed: rest.missed, id });
    if (id === log.last) gone.abort();
  }
  return got;
}

test('a reader gets every event after its number, or is told how many it missed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 0, max: 100 }),
      fc.nat(100),
      async (capacity, count, read) => {
        const log = new EventLog<number>(capacity, 1_000);
        for (let event = 0; event < count; event++) log.add(event);
        const place = Math.min(read, count);
        if (place === count) return;
        const [first, ...others] = await taken(log, 999 + place);
        const missed = typeof first === 'object' ? (first as { missed: number }).missed : 0;
        const events = missed > 0 ? others : [first, ...others];
        expect(events[0]).toBe(place + missed);
        // At least the newest are there.
        expect(missed).toBeLessThanOrEqual(Math.max(0, count - place - capacity));
      },
    ),
  );
});

test('a reader waits for what comes, and one of before an interruption does not know what it missed', async () => {
  const log = new EventLog<number>(4, 1_000);
  log.add(1);
  const waiting = taken(log, log.last);
  log.add(2);
  expect(await waiting).toEqual([2]);
  const before = log.last;
  log.interrupt();
  log.add(4);
  expect(await taken(log, before)).toEqual([{ missed: null, id: log.last }]);
  expect(await taken(log, log.last + 5)).toEqual([{ missed: null, id: log.last }]);
});

test('a reader that is slow is told so in between', async () => {
  const log = new EventLog<number>(2, 1_000);
  const gone = new AbortController();
  const events = log.read(log.last, gone.signal);
  const first = events.next();
  log.add(0);
  expect((await first).value).toMatchObject({ event: 0 });
  for (let event = 1; event <= 9; event++) log.add(event);
  const { value } = await events.next();
  const missed = (value as { missed: number }).missed;
  expect(missed).toBeGreaterThan(0);
  expect((await events.next()).value).toMatchObject({ event: 1 + missed });
  gone.abort();
  expect((await events.next()).done).toBe(true);
});
