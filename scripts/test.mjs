import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkFormat, lint } from './lint.mjs';
import { build, installPackages, installSystemPackages, program, run, SetupError, unpackNats } from './setup.mjs';

/**
 * `npm test -- [filters of vitest]`: setup, lint, all tests. The last line of stdout is `N passed, N failed`, with
 * `, N skipped` if tests were skipped. A failed build or lint counts as one failure.
 */

async function runTests(filters) {
  const folder = mkdtempSync(join(tmpdir(), 'gyre-test-'));
  const report = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const status = await run(process.execPath, [program('vitest', 'vitest.mjs'), 'run', ...reporters, ...filters]);
    return { status, ...count(report) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function count(report) {
  let json;
  try {
    json = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return { passed: 0, failed: 0, skipped: 0 };
  }
  // A file that does not load has no failed tests, but counts as a failure.
  const unloaded = json.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  ).length;
  return {
    passed: json.numPassedTests,
    failed: json.numFailedTests + unloaded,
    skipped: json.numPendingTests + json.numTodoTests,
  };
}

let counts = { passed: 0, failed: 0, skipped: 0 };
try {
  await installPackages();
  // Each runs in parallel with a step that leaves a core free.
  const [isFormatted] = await Promise.all([checkFormat(), build()]);
  const [isLinted] = await Promise.all([lint(), installSystemPackages()]);
  await unpackNats();
  const { status, ...tests } = await runTests(process.argv.slice(2));
  counts = tests;
  // vitest also fails for other reasons, such as an uncaught error.
  if (status !== 0 && counts.failed === 0) counts.failed = 1;
  if (!isFormatted || !isLinted) counts.failed++;
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`error: ${error.message}`);
  counts.failed++;
}
process.exitCode = counts.failed === 0 ? 0 : 1;
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);
