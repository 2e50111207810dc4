import { families } from '@gyre/tasks';
import { expect, test } from 'vitest';
import { playRollouts } from './rollouts.js';

test('reports the played episodes if an error ends it early', async () => {
  let requests = 0;
  const policy = {
    name: 'broken',
    decide: () =>
      requests++ === 0
        ? Promise.resolve({ actions: [{ type: 'finished' as const }] })
        : Promise.reject(new TypeError('a fault of its own')),
  };
  const played = await playRollouts(
    {
      ...{ families: [families.click], split: 'test', from: 0, episodes: 3, sessions: 1, browsers: 1 },
      ...{ directory: undefined, purpose: 'test', seed: 1 },
    },
    { policy, screenshots: 1 },
    { signal: new AbortController().signal, progress: { update: () => undefined } },
  );
  expect(played.results).toMatchObject([{ family: 'click', n: 1 }]);
  expect(played.failure).toBeInstanceOf(TypeError);
}, 60_000);
