import { expect, test } from 'vitest';
import { DifficultyCurriculum, familyWeights } from './curriculum.js';
import { rollout } from './rollout.test.fixture.js';

const episodes = (difficulty: number | undefined, n: number, successes: number, turns = 1) =>
  Array.from({ length: n }, (_, index) => {
    const { episode } = rollout('game', Array<number>(turns).fill(0), [], { success: index < successes });
    return { ...episode, task: { ...episode.task, ...(difficulty !== undefined && { difficulty }) } };
  });

test('training favours families on which the policy is weak but not hopeless', () => {
  const weights = familyWeights(['half', 'new', 'solved', 'hopeless', 'seldom'], {
    half: { n: 98, successes: 49 },
    solved: { n: 1000, successes: 1000 },
    hopeless: { n: 1000, successes: 0 },
    seldom: { n: 98, successes: 9 },
  });
  expect(weights.new).toBeCloseTo(weights.half ?? 0);
  expect(weights.solved).toBeCloseTo(weights.hopeless ?? 0);
  // Variances at a tenth and a half; the floor is lower.
  expect((weights.seldom ?? 0) / (weights.half ?? 1)).toBeCloseTo(0.09 / 0.25);
  expect((weights.solved ?? 0) / (weights.half ?? 1)).toBeCloseTo(0.1);
  expect(Object.values(weights).reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(5);
});

test('favours the difficulties of a family that about half of the episodes solve', () => {
  const curriculum = new DifficultyCurriculum();
  const share = (difficulty: number | undefined): number => {
    const task = { family: 'game', ...(difficulty !== undefined && { difficulty }) };
    return (
      Array.from({ length: 1000 }, (_, index) => index / 1000).filter((chance) => curriculum.plays(task, chance))
        .length / 1000
    );
  };
  expect([1, 5, undefined].map(share)).toEqual([1, 1, 1]);
  curriculum.learnt([
    ...episodes(1, 98, 98),
    ...episodes(2, 98, 49),
    ...episodes(3, 98, 9),
    ...episodes(4, 98, 0),
    ...episodes(undefined, 98, 0),
  ]);
  expect(share(1)).toBeCloseTo(0.1);
  expect(share(2)).toBe(1);
  expect(share(3)).toBeCloseTo(0.36);
  expect(share(4)).toBeCloseTo(0.1);
  expect([5, undefined].map(share)).toEqual([1, 1]);
  const { game } = JSON.parse(JSON.stringify(curriculum.state())) as ReturnType<DifficultyCurriculum['state']>;
  expect(new DifficultyCurriculum({ game: game! }).state()).toEqual(curriculum.state());
  for (let batch = 0; batch < 15; batch++) curriculum.learnt([...episodes(2, 20, 20), ...episodes(4, 20, 10)]);
  expect(share(4)).toBe(1);
  expect(share(2)).toBeLessThan(0.2);
});

test('plays fewer long episodes, so that their decisions do not exceed their share', () => {
  const curriculum = new DifficultyCurriculum();
  const plays = (difficulty: number, chance: number) => curriculum.plays({ family: 'game', difficulty }, chance);
  curriculum.learnt([...episodes(1, 98, 49, 4), ...episodes(2, 98, 49, 40)]);
  expect([plays(1, 0.99), plays(2, 0.09), plays(2, 0.11)]).toEqual([true, true, false]);
  expect(plays(3, 0.99)).toBe(true);
});

test('a state without turns, as earlier versions left it, goes by success alone', () => {
  const curriculum = new DifficultyCurriculum({
    game: { 1: { n: 98, successes: 49 }, 2: { n: 98, successes: 9 } },
  });
  const plays = (chance: number) => curriculum.plays({ family: 'game', difficulty: 2 }, chance);
  expect([plays(0.35), plays(0.37)]).toEqual([true, false]);
});

test('infrastructure errors do not count for a difficulty', () => {
  const curriculum = new DifficultyCurriculum();
  curriculum.learnt(episodes(2, 9, 0).map(({ task, turns }) => ({ task, turns })));
  expect(curriculum.state()).toEqual({});
});
