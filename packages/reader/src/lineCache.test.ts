import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineCache } from './lineCache.js';

const line = (text: string) => ({ text, centres: [...text].map((_, index) => index) });

test('returns stored lines and counts', () => {
  const cache = new LineCache();
  expect(cache.get('a')).toBeUndefined();
  cache.set('a', line('Save'));
  expect(cache.get('a')).toEqual(line('Save'));
  expect([cache.hits, cache.misses, cache.size]).toEqual([1, 1, 1]);
});

test('contains the lines that were used last', () => {
  const keys = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4 }), fc.array(fc.tuple(fc.boolean(), keys)), (capacity, calls) => {
      const cache = new LineCache(capacity);
      let recent: string[] = [];
      for (const [isSet, key] of calls) {
        const expected = recent.includes(key);
        if (isSet) cache.set(key, line(key));
        else expect(cache.get(key)).toEqual(expected ? line(key) : undefined);
        if (isSet || expected) recent = [key, ...recent.filter((stored) => stored !== key)].slice(0, capacity);
        expect(cache.size).toBe(recent.length);
      }
    }),
  );
});
