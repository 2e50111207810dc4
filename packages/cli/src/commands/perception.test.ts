import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inProcess, lastJson } from '../inProcess.test.fixture.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gyre-perception-'));
  for (const name of ['annotations', 'images']) await mkdir(join(folder, name));
  await sharp({ create: { width: 64, height: 32, channels: 3, background: 'white' } }).toFile(
    join(folder, 'images', 'a.png'),
  );
  const sample = (id: string, ui_type: string, bbox: number[]) => ({
    ...{ id, img_filename: 'a.png', bbox, img_size: [64, 32], instruction: 'click it', ui_type },
    ...{ platform: 'linux', application: 'page', group: 'OS' },
  });
  const samples = [sample('all', 'text', [0, 0, 64, 32]), sample('none', 'icon', [70, 40, 80, 50])];
  await writeFile(join(folder, 'annotations', 'page_linux.json'), JSON.stringify(samples));
});
afterAll(() => rm(folder, { recursive: true }));

test('a policy points at the targets of a set', async () => {
  const file = join(folder, 'random.json');
  const line = ['perception', '--screenspot', folder, '--policy', 'random', '--results', file];
  const { status, stdout } = await inProcess(...line, '--json');
  expect(status).toBe(0);
  const { results, questions, noPoint } = lastJson(stdout) as {
    results: { by: string }[];
    questions: number;
    noPoint: number;
  };
  expect(questions).toBe(2);
  expect(results.map(({ by }) => by)).toEqual(['all', 'ui type', 'ui type', 'platform', 'group']);
  const report = JSON.parse(await readFile(file, 'utf8')) as {
    details: { id: string; correctness: string; pred: unknown }[];
  };
  // A random policy may also type: that is no point.
  expect(report.details.map(({ pred }) => pred).filter((point) => point === null)).toHaveLength(noPoint);
  expect(report.details[1]).toMatchObject({ id: 'none' });
  expect(report.details[1]!.correctness).not.toBe('correct');
});

test.each([
  [['--screenspot', 'missing'], 1, 'missing cannot be read'],
  [['--screenspot', '.', '--policy', 'oracle'], 2, '--policy'],
  [['--policy', 'random'], 2, '--policy'],
  [['--results', 'a.json'], 2, '--results'],
])('perception %j is refused', async (flags, code, problem) => {
  const { status, stderr, stdout } = await inProcess('perception', ...flags);
  expect(status).toBe(code);
  expect(stderr + stdout).toContain(problem);
});
