import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { Terminal } from './terminal.js';
import { Tables } from './tables.js';

test('what is printed is added to a file as Markdown, below what is there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gyre-tables-'));
  const path = join(folder, 'figures.md');
  const stdout = new PassThrough();
  try {
    for (const seconds of [1, 2]) {
      const tables = new Tables(new Terminal(false, stdout));
      tables.say('steps per second');
      tables.add(['screen', 'gyre'], [['320x240', '238']]);
      await tables.append(path, `gyre bench env --seconds ${seconds}`);
      await tables.append(undefined, 'nothing');
    }
    expect(String(stdout.read())).toContain('320x240    238');
    const sections = (await readFile(path, 'utf8')).split('## ').slice(1);
    expect(sections).toHaveLength(2);
    expect(sections[1]).toMatch(
      /^`gyre bench env --seconds 2`\n\n\d{4}-\d\d-\d\d, .+; load [\d.]+ at the start\.\n\nsteps per second\n\n\| screen \| gyre \|\n\| --- \| ---: \|\n\| 320x240 \| 238 \|\n\n$/,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});
