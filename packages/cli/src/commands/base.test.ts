import { expect, test } from 'vitest';
import { inProcess, lastJson } from '../inProcess.test.fixture.js';

test('the base policy solves held-out tasks that random actions do not', { timeout: 240_000 }, async () => {
  const { stdout } = await inProcess('eval', '--family', 'menu,tabs', '--episodes', '12', '--greedy', '--json');
  const { results } = lastJson(stdout) as { results: { family: string; n: number; success: number }[] };
  // Random actions solve 0 to 3 %.
  for (const { family, n, success } of results) {
    expect(n, family).toBe(12);
    expect(success, family).toBeGreaterThan(0.5);
  }
});
