import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Datum, Engine, Picture, Piece } from './engine.js';
import { mergedData, type SampledAnswer } from './mergedData.js';
import { pictureRuns, piecesOf, tokenIds } from './pieces.js';
import { Random } from './random.js';
import { BigramEngine, bigramPicture } from './tinker/bigramEngine.test.fixture.js';
import { TinkerClient } from './tinker/client.js';
import { serveTinker, type TinkerServer } from './tinker/server/serveTinker.js';
import { TinkerEngine } from './tinker/tinkerEngine.js';

/** The header of a PNG, which is what the server reads. */
function pictureOf(width: number): Picture {
  const png = Buffer.alloc(24);
  png.write('89504e470d0a1a0a', 'hex');
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(1, 20);
  return { hash: createHash('sha256').update(png).digest('hex'), png, size: { width, height: 1 } };
}

const lengthOf = (pieces: readonly Piece[]) => tokenIds(pieces, 0).length;

describe('the pieces of a prompt', () => {
  it('are its ids again', () => {
    const partOf = fc.oneof(
      fc.record({ tokens: fc.array(fc.nat(10), { minLength: 1, maxLength: 5 }) }),
      fc.record({ picture: fc.integer({ min: 1, max: 9 }).map(pictureOf), length: fc.integer({ min: 1, max: 6 }) }),
    );
    fc.assert(
      fc.property(fc.array(partOf), (parts) => {
        // Pictures have a mark of their end, as in chat templates.
        const pieces: Piece[] = parts.flatMap((part) => ('picture' in part ? [part, { tokens: [0] }] : [part]));
        const ids = tokenIds(pieces, bigramPicture);
        const pictures = pieces.flatMap((piece) => ('picture' in piece ? [piece.picture] : []));
        const runs = pictureRuns(ids, bigramPicture);
        const restored = piecesOf(ids, { runs, pictures });
        expect(tokenIds(restored, bigramPicture)).toEqual(ids);
        const shapesOf = (list: readonly Piece[]) => list.filter((piece) => 'picture' in piece);
        expect(shapesOf(restored)).toEqual(shapesOf(pieces));
      }),
    );
  });

  it('need a picture for each run', () => {
    const ids = [1, bigramPicture, 2, bigramPicture];
    const runs = pictureRuns(ids, bigramPicture);
    expect(() => piecesOf(ids, { runs, pictures: [pictureOf(1)] })).toThrow('room for 2 pictures, not 1');
  });
});

