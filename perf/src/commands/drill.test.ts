import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const bin = fileURLToPath(new URL('../bin/gyre.mjs', import.meta.resolve('gyre')));

/** The full drill takes minutes: `gyre bench drill`. */
test('the drill of storage loses nothing that was acknowledged', async () => {
  const words = ['bench', 'drill', '--drill', 'writers,owners,disks', '--kills', '6', '--seed', '3', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, [bin, ...words]);
  const result = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, object>;
  expect(result).toMatchObject({ writers: { faults: 6, lost: [] }, owners: { faults: 6, lost: [] } });
  for (const drill of Object.values(result)) expect(drill).toMatchObject({ lost: [] });
});
