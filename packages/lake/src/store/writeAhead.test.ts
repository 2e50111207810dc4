import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anEpisode, startOf } from './sample.test.fixture.js';
import { encodeLine, readWriteAhead, WriteAheadReader } from './writeAhead.js';

const episode = anEpisode('e', 3);
const lines = [
  encodeLine({ start: startOf(episode) }),
  ...episode.turns.map((turn) => encodeLine({ turn })),
  encodeLine({ end: episode.end, verdict: episode.verdict! }),
];
const upTo = (count: number) => Buffer.concat(lines.slice(0, count));

describe('a write-ahead file', () => {
  it('gives the episode back', () => {
    expect(readWriteAhead(upTo(5))).toEqual({ episode });
  });

  it('keeps the whole turns, wherever in any line the writer died', () => {
    const bytes = upTo(5);
    const ends = lines.map((_, index) => upTo(index + 1).length);
    for (let length = 0; length <= bytes.length; length++) {
      const { episode: rest, damage } = readWriteAhead(bytes.subarray(0, length));
      expect(damage).toBeUndefined();
      const whole = ends.filter((end) => end - 1 <= length).length;
      if (whole === 0) expect(rest).toBeUndefined();
      else {
        expect(rest?.turns).toEqual(episode.turns.slice(0, Math.min(whole - 1, 3)));
        expect(rest?.end.state).toBe(whole === 5 ? 'finished' : 'cut');
      }
    }
  });

  it('reads the same as it grows, whatever has been written of its last line', () => {
    const seen = encodeLine({ seen: episode.turns[0]!.observation });
    const bytes = Buffer.concat([...lines.slice(0, 4), seen, lines[4]!]);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (lengths) => {
        const reader = new WriteAheadReader();
        const completed = [];
        for (const length of [...lengths.toSorted((a, b) => a - b), bytes.length]) {
          completed.push(...reader.append(bytes.subarray(reader.offset, length)));
          expect(reader.content).toEqual(readWriteAhead(bytes.subarray(0, length)));
        }
        expect(completed).toHaveLength(lines.length + 1);
      }),
    );
  });

  it('never takes a flipped bit for the truth', () => {
    const bytes = upTo(5);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(7), (offset, bit) => {
        const flipped = Buffer.from(bytes);
        flipped[offset] = flipped[offset]! ^ (1 << bit);
        const { episode: rest, damage } = readWriteAhead(flipped);
        if (offset === bytes.length - 1) return;
        expect(damage !== undefined || rest?.end.state === 'cut').toBe(true);
        expect(episode.turns.slice(0, rest?.turns.length ?? 0)).toEqual(rest?.turns ?? []);
      }),
      { numRuns: 500 },
    );
  });

  it('says what a turn led to where that was known only later', () => {
    const seen = { screenshot: 'c'.repeat(64), size: { width: 8, height: 8 } };
    const [start, first, second] = lines as [Buffer, Buffer, Buffer];
    const { episode: rest, damage } = readWriteAhead(Buffer.concat([start, first, encodeLine({ seen }), second]));
    expect(damage).toBeUndefined();
    expect(rest?.turns).toEqual([{ ...episode.turns[0], observation: seen }, episode.turns[1]]);
    expect(readWriteAhead(Buffer.concat([start, encodeLine({ seen })])).damage).toMatch(/line 2 is out of order/);
  });

  it('forgets turns that were retracted, however they were interleaved', () => {
    const change = fc.oneof(fc.constant('append' as const), fc.nat(4));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
        const written = [encodeLine({ start: startOf(episode) })];
        let expected: typeof episode.turns = [];
        for (const each of changes) {
          if (each === 'append') {
            const turn = { ...episode.turns[0]!, index: expected.length, reward: written.length };
            written.push(encodeLine({ turn }));
            expected = [...expected, turn];
          } else if (each <= expected.length) {
            written.push(encodeLine({ kept: each }));
            expected = expected.slice(0, each);
          }
        }
        const { episode: rest, damage } = readWriteAhead(Buffer.concat(written));
        expect(damage).toBeUndefined();
        expect(rest?.turns).toEqual(expected);
      }),
      { numRuns: 200 },
    );
    expect(readWriteAhead(Buffer.concat([lines[0]!, encodeLine({ kept: 1 })])).damage).toMatch(
      /line 2 is out of order/,
    );
  });

  it('is damaged where lines are out of order', () => {
    const [start, first, second, , end] = lines as [Buffer, Buffer, Buffer, Buffer, Buffer];
    expect(readWriteAhead(first).damage).toMatch(/line 1 is out of order/);
    expect(readWriteAhead(Buffer.concat([start, second])).damage).toMatch(/line 2 is out of order/);
    expect(readWriteAhead(Buffer.concat([start, end, first])).damage).toMatch(/follow the end/);
  });
});
