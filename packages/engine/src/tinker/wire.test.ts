import { GyreError } from '@gyre/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeRequest, encodeRequest, type ForwardBackwardRequest } from './wire.js';
import { decodeOutput, decodeSequences, encodeOutput, encodeSequences } from './wireResults.js';

const runs = { numRuns: Math.max(60, Number(process.env.FUZZ_RUNS ?? 0)) };
const f32s = fc.array(fc.float({ noNaN: true }), { maxLength: 12 });
const token = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const safe = fc.maxSafeInteger();
const words = fc.string({ unit: 'grapheme', maxLength: 12 });
const chunk = fc.oneof(
  fc.record({ tokens: fc.array(token, { maxLength: 12 }) }),
  fc.record({
    image: fc.uint8Array({ maxLength: 300 }),
    format: words,
    expectedTokens: fc.option(fc.nat(), { nil: undefined }),
  }),
);
const tensor = fc.oneof(
  fc.record({ type: fc.constant('f32' as const), values: f32s }),
  fc.record({ type: fc.constant('i64' as const), values: fc.array(safe, { maxLength: 12 }) }),
);
const mapOf = <T>(value: fc.Arbitrary<T>) =>
  fc.array(fc.tuple(words, value), { maxLength: 4 }).map((entries) => new Map(entries));
const request: fc.Arbitrary<ForwardBackwardRequest> = fc.record({
  modelId: words,
  seqId: fc.nat(),
  data: fc.array(fc.record({ chunks: fc.array(chunk, { maxLength: 4 }), inputs: mapOf(tensor) }), { maxLength: 4 }),
  loss: words,
  lossConfig: mapOf(fc.double()),
  forwardOnly: fc.boolean(),
});
const output = fc
  .record({
    names: fc.uniqueArray(words, { maxLength: 3 }),
    lists: fc.array(f32s, { maxLength: 4 }),
    metrics: mapOf(fc.double()),
  })
  .map(({ names, lists, metrics }) => ({ outputs: new Map(names.map((name) => [name, lists])), metrics }));
const sequence = fc.record({
  end: fc.constantFrom('stop' as const, 'length' as const),
  tokens: fc.array(token, { maxLength: 9 }),
  logprobs: f32s,
});

describe('messages', () => {
  it('survive the round trip', () => {
    const survives = <T>(messages: fc.Arbitrary<T>, trip: (sent: T) => unknown) => {
      const check = fc.property(messages, (sent) => {
        expect(trip(sent)).toEqual(sent);
      });
      fc.assert(check, runs);
    };
    survives(request, (sent) => decodeRequest(encodeRequest(sent)));
    survives(output, (sent) => decodeOutput(encodeOutput(sent)));
    survives(fc.array(sequence, { maxLength: 4 }), (sent) => decodeSequences(encodeSequences(sent)));
  });

  it('are read from a Buffer too, whose views share memory', () => {
    const outputs = new Map([['logprobs', [[1], [2, 3]]]]);
    const bytes = Buffer.from(encodeOutput({ outputs, metrics: new Map() }));
    expect(decodeOutput(bytes).outputs).toEqual(outputs);
  });

  it('have the bytes of the protocol', () => {
    const inputs = new Map([['target_tokens', { type: 'i64' as const, values: [300] }]]);
    const sent = {
      ...{ modelId: 'm', seqId: 5, data: [{ chunks: [{ tokens: [1] }], inputs }], loss: 'ppo', forwardOnly: true },
      lossConfig: new Map([['a', 1]]),
    };
    const tokens = '0a 08 0a 06 0a 04 01000000';
    const target = '12 20 0a 0d 7461726765745f746f6b656e73 12 0f 0a 08 2c01000000000000 18 02 22 01 01';
    const datum = `1a 2c ${tokens} ${target}`;
    const expected = `0a 01 6d 10 05 ${datum} 22 03 70706f 2a 0c 0a 01 61 11 000000000000f03f 30 01`;
    expect(Buffer.from(encodeRequest(sent)).toString('hex')).toBe(expected.replaceAll(' ', ''));
  });

  it('give bfloat16 results as numbers', () => {
    // Fields: data -1.5, -0.25 in bfloat16; offsets 0, 2, 4; type 4.
    const offsets = '12 18 0000000000000000 0200000000000000 0400000000000000';
    const tensor = `0a 04 c0bf80be ${offsets} 18 04`;
    const bytes = Buffer.from(`12 29 12 27 0a 01 61 12 22 ${tensor}`.replaceAll(' ', ''), 'hex');
    expect(decodeOutput(bytes).outputs.get('a')).toEqual([[-1.5], [-0.25]]);
  });

  it('refuse numbers that their types cannot hold', () => {
    const encode = (tokens: number[]) =>
      encodeRequest({
        ...{ modelId: 'm', seqId: 1, data: [{ chunks: [{ tokens }], inputs: new Map() }], loss: 'ppo' },
        ...{ lossConfig: new Map(), forwardOnly: false },
      });
    for (const unfit of [2 ** 31, 0.5, NaN]) expect(() => encode([unfit])).toThrow(/tokens has .* no i32/);
  });
});

describe('a decoder', () => {
  const decoders = [decodeRequest, decodeOutput, decodeSequences];
  const decode = (bytes: Uint8Array) => {
    for (const decoder of decoders) {
      try {
        decoder(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(GyreError);
        expect(error).toMatchObject({ code: 'bad_input' });
      }
    }
  };

  it('gives a value or one clear error for any bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), decode), { numRuns: 20 * runs.numRuns });
  });

  it('survives a damaged message', () => {
    const damaged = fc.tuple(request, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }), fc.nat());
    const check = fc.property(damaged, ([sent, changes, cut]) => {
      const bytes = encodeRequest(sent);
      for (const [place, byte] of changes) bytes[place % bytes.length] = byte;
      decode(bytes);
      decode(bytes.subarray(0, cut % (bytes.length + 1)));
    });
    fc.assert(check, { numRuns: 4 * runs.numRuns });
  });

  it.each([
    ['a length beyond the end', [0x1a, 0xff, 0xff, 0xff, 0xff, 0x0f]],
    ['an endless varint', new Array<number>(30).fill(0xff)],
    ['nested groups', new Array<number>(5000).fill(0x7b)],
    ['a tensor without a type', [0x1a, 0x04, 0x12, 0x02, 0x12, 0x00]],
    [
      'a shape of a length beyond the end',
      [0x1a, 0x0c, 0x12, 0x0a, 0x12, 0x08, 0x22, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x01, 0x01],
    ],
    ['an empty chunk', [0x1a, 0x02, 0x0a, 0x00]],
    ['a wrong wire type', [0x18, 0x01]],
  ])('refuses %s', (_, bytes) => {
    expect(() => decodeRequest(Uint8Array.from(bytes))).toThrow(/the protobuf message is invalid/);
  });

  it('bounds the number of parts', () => {
    const datums = new Uint8Array(2 * 100_001).map((_, index) => (index % 2 === 0 ? 0x1a : 0));
    expect(() => decodeRequest(datums)).toThrow(/more than 100000 parts/);
  });
});
