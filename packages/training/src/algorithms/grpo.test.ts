import type { Episode } from '@gyre/protocol';
import { expect, test } from 'vitest';
import { groupCounts, groupsOf, hasContrast as hasContrast } from './grpo.js';
import { rollout } from '../rollouts/rollout.test.fixture.js';

/** Creates attempts: `1` succeeded, `0` failed. */
const attempts = (task: string, outcomes: string): Episode[] =>
  [...outcomes].map((outcome) => rollout('a', [0], [], { task, success: outcome === '1' }).episode);

test('attempts are by their task, and those that all succeeded or all failed tell nothing', () => {
  const [first, ...others] = attempts('x', '101');
  const groups = groupsOf([first!, ...attempts('y', '00'), ...others, ...attempts('z', '11')]);
  expect(groups.map((group) => group.map(({ task }) => task.id))).toEqual([
    ['x', 'x', 'x'],
    ['y', 'y'],
    ['z', 'z'],
  ]);
  expect(groups.map(hasContrast)).toEqual([true, false, false]);
  expect(groupCounts(groups)).toEqual({ tasks: 3, allSucceeded: 1, allFailed: 1 });
});
