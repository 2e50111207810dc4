import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inProcess, lastJson } from '../inProcess.test.fixture.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gyre-read-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('gyre read prints the lines of a screenshot', async () => {
  const file = join(folder, 'screenshot.png');
  const text = '<text x="20" y="50" font-family="sans-serif" font-size="24">Save changes</text>';
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="240">${text}</svg>`;
  await sharp(Buffer.from(picture)).flatten({ background: '#fff' }).png().toFile(file);
  const { status, stdout } = await inProcess('read', file);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^Save changes +\d+ \d+ \d+ \d+$/m);
  expect(lastJson((await inProcess('read', file, '--json')).stdout)).toMatchObject({
    reader: expect.stringMatching(/^own-/),
    lines: [{ text: 'Save changes', box: { width: expect.any(Number) }, centres: expect.any(Array) }],
    size: { width: 320, height: 240 },
  });
});

test('gyre read names what is wrong with its file or its reader', async () => {
  const file = join(folder, 'notes.png');
  await writeFile(file, 'no picture');
  expect((await inProcess('read', file)).stderr).toMatch(/^error: .* is no picture \(screenshot: use a PNG/);
  expect((await inProcess('read', join(folder, 'absent.png'))).stderr).toMatch(/^error: .*screenshot/);
  await sharp({ create: { width: 9, height: 9, channels: 3, background: '#fff' } }).toFile(file);
  expect((await inProcess('read', file, '--reader', folder)).stderr).toMatch(/^error: .* \(folder: install @gutenye/);
  expect((await inProcess('read', file, '--reader', 'tesseract')).stderr).toMatch(/^error: .* \(reader: use own/);
});
