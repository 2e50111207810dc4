import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inProcess } from '../inProcess.test.fixture.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gyre-place-'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  symlinkSync('there', join(folder, 'here'));
  symlinkSync('here', join(folder, 'there'));
  symlinkSync('nowhere', join(folder, 'dangling'));
  writeFileSync(join(folder, 'file'), '');
});
afterAll(() => rmSync(folder, { recursive: true }));

const placed = (place: string): string => (place.startsWith('/') ? place : join(folder, place));

const neverWritten = ['/proc/x', '/proc/self/x', '/dev/null', 'pipe', 'here', 'here/x', 'dangling', 'file/x'];

describe.each([
  ['run', 'click/test/1', '--directory'],
  ['eval', '--directory'],
  ['rollout', '--directory'],
  ['flywheel', '--directory'],
  ['train', 'sft', '--directory'],
  ['train', 'ct', '--directory'],
  ['serve', 'gateway', '--directory'],
  ['eval', '--discard', '--markdown'],
  ['eval', '--discard', '--policy', 'random', '--record'],
  ['tasks', 'show', 'click/test/1', '--picture'],
  ['tasks', 'sheet', '--out'],
  ['tasks', 'synth', '--out'],
  ['export', '--output'],
  ['lake', 'export', '--output'],
])('gyre %s %s %s', (...words) => {
  const flag = words.at(-1)!;
  const isFolder = flag === '--directory' || words.includes('export');
  test('refuses to write where nothing can be written, and names the flag', async () => {
    for (const place of [...neverWritten, isFolder ? 'file' : '.']) {
      const { status, stdout, stderr } = await inProcess(...words, placed(place));
      expect(stderr, place).toMatch(new RegExp(`^error: .*\\(${flag}: .+\\)\\n$`));
      expect([status, stdout], place).toEqual([1, '']);
    }
  });
});

test.each([
  ['run', 'click/test/1', '--checkpoint'],
  ['eval', '--tasks'],
  ['eval', '--baselines'],
  ['flywheel', '--settings'],
  ['flywheel', '--from'],
  ['train', 'ct', '--recipe'],
  ['serve', 'sandbox', '--tokens'],
  ['tasks', 'synth', '--recorded'],
])('gyre %s %s %s refuses what is no file that can be read, and names the flag', async (...words) => {
  const flag = words.at(-1)!;
  for (const place of ['/proc/x', '/dev/zero', 'pipe', 'here', 'dangling', 'file/x', '.', 'not-there']) {
    const { status, stderr } = await inProcess(...words, placed(place));
    expect(stderr, place).toMatch(new RegExp(`^error: .*\\(${flag}: .+\\)\\n$`));
    expect(status, place).toBe(1);
  }
});

test.each([
  ['merge', 'checkpoints'],
  ['lake import', 'files'],
])('gyre %s refuses a pipe, and names the argument', async (name, argument) => {
  const { status, stderr } = await inProcess(...name.split(' '), placed('pipe'));
  expect(stderr).toContain(`is not a regular file (${argument}: `);
  expect(status).toBe(1);
});

test.skipIf(process.getuid?.() !== 0 || process.platform !== 'linux')(
  'a full disk and one that can only be read are told apart',
  async () => {
    for (const [options, reason] of [
      ['size=32k', 'the disk is full'],
      ['ro', 'the disk is read-only'],
    ] as const) {
      const disk = mkdtempSync(join(folder, 'disk-'));
      execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'gyre-test', disk]);
      try {
        for (const place of [disk, join(disk, 'new', 'one')]) {
          const { status, stderr } = await inProcess('eval', '--directory', place);
          expect(stderr).toContain(`cannot write ${place}: ${reason} (--directory: `);
          expect(status).toBe(1);
        }
      } finally {
        execFileSync('umount', [disk]);
      }
    }
  },
);

test('a check leaves no files', async () => {
  const before = readdirSync(folder);
  await inProcess('lake', 'export', '--directory', folder, '--output', join(folder, 'new'));
  expect(readdirSync(folder)).toEqual(before);
});
