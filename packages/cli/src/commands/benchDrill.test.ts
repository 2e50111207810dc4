import { expect, test } from 'vitest';
import { inProcess } from '../inProcess.test.fixture.js';

/** Minutes of it: `gyre bench drill`. */
test('the drill of storage loses nothing that was acknowledged', async () => {
  const { status, stdout } = await inProcess(
    ...['bench', 'drill', '--drill', 'writers,owners,disks', '--kills', '6', '--seed', '3', '--json'],
  );
  const result = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, object>;
  expect(result).toMatchObject({ writers: { faults: 6, lost: [] }, owners: { faults: 6, lost: [] } });
  for (const drill of Object.values(result)) expect(drill).toMatchObject({ lost: [] });
  expect(status).toBe(0);
});
