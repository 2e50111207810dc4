import { describe, expect, it } from 'vitest';
import { checkedSettle, defaultSettle, settled } from './settle.js';

function screen(changes: readonly boolean[]) {
  const looks = { count: 0 };
  return { looks, changed: () => changes[looks.count++] ?? false };
}

describe('an action counts as done', () => {
  it('when the screen has changed and two captures are equal', async () => {
    const { looks, changed } = screen([false, false, true, true, true]);
    await settled(changed, { ...defaultSettle, firstChangeMs: 10_000, boundMs: 10_000 });
    expect(looks.count).toBe(6);
  });

  it('after the requested number of equal captures', async () => {
    const { looks, changed } = screen([true, false, true]);
    await settled(changed, { ...defaultSettle, gapMs: 1, stableReads: 4, boundMs: 10_000 });
    expect(looks.count).toBe(6);
  });

  it('when nothing changes in time', async () => {
    const { looks, changed } = screen([]);
    const start = performance.now();
    await settled(changed, { ...defaultSettle, firstChangeMs: 20 });
    expect(performance.now() - start).toBeGreaterThanOrEqual(20);
    expect(looks.count).toBeGreaterThan(1);
  });

  it('at the time limit if the screen never settles', async () => {
    const start = performance.now();
    await settled(() => true, { ...defaultSettle, boundMs: 40 });
    expect(performance.now() - start).toBeGreaterThanOrEqual(40);
  });

  it('only with numeric limits', () => {
    expect(checkedSettle(defaultSettle)).toBe(defaultSettle);
    for (const wrong of [{ boundMs: Number.NaN }, { gapMs: -1 }, { stableReads: 0 }, { firstChangeMs: Infinity }]) {
      expect(() => checkedSettle({ ...defaultSettle, ...wrong })).toThrow(
        expect.objectContaining({
          code: 'bad_input',
          detail: expect.objectContaining({ field: `settle.${Object.keys(wrong)[0]}` }),
        }),
      );
    }
  });
});
