import { expect, it } from 'vitest';
import { shapeRewards } from './rewards.js';
import { rollout } from '../rollouts/rollout.test.fixture.js';

const rewards = ({ episode: { turns } }: ReturnType<typeof rollout>) => turns.map(({ reward }) => reward);
const none = { format: 0, length: 0 };

it('leaves the rewards of the task as they are', () => {
  const played = rollout('click', [0.25, -0.5, 1], [], { success: true });
  expect(shapeRewards(played, none)).toEqual(played);
});

it('adds for each turn that was one, and takes for each token', () => {
  const { episode, decisions } = rollout('click', [0, 0, 1], [], { success: true });
  const [first, second, third] = episode.turns;
  const sample = { tokens: [1, 2, 3], logprobs: [0, 0, 0], policyVersion: 0 };
  const refused = { ...second!.observation, results: [{ kind: 'refused' as const, text: 'it is held' }] };
  const turns = [
    { ...first!, sample },
    { ...second!, observation: refused },
    { ...third!, actions: [] },
  ];
  const shaped = shapeRewards({ episode: { ...episode, turns }, decisions }, { format: 0.5, length: 0.1 });
  expect(rewards(shaped).map((reward) => Number(reward.toFixed(6)))).toEqual([0.2, 0, 1]);
});

it('counts what a judge finds instead, once and at the end, whatever the verifier says', () => {
  const played = rollout('click', [0.5, 0.5], [], { success: true });
  const shaped = shapeRewards(played, none, 0.25);
  expect(rewards(shaped)).toEqual([0, 0.25]);
  expect(shaped.episode.verdict).toEqual({ success: false, score: 0.25, source: 'orm', evidence: {} });
});
