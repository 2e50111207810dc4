import { Split } from '@gyre/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Random } from '../../family/random.js';
import { drawLook } from './look.js';
import { drawScene } from './scene.js';
import { families, familiesZh } from './typeface.js';

const pairs = [
  ['train', 'dev'],
  ['train', 'test'],
  ['dev', 'test'],
] as const;

test('no look is of two splits', () => {
  const looks = Object.fromEntries(
    Split.options.map((split) => [
      split,
      new Set(Array.from({ length: 1000 }, (_, n) => drawLook(new Random(`look/${n}`), split).name)),
    ]),
  ) as Record<Split, Set<string>>;
  for (const [a, b] of pairs) expect([...looks[a]].filter((name) => looks[b].has(name))).toEqual([]);
});

test('no Latin font family is of two splits, and no Chinese one is of train and another', () => {
  for (const [a, b] of pairs) expect(families[a].filter((family) => families[b].includes(family))).toEqual([]);
  for (const split of ['dev', 'test'] as const)
    expect(familiesZh.train.filter((family) => familiesZh[split].includes(family))).toEqual([]);
});

test('a screen of any size, split and language is drawn up, with its elements in its HTML', () => {
  const fonts = { latin: Object.values(families).flat(), chinese: Object.values(familiesZh).flat() };
  const sizes = [
    { width: 160, height: 160 },
    { width: 320, height: 240 },
    { width: 1280, height: 720 },
  ];
  fc.assert(
    fc.property(
      fc.integer(),
      fc.constantFrom(...sizes),
      fc.constantFrom(...Split.options),
      fc.constantFrom('en' as const, 'zh' as const),
      (seed, size, split, language) => {
        const { kit, html } = drawScene(new Random(`scene/${seed}`), { size, split, language, fonts });
        const ids = [...html().matchAll(/data-e="(\d+)"/g)].map(([, id]) => Number(id));
        expect(new Set(ids).size).toBe(ids.length);
        expect(kit.drafts.map(({ id }) => id)).toEqual(kit.drafts.map((_, index) => index));
        expect(kit.drafts.filter(({ id }) => !ids.includes(id)).map(({ kind }) => kind)).toEqual([]);
        expect(html()).not.toContain('undefined');
        for (const { label } of kit.drafts) expect(label).not.toContain('"');
      },
    ),
    { numRuns: 300 },
  );
});
