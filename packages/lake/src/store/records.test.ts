import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aFolder } from './folder.test.fixture.js';
import { Lake } from '../index.js';

const first = {
  updated_at: '2026-11-27T20:00:00.000Z',
  environment_steps: 512,
  entropy: 0.5,
  success: { vault: 0.25 },
};
const second = {
  ...first,
  updated_at: '2026-11-27T20:01:00.000Z',
  environment_steps: 1024,
  success: { vault: 0.5, tabs: 1 },
};

async function open(dir: string, damaged: string[] = []): Promise<Lake> {
  const lake = await Lake.open(dir, { onDamage: ({ file }) => damaged.push(file) });
  onTestFinished(() => lake.close());
  return lake;
}

const ask = async (lake: Lake) =>
  (await lake.sql('SELECT updated_at, environment_steps, entropy, success.vault FROM updates ORDER BY updated_at'))
    .rows;

const [firstRow, secondRow] = [
  ['2026-11-27T20:00:00.000Z', 512, 0.5, 0.25],
  ['2026-11-27T20:01:00.000Z', 1024, 0.5, 0.5],
];

describe('records of updates', () => {
  it('are rows of SQL, of all who learn, as soon as they are kept', async () => {
    const dir = await aFolder();
    const [lake, secondLake] = [await open(dir), await open(dir)];
    expect((await lake.sql('SELECT updated_at, environment_steps FROM updates')).rows).toEqual([]);
    await lake.putUpdate(first);
    expect(await ask(lake)).toEqual([firstRow]);
    await secondLake.putUpdate(second);
    expect(await ask(lake)).toEqual([firstRow, secondRow]);
    expect((await lake.sql('SELECT success.tabs FROM updates ORDER BY updated_at')).rows).toEqual([[null], [1]]);
  });

  it('are skipped, said and set aside where they are damaged', async () => {
    const dir = await aFolder();
    const damaged: string[] = [];
    const lake = await open(dir, damaged);
    await lake.putUpdate(first);
    await lake.putUpdate(second);
    const [name = '', whole = ''] = (await readdir(join(dir, 'updates'))).sort();
    const path = join(dir, 'updates', name);
    const bytes = await readFile(path);
    await writeFile(path, bytes.subarray(0, bytes.length - 4));
    const file = join('updates', name);
    const reader = await open(dir, damaged);
    expect(await ask(reader)).toEqual([secondRow]);
    expect(await ask(reader)).toEqual([secondRow]);
    expect(damaged).toEqual([file]);
    expect((await reader.check()).damaged.map((damage) => damage.file)).toEqual([file]);
    const { damaged: damages, setAside } = await reader.check({ repair: true });
    expect(damages.map((damage) => damage.file)).toEqual([file]);
    expect(setAside).toHaveLength(1);
    expect(await readdir(join(dir, 'updates'))).toEqual([whole]);
    expect(await ask(reader)).toEqual([secondRow]);
  });

  it('are not kept by a lake that is closed', async () => {
    const lake = await Lake.open(await aFolder());
    await lake.close();
    await expect(lake.putUpdate(first)).rejects.toThrow('the lake is closed');
  });
});
