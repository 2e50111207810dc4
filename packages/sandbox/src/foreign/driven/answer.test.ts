import fc from 'fast-check';
import { GyreError } from '@gyre/protocol';
import { expect, test } from 'vitest';
import { fieldOf, base64, integer, list, object, parsed, sizeIn, text } from './answer.js';

const readers = [object, text, integer, list, base64, sizeIn, (part: never) => fieldOf(part, 'x')];

test('whatever a server answers, it is read or refused', () => {
  const answer = fc.oneof(
    fc.json(),
    fc.string(),
    fc.jsonValue().map((value) => JSON.stringify({ x: value })),
  );
  fc.assert(
    fc.property(answer, fc.constantFrom(...readers), (body, read) => {
      try {
        read(parsed(Buffer.from(body), 'GET /') as never);
      } catch (error) {
        expect(error).toBeInstanceOf(GyreError);
        expect(error).toMatchObject({ code: 'infra', detail: { part: 'remote' } });
      }
    }),
    { numRuns: 5_000, seed: 45 },
  );
});

test('an answer that is nested without end, or a long row of blanks, is refused at once', () => {
  for (const body of ['['.repeat(1e6), '{"a":'.repeat(1e6), '[1,'.repeat(1e6)])
    expect(() => parsed(Buffer.from(body), 'GET /')).toThrow(GyreError);
  const blanks = { value: `${' '.repeat(1e6)}!`, where: 'GET /' };
  expect(() => base64(blanks)).toThrow(GyreError);
});
