import { expect, test } from 'vitest';
import { inProcess, lastJson } from '../inProcess.test.fixture.js';

test('the base policy solves held-out tasks that random actions do not', { timeout: 60_000 }, async () => {
  const { stdout } = await inProcess('eval', '--family', 'click,maze', '--episodes', '30', '--greedy', '--json');
  const { results } = lastJson(stdout) as { results: { family: string; n: number; success: number }[] };
  // Random actions solve 2 to 4 %.
  for (const { family, n, success } of results) {
    expect(n, family).toBe(30);
    expect(success, family).toBeGreaterThan(0.35);
  }
});
