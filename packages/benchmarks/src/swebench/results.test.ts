import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SwebenchResults } from './results.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gyre-swebench-results-'));
});
afterAll(() => rm(folder, { recursive: true }));

const prediction = (id: string, patch: string) => ({
  instance_id: id,
  model_name_or_path: 'org/model',
  model_patch: patch,
});

test('writes one prediction per instance, the latest, and logs where SWE-bench reads them', async () => {
  const results = new SwebenchResults(folder, 'gyre');
  await Promise.all([results.add(prediction('a', 'first\n')), results.add(prediction('b', ''))]);
  await results.add(prediction('a', 'second\n'));
  const text = await readFile(join(folder, 'predictions.jsonl'), 'utf8');
  const lines = text.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([prediction('a', 'second\n'), prediction('b', '')]);
  await results.log(prediction('a', 'second\n'), { 'patch.diff': 'second\n' });
  const logs = join(folder, 'logs', 'run_evaluation', 'gyre', 'org__model', 'a');
  expect(await readdir(logs)).toEqual(['patch.diff']);
});
