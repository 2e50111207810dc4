import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { inProcess, lastJson } from '../inProcess.test.fixture.js';

test('gyre train reader trains a part of a reader, and continues', { timeout: 300_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gyre-reader-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'small.json');
  const shape = { fine: 4, coarse: 4, column: 8, blocks: 1, slot: 4 };
  const batch = { strips: 1, stripWidth: 256, places: 16 };
  await writeFile(file, JSON.stringify({ recogniser: { shape, batch, pages: 1, steps: 1, decay: 1 } }));
  const command = ['train', 'reader', '--recipe', file, '--directory', join(folder, 'run'), '--json'];
  const first = await inProcess(...command);
  expect(first.status).toBe(0);
  expect(lastJson(first.stdout)).toMatchObject({
    steps: 1,
    weights: expect.stringMatching(/recogniser\.safetensors$/),
  });
  const second = await inProcess(...command, '--steps', '3');
  expect(lastJson(second.stdout)).toMatchObject({ steps: 3 });
  const log = (await readFile(join(folder, 'run', 'log.jsonl'), 'utf8')).trim().split('\n');
  expect(log.map((line) => (JSON.parse(line) as { step: number }).step)).toEqual([1, 3]);
  expect(JSON.parse(await readFile(join(folder, 'run', 'recipe.json'), 'utf8'))).toMatchObject({
    recogniser: { shape, steps: 3, decay: 1 },
  });
  expect(await readdir(join(folder, 'run'))).toEqual(expect.arrayContaining(['recogniser.ckpt.safetensors', 'pages']));
});
