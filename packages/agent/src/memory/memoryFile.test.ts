import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Memory, MemoryFile } from './memoryFile.js';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gyre-memory-'));
  path = join(folder, 'memory.jsonl');
});
afterEach(() => rm(folder, { recursive: true }));

const memory = (number: number): Memory => ({
  at: '2026-11-22T08:00:00.000Z',
  episode: `e${number}`,
  instruction: 'press\n"ok"',
  end: 'finished',
  summary: `it was the ${number}. button`,
});

test('gives the newest memories, from run to run, and only adds to the file', async () => {
  const first = await MemoryFile.open(path);
  expect(first.latest(5)).toEqual([]);
  for (const number of [1, 2, 3]) await first.add(memory(number));
  const before = await readFile(path, 'utf8');
  const second = await MemoryFile.open(path);
  expect(second.latest(2)).toEqual([memory(2), memory(3)]);
  await second.add(memory(4));
  expect(second.latest(2)).toEqual([memory(3), memory(4)]);
  expect((await readFile(path, 'utf8')).startsWith(before)).toBe(true);
});

test.each([
  ['{"at"', 'is not valid JSON'],
  ['{"at":"2026-11-22T08:00:00.000Z"}', 'is not a valid memory: episode'],
  [JSON.stringify({ ...memory(1), end: 'cut' }), 'is not a valid memory: end'],
])('refuses a file with the line %s, and names it', async (line, message) => {
  await writeFile(path, `${JSON.stringify(memory(1))}\n\n`);
  await appendFile(path, line);
  const opened = MemoryFile.open(path);
  await expect(opened).rejects.toThrow(message);
  await expect(opened).rejects.toMatchObject({ code: 'corrupt', detail: { field: `${path}:3` } });
});

test('refuses a file that cannot be there', async () => {
  await expect(MemoryFile.open(join(folder, 'no', 'where.jsonl'))).rejects.toMatchObject({ code: 'storage' });
  await expect(MemoryFile.open(folder)).rejects.toMatchObject({ code: 'storage', detail: { field: folder } });
});
