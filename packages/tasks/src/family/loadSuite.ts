import { readFileSync, statSync } from 'node:fs';
import { GyreError } from '@gyre/protocol';
import { miniwobSuite } from '../miniwob/suite.js';
import { poolSuite, readPool } from '../synthesis/pool.js';
import { importSuite } from './suiteModule.js';
import { addSuite } from './suites.js';

/** Tells a module's path from the name of a suite. */
export const isSuiteModule = (name: string): boolean => /[/\\]|\.[cm]?[jt]s$/.test(name);

/**
 * Makes tasks from outside gyre known to this process.
 *
 * @param path a JavaScript module that exports a suite, the html folder of MiniWoB++ (the suite `miniwob`), or a JSONL file of
 *   `gyre tasks synth` (the suite `synth`).
 * @returns the name of the suite.
 * @throws GyreError `bad_input` where the path holds none of these.
 */
export async function loadSuite(path: string): Promise<string> {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    addSuite('miniwob', miniwobSuite(path));
    return 'miniwob';
  }
  if (/\.[cm]?[jt]s$/.test(path)) return importSuite(path);
  addSuite('synth', poolSuite(readPool(poolText(path))));
  return 'synth';
}

function poolText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const fix = 'use a file that `gyre tasks synth` wrote';
    throw new GyreError('bad_input', `cannot read ${file}`, { field: '--tasks', fix, cause });
  }
}
