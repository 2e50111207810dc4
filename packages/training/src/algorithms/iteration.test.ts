import type { Environment } from '@gyre/protocol';
import type { Job } from '@gyre/agent';
import { expect, test } from 'vitest';
import { playedMetrics, sharesOf } from './iteration.js';
import { RolloutClock } from '../rollouts/rolloutClock.js';
import { rollout, vocabulary } from '../rollouts/rollout.test.fixture.js';

function sampled(family: string, success: boolean, thoughts: (string | undefined)[]) {
  const { episode } = rollout(
    family,
    thoughts.map(() => 0.5),
    [],
    { success },
  );
  const turns = episode.turns.map((turn, i) => {
    const tokens = vocabulary.encode({ type: 'wait' }, thoughts[i]);
    return { ...turn, sample: { tokens, logprobs: tokens.map(() => -1), policyVersion: 1 } };
  });
  return { ...episode, turns };
}

test('what was played: lengths in tokens, thoughts without their marks, and errors among all attempts', () => {
  const thought = 'press';
  const thinking = vocabulary.encode({ type: 'wait' }, thought).length;
  const bare = vocabulary.encode({ type: 'wait' }).length;
  const metrics = playedMetrics(
    [sampled('maze', true, [thought, undefined, undefined]), sampled('maze', false, [undefined])],
    ['maze', 'click'],
    2,
  );
  expect(metrics).toMatchObject({
    episodes: 2,
    success: { maze: 0.5, click: NaN },
    played: { maze: 2, click: 0 },
    reward: 1,
    turns: 2,
    responseTokens: (thinking + 3 * bare) / 4,
    infraErrors: 2,
    infraErrorRate: 0.5,
  });
  expect(thinking).toBeGreaterThan(bare + 2);
  expect(metrics.thoughtTokens).toBe((thinking - bare - 2) / 4);
});

test('the time of rollouts is divided by what the episodes waited for', async () => {
  let now = 0;
  const clock = new RolloutClock(() => now);
  const policy = clock.policy({
    name: 'slow',
    decide: () => {
      now += 30;
      return Promise.resolve({ actions: [] });
    },
  });
  const environment = {
    reset: () => Promise.resolve(undefined),
    step: () => {
      now += 8;
      return Promise.resolve({ reward: 0, done: true });
    },
    verdict: () => {
      now += 2;
      return Promise.resolve(undefined);
    },
  } as unknown as Environment;
  const played = clock.job({ open: () => environment } as unknown as Job).open(undefined as never);
  expect(clock.inference()).toBe(0);
  await played.reset();
  await policy.decide(undefined as never);
  await played.step([]);
  await played.verdict();
  const inference = clock.inference();
  expect(inference).toBe(0.75);
  expect(clock.inference()).toBe(0);
  expect(sharesOf({ rollout: 4, update: 3, replay: 1 }, inference)).toEqual({
    environment: 1 / 8,
    inference: 3 / 8,
    update: 3 / 8,
    replay: 1 / 8,
  });
});
