import { Random } from '@gyre/engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Baseline, type BaselineState, type EpisodeEstimates } from './baseline.js';
import { type Game, type KnownEpisode, playGame } from './baseline.test.fixture.js';
import { correlation, mean, std } from '../metrics/statistics.js';

const episode = (estimates: number[], difficulty?: number): EpisodeEstimates => ({
  ...{ family: 'f', difficulty, turns: estimates.map((_, turn) => turn), estimates },
});
const plain = (advantages: readonly Float64Array[]): number[][] => advantages.map((all) => [...all]);
const close = (expected: readonly number[][]) =>
  expected.map((all) => all.map((value) => expect.closeTo(value, 6) as number));
const rootMeanSquare = (values: readonly number[]) => Math.sqrt(mean(values.map((value) => value ** 2)));

describe('of few episodes', () => {
  it('one alone is compared with nothing: its advantages are its estimates, over their root mean square', () => {
    const scale = rootMeanSquare([1, 3]);
    expect(plain(new Baseline().advantages([episode([1, 3])], 'turn'))).toEqual(close([[1 / scale, 3 / scale]]));
    expect(plain(new Baseline().advantages([episode([-2])], 'turn'))).toEqual(close([[-1]]));
  });

  it('two are each compared with the other', () => {
    expect(plain(new Baseline().advantages([episode([1]), episode([0])], 'turn'))).toEqual(close([[1], [-1]]));
  });

  it('three are each compared with the two others, those of the same difficulty and turn by what one episode is believed', () => {
    // The others' means: 0.5, 0.25, 0.75. Half of the difference in difficulty is added.
    const differences = [0.5 - 0.75, 1 - 0.375, 0 - 0.75];
    const scale = rootMeanSquare(differences);
    expect(plain(new Baseline().advantages([episode([0.5], 1), episode([1], 1), episode([0], 2)], 'turn'))).toEqual(
      close(differences.map((difference) => [difference / scale])),
    );
  });

  it('the move that wins is better than the baseline, also where no other episode came to its turn', () => {
    const [long = new Float64Array()] = new Baseline().advantages([episode([0.2, 0.5, 1]), episode([0.1, 0])], 'turn');
    expect(long.at(-1)).toBeGreaterThan(0.5);
  });

  it('a level of its own difficulty is worth more than a mean of all', () => {
    const alike = (estimate: number, difficulty: number) =>
      Array.from({ length: 8 }, () => episode([estimate], difficulty));
    const batch = [...alike(1, 1), ...alike(0, 5), episode([0.9], 1), episode([0.1], 5)];
    const [easy, hard] = new Baseline().advantages(batch, 'turn').slice(-2);
    expect(easy?.[0]).toBeLessThan(0);
    expect(hard?.[0]).toBeGreaterThan(0);
  });

  it('families have nothing to do with each other', () => {
    const foreign = { ...episode([100]), family: 'g' };
    const alone = new Baseline().advantages([episode([1]), episode([0])], 'turn');
    expect(plain(new Baseline().advantages([episode([1]), foreign, episode([0])], 'turn'))).toEqual([
      ...plain(alone).slice(0, 1),
      ...close([[1]]),
      ...plain(alone).slice(1),
    ]);
  });

  it('nothing is learnt where all are alike', () => {
    const alike = Array.from({ length: 5 }, () => episode([0.7, 0.7, 0.7], 3));
    for (const all of new Baseline().advantages(alike, 'turn')) for (const one of all) expect(one).toBeCloseTo(0, 6);
    expect(new Baseline().advantages([], 'turn')).toEqual([]);
    expect(plain(new Baseline().advantages([episode([])], 'turn'))).toEqual([[]]);
  });
});

const value = fc.double({ min: -10, max: 10, noNaN: true });
const episodes = fc.array(
  fc.record({
    difficulty: fc.constantFrom(undefined, 1, 2),
    estimates: fc.array(value, { minLength: 1, maxLength: 5 }),
  }),
  { minLength: 1, maxLength: 8 },
);
const batches = fc.array(episodes, { minLength: 1, maxLength: 4 });
const episodesOf = (batch: readonly { difficulty: number | undefined; estimates: number[] }[]) =>
  batch.map(({ estimates, difficulty }) => episode(estimates, difficulty));

