import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { OfficialCode } from './officialCode.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gyre-official-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function codeOf(requirements: string): Promise<OfficialCode> {
  const file = join(directory, 'requirements.txt');
  await writeFile(file, requirements);
  return new OfficialCode({
    name: 'double',
    requirements: pathToFileURL(file),
    program: pathToFileURL(file),
    directory,
  });
}

test('is missing until it is prepared, and again with new requirements', async () => {
  const [first, second] = [await codeOf('one==1\n'), await codeOf('one==2\n')];
  expect(first.folder).not.toBe(second.folder);
  expect(first.prepared).toBe(false);
  expect(() => first.python).toThrow(
    expect.objectContaining({
      code: 'missing',
      detail: { field: '--suite', fix: 'run gyre bench prepare double' },
    }),
  );
});

test('cannot be prepared without uv', async () => {
  vi.stubEnv('PATH', directory);
  try {
    await expect((await codeOf('one==1\n')).prepare()).rejects.toMatchObject({
      code: 'missing',
      detail: { fix: 'pip install uv' },
    });
  } finally {
    vi.unstubAllEnvs();
  }
});
