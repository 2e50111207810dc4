import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ResultFolder } from './results.js';

const frame = { png: Buffer.from('png'), hash: '', size: { width: 1, height: 1 } };

test('writes what OSWorld reads, and nothing of an attempt before', async () => {
  const results = await mkdtemp(join(tmpdir(), 'gyre-osworld-results-'));
  try {
    const folder = join(results, 'vlc', 'id');
    const failed = await ResultFolder.create(folder, true);
    await failed.step([{ type: 'wait' }], frame, false);
    await failed.error('the evaluator threw');
    expect(await readdir(folder)).not.toContain('result.txt');
    const second = await ResultFolder.create(folder);
    await second.step([{ type: 'click', point: { x: 0.5, y: 0.5 } }], frame, false);
    await second.step([{ type: 'finished' }], frame, true);
    await second.score(0.5);
    const lines = (await readFile(join(folder, 'traj.jsonl'), 'utf8')).trim().split('\n');
    const steps = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(steps).toMatchObject([
      { step_num: 1, action: '[{"type":"click","point":{"x":0.5,"y":0.5}}]', done: false },
      { step_num: 2, done: true },
    ]);
    expect(steps[0]?.action_timestamp).toMatch(/^\d{8}@\d{12}$/);
    const files = steps.map(({ screenshot_file: file }) => file);
    expect((await readdir(folder)).sort()).toEqual(['result.txt', ...files, 'traj.jsonl']);
    expect(await readFile(join(folder, 'result.txt'), 'utf8')).toBe('0.5\n');
    const counted = await ResultFolder.create(folder, true);
    await counted.step([{ type: 'finished' }], frame, true);
    await counted.score(0.5);
    expect(await readFile(join(folder, 'results.json'), 'utf8')).toBe('[{"step":1,"score":0.5}]');
  } finally {
    await rm(results, { recursive: true });
  }
});
