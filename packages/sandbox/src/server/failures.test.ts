import { tmpdir } from 'node:os';
import { GyreError } from '@gyre/protocol';
import { expect, it } from 'vitest';
import { errorReply, withoutHostPaths } from './failures.js';

const here = import.meta.dirname;

it.each([
  [`spawn ${process.execPath} ENOENT`, 'spawn … ENOENT'],
  [`ENOENT: no such file, open '${here}/x.json'`, "ENOENT: no such file, open '…'"],
  [`file://${here}/server.js:12:3 failed`, '…:12:3 failed'],
  [`in ${tmpdir()}/gyre-abc, gone`, 'in …, gone'],
  [`gone\n    at open (${here}/server.js:1:2)\n    at x`, 'gone'],
  ['http://127.0.0.1:8700/tmp/x does not answer', 'http://127.0.0.1:8700/tmp/x does not answer'],
  ['see /openapi.json, and 1/tmp', 'see /openapi.json, and 1/tmp'],
])('tells a client %j as %j', (message, told) => {
  expect(withoutHostPaths(message)).toBe(told);
});

it('quotes values of a client with invisible characters escaped', () => {
  const { body } = errorReply(new GyreError('bad_input', `there is no /home/user/\u202e\x1b[2J`, { field: 'path' }));
  expect(body.error.message).toBe('there is no /home/user/\\u202e\\x1b[2J');
  const fault = errorReply(new Error(`secret of ${here}`));
  expect(JSON.stringify(fault)).not.toContain('secret');
});
