import { readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { program, run } from './setup.mjs';

/** `npm run lint`, and the part of `npm test` before the tests. */

/** Checks types and floors (eslint), import cycles (oxlint), and undeclared or unused dependencies and exports (knip). */
export async function lint() {
  // By package: the types of all at once need 4 GB.
  const packages = readdirSync('packages').map((name) => `packages/${name}`);
  const linters = [
    ...[...packages, 'experiments', 'perf'].map((folder) => [program('eslint', 'bin/eslint.js'), folder]),
    [program('eslint', 'bin/eslint.js'), '.', '--ignore-pattern', '{packages,experiments,perf}/**'],
    [program('oxlint', 'bin/oxlint')],
    [program('knip', 'bin/knip.js'), '--no-progress'],
  ];
  let isClean = true;
  for (const linter of linters) if ((await run(process.execPath, linter)) !== 0) isClean = false;
  if (!isClean) console.error('lint failed: see the messages above.');
  return isClean;
}

export async function checkFormat() {
  const prettier = [program('prettier', 'bin/prettier.cjs'), '--check', '--log-level=warn', '.'];
  const isFormatted = (await run(process.execPath, prettier)) === 0;
  if (!isFormatted) console.error('format check failed: run `npm run format`.');
  return isFormatted;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const results = [await lint(), await checkFormat()];
  process.exitCode = results.every(Boolean) ? 0 : 1;
}
