import { describe, expect, it } from 'vitest';
import type { SandboxEvent } from './event.js';
import { EventStream } from './eventStream.js';

const created = (session: string) =>
  ({ type: 'session.created', session, kind: 'browser', warm: false, ms: 1 }) as const;

async function rest(events: AsyncIterable<SandboxEvent>): Promise<SandboxEvent[]> {
  const got: SandboxEvent[] = [];
  for await (const event of events) got.push(event);
  return got;
}

describe('events', () => {
  it('reach every reader from its start, numbered, and end with the stream', async () => {
    const stream = new EventStream();
    const early = stream.read();
    stream.emit(created('a'));
    const late = stream.read();
    const mine = stream.read({ session: 'c' });
    stream.emit(created('b'));
    stream.emit({ type: 'pool.refilled', kind: 'browser', ready: 2 });
    stream.emit(created('c'));
    stream.close();
    expect((await rest(early)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect((await rest(late)).map(({ seq }) => seq)).toEqual([2, 3, 4]);
    expect(await rest(mine)).toMatchObject([{ seq: 4, session: 'c' }]);
    expect(await rest(stream.read())).toEqual([]);
  });

  it('are waited for', async () => {
    const stream = new EventStream();
    const events = stream.read();
    const both = Promise.all([events.next(), events.next()]);
    stream.emit(created('a'));
    stream.emit(created('b'));
    expect(await both).toMatchObject([{ value: { session: 'a' } }, { value: { session: 'b' } }]);
  });

  it('are dropped for slow readers only, which are notified', async () => {
    const stream = new EventStream();
    const slow = stream.read({ capacity: 3 });
    const unlimited = stream.read();
    for (let i = 0; i < 10; i++) stream.emit(created(String(i)));
    stream.close();
    const got = await rest(slow);
    expect(got[0]).toMatchObject({ type: 'events.missed', count: 7, seq: 8 });
    expect(got.slice(1).map(({ seq }) => seq)).toEqual([8, 9, 10]);
    expect(await rest(unlimited)).toHaveLength(10);
  });

  it('end for a reader that leaves or aborts its signal', async () => {
    const stream = new EventStream();
    const gone = new AbortController();
    const events = stream.read({ signal: gone.signal });
    const waiting = events.next();
    gone.abort();
    expect((await waiting).done).toBe(true);
    for await (const event of stream.read({ signal: AbortSignal.abort() })) throw new Error(event.type);
    const leaving = stream.read();
    stream.emit(created('a'));
    for await (const event of leaving) {
      expect(event.seq).toBe(1);
      break;
    }
    stream.emit(created('b'));
    expect((await leaving.next()).done).toBe(true);
  });

  it.each([0, 1.5, Number.NaN])('are not read with a capacity of %f', (capacity) => {
    expect(() => new EventStream().read({ capacity })).toThrow(expect.objectContaining({ code: 'bad_input' }));
  });
});
