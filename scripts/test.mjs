import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installAndBuild, installSystemPackages, program, run, SetupError } from './setup.mjs';

/**
 * `npm test -- [filters of vitest]`: set-up, lint, every test. The last line of stdout is `N passed, N failed`, with
 * `, N skipped` where tests were skipped. A failed build or lint counts as one failure.
 */

async function lint() {
  const eslint = await run(process.execPath, [program('eslint', 'bin/eslint.js'), '.']);
  const prettier = await run(process.execPath, [
    program('prettier', 'bin/prettier.cjs'),
    '--check',
    '--log-level=warn',
    '.',
  ]);
  if (eslint !== 0) console.error('lint failed: see the messages of eslint above.');
  if (prettier !== 0) console.error('lint failed: run `npm run format`.');
  return eslint === 0 && prettier === 0;
}

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
  // A file that does not load has no tests to fail, but it failed.
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
  await installAndBuild();
  // The one waits for the disk and the network, the other computes.
  const [linted] = await Promise.all([lint(), installSystemPackages()]);
  const { status, ...tests } = await runTests(process.argv.slice(2));
  counts = tests;
  // vitest also fails for reasons that are no test, such as an error that nobody caught.
  if (status !== 0 && counts.failed === 0) counts.failed = 1;
  if (!linted) counts.failed++;
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`error: ${error.message}`);
  counts.failed++;
}
process.exitCode = counts.failed === 0 ? 0 : 1;
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);
