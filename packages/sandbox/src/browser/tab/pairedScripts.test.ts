import { createContext, runInContext } from 'node:vm';
import { expect, test } from 'vitest';
import { pairedScripts } from './pairedScripts.js';

test('a program runs once with its values, whichever script comes first, and leaves no globals', () => {
  const scripts = pairedScripts('(values) => { globalThis.told = [...(globalThis.told ?? []), values]; }', {
    text: '</script>\n\u2028"`',
    none: undefined,
  });
  for (const order of [scripts, scripts.toReversed()]) {
    const world = createContext({});
    for (const script of order) {
      expect(runInContext('globalThis.told', world)).toBeUndefined();
      runInContext(script, world);
    }
    expect(JSON.stringify(runInContext('globalThis', world))).toBe(
      JSON.stringify({ told: [{ text: '</script>\n\u2028"`' }] }),
    );
  }
});

test('the text of a program is the same whatever its values are', () => {
  const [[first], [second]] = [pairedScripts('() => {}', { seed: 1 }), pairedScripts('() => {}', { seed: 2 })];
  expect(first).toBe(second);
});
