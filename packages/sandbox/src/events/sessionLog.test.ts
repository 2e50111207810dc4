import { expect, it } from 'vitest';
import { SessionLog, SessionLogs } from './sessionLog.js';

it('keeps the latest entries of each source in order, and counts dropped ones', () => {
  const log = new SessionLog();
  log.add('lease', 'leased');
  for (let i = 0; i < 1_000; i++) log.add('page', `line ${i}`);
  log.add('error', 'the end');
  const { entries, leftOut } = SessionLogs.parse(log.read());
  expect(entries).toHaveLength(202);
  expect(leftOut).toBe(800);
  expect(entries[0]?.text).toBe('leased');
  expect(entries.slice(1, -1).map(({ text }) => text)).toEqual(
    Array.from({ length: 200 }, (_, i) => `line ${i + 800}`),
  );
  expect(entries.at(-1)?.text).toBe('the end');
});

it('counts what comes again and again, and cuts what is long', () => {
  const log = new SessionLog();
  for (let i = 0; i < 500; i++) log.add('action', 'click');
  log.add('page', 'x'.repeat(100_000));
  log.add('action', 'click');
  const { entries } = log.read();
  expect(entries.map(({ times }) => times)).toEqual([501, 1]);
  expect(entries[1]!.text.length).toBeLessThan(1_100);
  expect(entries[1]!.text).toContain('100000 characters');
});
