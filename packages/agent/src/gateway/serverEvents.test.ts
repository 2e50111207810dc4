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
        let offset = 0;
        for (const length of cuts) pieces.push(bytes.subarray(offset, (offset += length)));
        pieces.push(bytes.subarray(offset));
        const received = await read(pieces);
        expect(received.map((each) => each.data)).toEqual(data);
        expect(await read([Buffer.from(received.map(({ text }) => text).join(''))])).toEqual(received);
      },
    ),
  );
});

test('comments and fields are forwarded, several lines are one, and half an event is none', async () => {
  const text = ': alive\n\nevent: x\ndata: a\ndata:b\n\nretry: 5\nid: 7\ndata:\n\ndata: half';
  expect(await read([Buffer.from(text)])).toEqual([
    { data: undefined, text: ': alive\n\n' },
    { data: 'a\nb', text: 'event: x\ndata: a\ndata: b\n\n' },
    { data: undefined, text: 'retry: 5\n\n' },
    { data: '', text: 'id: 7\ndata: \n\n' },
  ]);
});
