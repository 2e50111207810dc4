import { expect, test } from 'vitest';
import { practiceWeights } from './curriculum.js';

test('practice goes where the policy is weak but not hopeless', () => {
  const weights = practiceWeights(['half', 'new', 'solved', 'hopeless', 'seldom'], {
    half: { n: 98, successes: 49 },
    solved: { n: 1000, successes: 1000 },
    hopeless: { n: 1000, successes: 0 },
    seldom: { n: 98, successes: 9 },
  });
  expect(weights['new']).toBeCloseTo(weights['half'] ?? 0);
  expect(weights['solved']).toBeCloseTo(weights['hopeless'] ?? 0);
  // Of a tenth success the variance is 0.09, of a half 0.25; and nothing falls below a tenth of the most.
  expect((weights['seldom'] ?? 0) / (weights['half'] ?? 1)).toBeCloseTo(0.09 / 0.25);
  expect((weights['solved'] ?? 0) / (weights['half'] ?? 1)).toBeCloseTo(0.1);
  expect(Object.values(weights).reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(5);
});