describe('answers as data', () => {
  let server: TinkerServer;
  let engine: Engine;
  beforeAll(async () => {
    server = await serveTinker({ engine: new BigramEngine() });
    const client = await TinkerClient.open({ url: server.url });
    const model = { baseModel: 'bigram', rank: 8 };
    engine = await TinkerEngine.open({ client, model, vocabulary: 'twelve', pictures: true, pictureToken: 11 });
    const random = new Random(3);
    const tokens = Array.from({ length: 200 }, () => random.int(12));
    const weights = tokens.slice(1).map(() => random.next());
    await engine.forwardBackward([{ input: [{ tokens }], weights }], { name: 'cross_entropy' });
    await engine.optimStep({ learningRate: 0.1 });
  });
  afterAll(async () => {
    await engine.close();
    await server.close();
  });

  const answersOf = (steps: readonly { continues: boolean; text: number[]; answer: number[] }[]): SampledAnswer[] => {
    let before: Piece[] = [];
    return steps.map(({ continues, text, answer }, index) => {
      const shot: Piece[] = [{ picture: pictureOf(index + 1), length: 3 }, { tokens: text }];
      const prompt: Piece[] = [...(continues ? before : [{ tokens: [index % 10] }]), ...shot];
      before = [...prompt, { tokens: answer }];
      const logprobs = answer.map((_, k) => -k - 1);
      return { prompt, tokens: answer, logprobs, advantage: index + 0.5, weight: 1 / answer.length };
    });
  };
  const ids = (minLength: number) => fc.array(fc.nat(10), { minLength, maxLength: 4 });
  const stepOf = fc.record({ continues: fc.boolean(), text: ids(1), answer: ids(1) });

  /** One by one, without the code under test. */
  const singleDatum = ({ prompt, tokens, logprobs, advantage, weight }: SampledAnswer): Datum => {
    const zeros = new Array<number>(lengthOf(prompt) - 1).fill(0);
    const listOf = (values: readonly (number | undefined)[]) => [...zeros, ...values.map((value) => value ?? NaN)];
    return {
      input: [...prompt, { tokens }],
      weights: listOf(tokens.map(() => weight)),
      logprobs: listOf(logprobs),
      advantages: listOf(tokens.map(() => advantage)),
    };
  };

  it('have the same log-probabilities and the same loss merged as one by one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stepOf, { minLength: 1, maxLength: 6 }), async (steps) => {
        const answers = answersOf(steps);
        const merged = mergedData(answers);
        expect(merged).toHaveLength(steps.filter(({ continues }, index) => index === 0 || !continues).length);
        const data = merged.map(({ datum }) => datum);
        const singles = answers.map(singleDatum);
        const [whole, single] = [await engine.forward(data), await engine.forward(singles)];
        for (const [index, { datum, spans }] of merged.entries()) {
          for (const { answer, from, length } of spans) {
            const { tokens, logprobs, advantage, weight } = answers[answer]!;
            const spanOf = (list: readonly number[]) => list.slice(from, from + length);
            expect(length).toBe(tokens.length);
            expect(spanOf(whole.logprobs[index]!)).toEqual(single.logprobs[answer]!.slice(-length));
            expect(spanOf(datum.logprobs)).toEqual(logprobs);
            expect(spanOf(datum.advantages)).toEqual(tokens.map(() => advantage));
            expect(spanOf(datum.weights)).toEqual(tokens.map(() => weight));
          }
          const trained = spans.reduce((sum, { length }) => sum + length, 0);
          for (const list of [datum.weights, datum.logprobs, datum.advantages]) {
            expect(list).toHaveLength(lengthOf(datum.input) - 1);
            expect(list.filter((value) => value !== 0)).toHaveLength(trained);
          }
        }
        expect(merged.flatMap(({ spans }) => spans.map(({ answer }) => answer))).toEqual([...steps.keys()]);
        const losses: number[] = [];
        for (const list of [data, singles]) {
          const { metrics } = await engine.forwardBackward(list, { name: 'importance_sampling' });
          losses.push(metrics['total_loss:sum']!);
          await engine.optimStep({ learningRate: 0 });
        }
        expect(losses[0]).toBeCloseTo(losses[1]!, 4);
      }),
      { numRuns: 15 },
    );
  });

  it('are not merged where another picture stands in the same place', () => {
    const shot = (width: number): Piece => ({ picture: pictureOf(width), length: 3 });
    const answer = { tokens: [1], logprobs: [-1] };
    const second = (width: number) => [shot(width), { tokens: [5] }, { tokens: [1, 6] }];
    const first = { ...answer, prompt: [shot(1), { tokens: [5] }] };
    expect(mergedData([first, { ...answer, prompt: second(1) }])).toHaveLength(1);
    expect(mergedData([first, { ...answer, prompt: second(2) }])).toHaveLength(2);
  });

  it('need a prompt, tokens and their log-probabilities', () => {
    const answer = { prompt: [{ tokens: [1] }], tokens: [1], logprobs: [-1] };
    for (const wrong of [{ prompt: [{ tokens: [] }] }, { tokens: [], logprobs: [] }, { logprobs: [] }])
      expect(() => mergedData([answer, { ...answer, ...wrong }])).toThrow(/^answer 1 has /);
    expect(mergedData([])).toEqual([]);
  });
});
