import { expect, test } from 'vitest';
import { soak } from './soak.js';

test('a short soak leaves nothing behind, and ends no session that was not hurt', { timeout: 120_000 }, async () => {
  const { leases, faults, left: leaks } = await soak(0.12, 4);
  expect(leases).toBeGreaterThan(0);
  expect(faults).toEqual([]);
  expect(leaks).toMatchObject({ processes: 0, mounts: 0, files: 0 });
});
