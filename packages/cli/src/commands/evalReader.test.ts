import { expect, test } from 'vitest';
import { inProcess, lastJson } from '../inProcess.test.fixture.js';

test('gyre eval reader measures a reader on held-out pages', async () => {
  const { status, stdout } = await inProcess(
    'eval',
    'reader',
    '--kinds',
    'widgets,perception',
    '--pages',
    '2',
    '--json',
  );
  expect(status).toBe(0);
  const share = { success: expect.any(Number), low: expect.any(Number), high: expect.any(Number) };
  const scores = { words: expect.any(Number), detected: share, exact: share, caseless: share, folded: share };
  const { results, rates, noise } = lastJson(stdout) as Record<string, unknown>;
  expect(results).toEqual([
    expect.objectContaining({ kind: 'widgets', screen: 'first', screens: 2, ...scores }),
    expect.objectContaining({ kind: 'widgets', screen: 'later', ...scores }),
    expect.objectContaining({ kind: 'perception', screen: 'first', screens: 2, ...scores }),
  ]);
  expect(rates).toHaveLength(7);
  expect(noise).toMatchObject({ lostLines: expect.any(Number), boxHeight: expect.any(Number) });
});

test('gyre eval reader names what is wrong', async () => {
  expect((await inProcess('eval', 'reader', '--kinds', 'games')).stderr).toMatch(
    /^error: --kinds must be one or more of/,
  );
  expect((await inProcess('eval', 'reader', '--reader', 'tesseract')).stderr).toMatch(/^error: .* \(reader: use own/);
  expect((await inProcess('eval', 'readers')).stderr).toMatch(/^error: too many arguments/);
});
