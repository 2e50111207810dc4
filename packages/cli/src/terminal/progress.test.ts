import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { duration, Progress } from './progress.js';

function stage(isTTY: boolean, columns = 80, from = 0) {
  const stream = Object.assign(new PassThrough(), { isTTY, columns });
  const clock = { ms: 0 };
  const progress = new Progress('rollout', { stream, now: () => clock.ms, from });
  const text = () => (stream.read() as Buffer | null)?.toString() ?? '';
  return { progress, clock, text };
}

describe('a progress line', () => {
  test('says how long the rest will take, going by the pace so far', () => {
    const { progress, clock, text } = stage(false);
    clock.ms = 30_000;
    progress.update(0.25, '25 of 100');
    expect(text()).toBe('rollout ━━━━━───────────────  25 %  1:30 min left  25 of 100\n');
  });

  test('goes by the pace of what it has done itself', () => {
    const { progress, clock, text } = stage(false, 80, 0.5);
    clock.ms = 30_000;
    progress.update(0.75);
    expect(text()).toBe('rollout ━━━━━━━━━━━━━━━─────  75 %  30 s left\n');
  });

  test('is printed every few seconds where there is no terminal, and when the job is done', () => {
    const { progress, clock, text } = stage(false);
    for (clock.ms = 0; clock.ms <= 10_000; clock.ms += 100) progress.update(clock.ms / 20_000);
    progress.update(1);
    expect(text().trim().split('\n')).toHaveLength(4);
  });

  test('is rewritten in place on a terminal, and never wider than it', () => {
    const { progress, clock, text } = stage(true, 30);
    clock.ms = 1000;
    progress.update(0.5, 'a note that is far too long for this');
    const line = text();
    expect(line.startsWith('\r\x1b[K')).toBe(true);
    expect(line.slice(4)).toHaveLength(29);
    progress.end();
    expect(text()).toBe('\n');
  });

  test('makes room for other lines', () => {
    const { progress, text } = stage(true);
    progress.update(0.5);
    text();
    progress.clear();
    expect(text()).toBe('\r\x1b[K');
  });
});

test.each([
  [8_000, '8 s'],
  [185_000, '3:05 min'],
  [7_800_000, '2:10 h'],
])('%d ms are %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});
