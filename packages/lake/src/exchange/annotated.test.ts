import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Turn } from '@gyre/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { exportEpisodes, importFiles, Lake } from '../index.js';
import { aFolder } from '../store/folder.test.fixture.js';
import { allOf } from '../store/sample.test.fixture.js';
import { recordPlayed } from './exchange.test.fixture.js';

async function open(dir: string): Promise<Lake> {
  const lake = await Lake.open(dir);
  onTestFinished(() => lake.close());
  return lake;
}

const wait = [{ type: 'wait' as const }];
const person: Partial<Turn> = {
  ...{ by: 'ann', edited: { thought: 'before' }, mark: { comment: 'slow' } },
  candidates: [{ actions: [...wait], samples: 3, chosen: true, logprob: -1.5, policyVersion: 2 }],
  audio: { hash: 'a'.repeat(64), fromMs: 0, toMs: 10, transcript: 'wait' },
};

test("a person's part goes out with the episode and comes back, and a pool exports only its turns", async () => {
  const dir = await aFolder();
  const lake = await open(join(dir, 'lake'));
  const played = await recordPlayed(lake, 'played', [wait, wait, wait]);
  const episode = await recordPlayed(lake, 'e', [], {
    turns: played.turns.map((turn, index) => (index === 1 ? turn : { ...turn, ...person })),
    ...{ policy: 'human:ann', purpose: 'annotation' },
    origin: { format: 'annotation', source: 'ann', licence: 'CC-BY-4.0' },
  });
  await lake.pool('sft').add([{ episode, origin: 'annotated', cycle: 0, turns: [0, 2] }]);
  const exported = (format: 'atif' | 'sft' | 'jsonl') =>
    exportEpisodes(lake, join(dir, format), { split: 'train' }, { format, pool: 'sft' });
  expect(await exported('sft')).toMatchObject({ episodes: 1, rows: 2, unsayable: 0 });
  expect(await readFile(join(dir, 'sft', 'README.md'), 'utf8')).toContain('CC-BY-4.0');
  await exported('jsonl');
  const lines = (await readFile(join(dir, 'jsonl', 'data', 'train.jsonl'), 'utf8')).trim().split('\n');
  const rows = lines.map((line) => JSON.parse(line) as { by: unknown; source: unknown; licence: unknown });
  expect(rows.map(({ by, source, licence }) => [by, source, licence])).toEqual([
    ['ann', 'ann', 'CC-BY-4.0'],
    [null, 'ann', 'CC-BY-4.0'],
    ['ann', 'ann', 'CC-BY-4.0'],
  ]);

  await exported('atif');
  const files = (await readdir(join(dir, 'atif'))).filter((name) => name.endsWith('.json'));
  const imported = await open(join(dir, 'imported'));
  await importFiles(
    imported,
    files.map((name) => join(dir, 'atif', name)),
    { format: 'atif' },
  );
  const [back] = await allOf(imported);
  expect(back).toEqual({ ...episode, purpose: 'imported' });
});
