import { Random } from '@gyre/engine';
import type { PoolSample } from '@gyre/lake';
import { expect, test } from 'vitest';
import { drawMixture } from './mixture.js';

const sample = (episode: string, change: Partial<PoolSample> = {}): PoolSample => ({
  ...{
    episode,
    turns: 'all',
    family: 'click',
    split: 'train',
    policy: 'nano',
    cycle: 1,
    origin: 'rejection',
    weight: 1,
  },
  look: { text: '0'.repeat(16), screen: '0'.repeat(16) },
  ...change,
});
const terms = { cycle: 3, limit: 100, replay: 0.25, origins: {}, families: {} };

test('the shares of age, origin and family multiply, and add up to 1', () => {
  const pool = [
    sample('old', { cycle: 0, origin: 'demonstration' }),
    sample('new', { cycle: 2 }),
    sample('form', { cycle: 2, family: 'form' }),
    sample('rollout', { cycle: 2, origin: 'rollout' }),
    sample('never', { cycle: 2, origin: 'captured' }),
    sample('own', { cycle: 3 }),
  ];
  const origins = { rollout: 0.5, captured: 0 };
  const { shares, groups } = drawMixture(pool, { ...terms, origins, families: { form: 2 } }, new Random(1));
  expect(shares).toEqual({
    'old demonstration click': 0.25,
    'new rejection click': expect.closeTo((0.75 * 1) / 3.5) as number,
    'new rejection form': expect.closeTo((0.75 * 2) / 3.5) as number,
    'new rollout click': expect.closeTo((0.75 * 0.5) / 3.5) as number,
  });
  expect([...groups.values()].flat().map(({ episode }) => episode)).toEqual(['old', 'new', 'form', 'rollout']);
});

test('without old samples, or of replay alone, the others have it all', () => {
  const only = drawMixture([sample('a', { cycle: 2 })], terms, new Random(1));
  expect(only.shares).toEqual({ 'new rejection click': 1 });
  expect(drawMixture([], terms, new Random(1)).groups.size).toBe(0);
});

test('groups are bounded alike, and heavier samples are drawn sooner', () => {
  const many = Array.from({ length: 400 }, (_, i) => sample(`${i}`, { weight: i < 20 ? 100 : 1 }));
  const { groups } = drawMixture([...many, sample('f', { family: 'form' })], { ...terms, limit: 40 }, new Random(1));
  const drawn = groups.get('new rejection click') ?? [];
  expect(drawn).toHaveLength(20);
  expect(drawn.filter(({ weight }) => weight > 1).length).toBeGreaterThan(10);
  expect(groups.get('new rejection form')).toHaveLength(1);
});
