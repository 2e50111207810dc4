import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// `npm run test:chart` renders the chart and validates it; that needs Helm.
test('the chart documents its values, and passes flags that gyre has', () => {
  const script = fileURLToPath(new URL('../../../scripts/chart.mjs', import.meta.url));
  const stdout = execFileSync(process.execPath, [script, '--cheap'], { encoding: 'utf8' });
  expect(stdout).toMatch(/gyre serve sandbox has the flags[^]*0 failed\n$/);
});