describe('by its definition', () => {
  interface Known {
    difficulty: number | undefined;
    turn: number;
    estimate: number;
    weight: number;
  }
  const effect = (alike: readonly Known[], expected: (known: Known) => number): number => {
    if (alike.length === 0) return 0;
    const weight = alike.reduce((sum, known) => sum + known.weight, 0);
    const residual = alike.reduce((sum, known) => sum + known.weight * (known.estimate - expected(known)), 0) / weight;
    const atPlace = (difficulty: number | undefined, turn: number) =>
      alike
        .filter((known) => known.difficulty === difficulty && known.turn === turn)
        .reduce((sum, known) => sum + known.weight, 0);
    const counts = [undefined, 1, 2].map((difficulty) =>
      Math.max(...[0, 1, 2, 3, 4].map((turn) => atPlace(difficulty, turn))),
    );
    const n = counts.reduce((sum, one) => sum + one, 0);
    return (residual * n) / (n + 1);
  };
  const expectedOf = (others: readonly Known[], difficulty: number | undefined, turn: number): number => {
    const weight = others.reduce((sum, known) => sum + known.weight, 0);
    const family = weight === 0 ? 0 : others.reduce((sum, known) => sum + known.weight * known.estimate, 0) / weight;
    const ofDifficulty = (level: number | undefined) =>
      family +
      effect(
        others.filter((known) => known.difficulty === level),
        () => family,
      );
    return (
      ofDifficulty(difficulty) +
      effect(
        others.filter((known) => known.turn === turn),
        (known) => ofDifficulty(known.difficulty),
      )
    );
  };

  it('is made of the decisions of other episodes alone, those of earlier batches at 0.8 of the weight for each', () => {
    fc.assert(
      fc.property(batches, (batches) => {
        const baseline = new Baseline();
        let before: Known[] = [];
        let [squares, decisions] = [0, 0];
        for (const batch of batches) {
          const residuals = batch.map(({ difficulty, estimates }) =>
            estimates.map((estimate, turn): Known => ({ difficulty, turn, estimate, weight: 1 })),
          );
          const differences = residuals.map((mine) => {
            const others = [...before, ...residuals.filter((theirs) => theirs !== mine).flat()];
            return mine.map(({ difficulty, turn, estimate }) => estimate - expectedOf(others, difficulty, turn));
          });
          squares += differences.flat().reduce((sum, difference) => sum + difference ** 2, 0);
          decisions += differences.flat().length;
          const scale = Math.sqrt(squares / decisions) + 1e-8;
          const advantages = baseline.advantages(episodesOf(batch), 'turn');
          for (const [e, mine] of differences.entries())
            for (const [d, difference] of mine.entries()) {
              // Nearly equal values leave only rounding.
              if (scale > 1e-5) expect(Math.abs((advantages[e]?.[d] ?? NaN) - difference / scale)).toBeLessThan(1e-6);
            }
          squares *= 0.8;
          decisions *= 0.8;
          before = [...before, ...residuals.flat()].map((known) => ({ ...known, weight: 0.8 * known.weight }));
        }
      }),
      { numRuns: 200 },
    );
  });

  it('resumes from its state, through JSON, to the last bit', () => {
    fc.assert(
      fc.property(batches, (batches) => {
        const whole = new Baseline();
        let state: BaselineState = {};
        for (const batch of batches) {
          const resumed = new Baseline(JSON.parse(JSON.stringify(state)) as BaselineState);
          expect(resumed.advantages(episodesOf(batch), 'turn')).toEqual(whole.advantages(episodesOf(batch), 'turn'));
          state = resumed.state();
          expect(state).toEqual(whole.state());
        }
      }),
      { numRuns: 200 },
    );
  });

  it('compares the advantages of a critic with the mean of the family alone', () => {
    const batch = [episode([1, 0], 1), episode([3], 2), episode([5], 2)];
    // The others' means: 4, 2 (of 1, 0, 5), 4/3 (of 1, 0, 3).
    const differences = [-3, -4, 1, 5 - 4 / 3];
    const scale = rootMeanSquare(differences);
    expect(plain(new Baseline().advantages(batch, 'family')).flat()).toEqual(
      differences.map((difference) => expect.closeTo(difference / scale, 6) as number),
    );
  });

  it('forgets what is long past', () => {
    const baseline = new Baseline();
    baseline.advantages([episode(Array.from({ length: 50 }, () => 1))], 'turn');
    for (let batch = 0; batch < 30; batch++) baseline.advantages([episode([0])], 'turn');
    expect(baseline.state().f?.cells).toHaveLength(1);
  });
});

