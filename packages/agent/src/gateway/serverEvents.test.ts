import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ServerEvent, eventsOf } from './serverEvents.js';

async function read(pieces: Iterable<Uint8Array>): Promise<ServerEvent[]> {
  const events: ServerEvent[] = [];
  const stream = (async function* () {
    yield* pieces;
  })();
  for await (const event of eventsOf(stream)) events.push(event);
  return events;
}

test('events are the same however their bytes are cut up', async () => {
  const event = fc.record({ text: fc.string({ unit: 'grapheme' }), end: fc.constantFrom('\n\n', '\r\n\r\n') });
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { maxLength: 6 }),
      fc.array(fc.nat(40), { maxLength: 30 }),
      async (events, cuts) => {
        const data = events.map(({ text }) => JSON.stringify(text));
        const bytes = Buffer.from(events.map(({ end }, index) => `data: ${data[index]!}${end}`).join(''));
        const pieces: Uint8Array[] = [];
        let at = 0;
        for (const length of cuts) pieces.push(bytes.subarray(at, (at += length)));
        pieces.push(bytes.subarray(at));
        const found = await read(pieces);
        expect(found.map((each) => each.data)).toEqual(data);
        expect(found.map(({ raw }) => raw).join('')).toBe(bytes.toString());
      },
    ),
  );
});

test('comments go on, several lines are one, and half an event is none', async () => {
  const text = ': alive\n\nevent: x\ndata: a\ndata:b\n\ndata: half';
  expect((await read([Buffer.from(text)])).map(({ data }) => data)).toEqual([undefined, 'a\nb']);
});
