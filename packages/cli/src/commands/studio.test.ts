import { expect, test } from 'vitest';
import { inProcess, lastJson } from '../inProcess.test.fixture.js';

test('gyre studio refuses a folder that is not there, and hosts that others reach without a token', async () => {
  const missing = await inProcess('studio', 'none/of/these', '--json');
  expect(missing.status).toBe(1);
  expect(lastJson(missing.stdout)).toMatchObject({ error: { code: 'bad_input', field: 'runs' } });
  const exposed = await inProcess('studio', '.', '--host', '0.0.0.0');
  expect([exposed.status, exposed.stderr]).toEqual([2, expect.stringContaining('no token is required')]);
});