describe('in games whose advantages are known', () => {
  const long = { turns: 155, lives: 8, gamma: 0.9, move: 0.05, win: 1, loss: -0.5 };
  const skill = (difficulty: number, trained: number) => 0.93 - 0.01 * difficulty + 0.04 * trained;
  const games: Record<string, Game> = {
    'long game': { ...long, skill, difficulties: [0], batch: 512 },
    'long game, one of three': { ...long, skill, difficulties: [0], batch: 171 },
    'long game, five difficulties': { ...long, skill, difficulties: [0, 1, 2, 3, 4], batch: 512 },
    'twelve turns': {
      ...long,
      turns: 12,
      lives: 3,
      skill: (_, trained) => 0.75 + 0.15 * trained,
      difficulties: [0],
      batch: 171,
    },
    'two turns': {
      ...long,
      turns: 2,
      lives: 1,
      skill: (_, trained) => 0.5 + 0.4 * trained,
      difficulties: [0],
      batch: 171,
    },
  };
  const updates = 16;

  /** A biased baseline, whose means include the decision itself. */
  const ofItself = (batch: readonly KnownEpisode[]): number[] => {
    const pooled = batch.flatMap(({ difficulty, decisions }) =>
      decisions.map((one) => ({ ...one, difficulty, left: one.return })),
    );
    for (const levelOf of [
      (one: (typeof pooled)[number]) => one.difficulty,
      (one: (typeof pooled)[number]) => one.turn,
    ]) {
      const groups = new Map<number, (typeof pooled)[number][]>();
      for (const one of pooled) groups.set(levelOf(one), [...(groups.get(levelOf(one)) ?? []), one]);
      for (const group of groups.values()) {
        const groupMean = mean(group.map(({ left }) => left));
        for (const one of group) one.left -= groupMean;
      }
    }
    const deviation = std(pooled.map(({ left }) => left)) + 1e-8;
    return pooled.map(({ left }) => left / deviation);
  };
  const estimatesOf = (batch: readonly KnownEpisode[]) =>
    batch.map(({ difficulty, decisions }) => ({
      ...{ family: 'f', difficulty, turns: decisions.map(({ turn }) => turn) },
      estimates: decisions.map((one) => one.return),
    }));
  const estimators: Record<string, () => (batch: readonly KnownEpisode[]) => number[]> = {
    'mean with itself': () => ofItself,
    'others of the batch': () => (batch) =>
      new Baseline().advantages(estimatesOf(batch), 'turn').flatMap((all) => [...all]),
    baseline: () => {
      const baseline = new Baseline();
      return (batch) => baseline.advantages(estimatesOf(batch), 'turn').flatMap((all) => [...all]);
    },
  };

  function measured(game: Game, estimator: () => (batch: readonly KnownEpisode[]) => number[]) {
    const [estimated, ideal, advantage]: [number[], number[], number[]] = [[], [], []];
    for (let seed = 1; seed <= 8; seed++) {
      const random = new Random(seed).fork('games');
      const estimate = estimator();
      for (let update = 0; update < updates; update++) {
        const batch = playGame(game, update / updates, random);
        estimated.push(...estimate(batch));
        for (const known of batch.flatMap(({ decisions }) => decisions)) {
          ideal.push(known.ideal);
          advantage.push(known.advantage);
        }
      }
    }
    const zeros = estimated.filter((one) => Math.abs(one) < 1e-12).length / estimated.length;
    return { ideal: correlation(estimated, ideal), advantage: correlation(estimated, advantage), zeros };
  }
  /** Correlations with the ideal and true advantage; share of zeros. */
  const table: Record<string, Record<string, [number, number, number]>> = {
    'long game': {
      'mean with itself': [0.76, 0.27, 0.03],
      'others of the batch': [0.82, 0.3, 0],
      baseline: [0.94, 0.34, 0],
    },
    'long game, one of three': {
      'mean with itself': [0.54, 0.2, 0.12],
      'others of the batch': [0.72, 0.27, 0],
      baseline: [0.9, 0.33, 0],
    },
    'long game, five difficulties': {
      'mean with itself': [0.73, 0.27, 0.03],
      'others of the batch': [0.86, 0.31, 0],
      baseline: [0.93, 0.34, 0],
    },
    'twelve turns': {
      'mean with itself': [0.94, 0.41, 0.01],
      'others of the batch': [0.94, 0.41, 0],
      baseline: [0.98, 0.43, 0],
    },
    'two turns': {
      'mean with itself': [0.99, 0.81, 0],
      'others of the batch': [0.99, 0.81, 0],
      baseline: [0.99, 0.82, 0],
    },
  };
  const rows = Object.entries(table).flatMap(([game, by]) =>
    Object.entries(by).map(([estimator, expected]) => [game, estimator, expected] as const),
  );

  it.each(rows)('%s, by %s: correlations and zeros %j', (game, estimator, [ideal, advantage, zeros]) => {
    const measurement = measured(games[game]!, estimators[estimator]!);
    expect(Math.abs(measurement.ideal - ideal)).toBeLessThan(0.05);
    expect(Math.abs(measurement.advantage - advantage)).toBeLessThan(0.03);
    if (zeros === 0) expect(measurement.zeros).toBe(0);
    else expect(Math.abs(measurement.zeros - zeros)).toBeLessThan(0.02);
  });
});
