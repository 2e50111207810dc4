import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Sandbox } from '../lease/sandbox.js';
import { serveSandbox, type SandboxServer } from './server.js';
import { AccessTokens } from './tokens.js';

const token = AccessTokens.random();

let sandbox: Sandbox;
let server: SandboxServer;
beforeAll(async () => {
  sandbox = await Sandbox.start();
  server = await serveSandbox({ sandbox, tokens: [{ token, scope: 'admin' }], phones: ['a'] });
});
afterAll(async () => {
  await server.close();
  await sandbox.close();
});

const ask = (method: string, path: string, body?: object) =>
  fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });

describe('an invalid lease of a device', () => {
  it.each([
    ['a kind that there is not', { kind: 'mainframe' }, 'kind', 'phone'],
    ['no protocol', { kind: 'remote', url: 'http://127.0.0.1:1' }, 'protocol', ''],
    ['a protocol that there is not', { kind: 'remote', protocol: 'vnc', url: 'http://127.0.0.1:1' }, 'protocol', 'aio'],
    ['an address of no server', { kind: 'remote', protocol: 'aio', url: 'file:///etc/passwd' }, 'url', ''],
    ['no address', { kind: 'remote', protocol: 'aio' }, 'url', ''],
    ['no serial', { kind: 'phone' }, 'serial', ''],
    ['another adb server', { kind: 'phone', serial: 'a', host: '10.0.0.1' }, 'body', 'host'],
    ['a size', { kind: 'phone', serial: 'a', size: { width: 1, height: 1 } }, 'body', 'size'],
    ['a phone’s serial for a browser', { kind: 'browser', serial: 'a' }, 'body', 'serial'],
    ['an action that is never over', { kind: 'phone', serial: 'a', settle: true }, 'settle', ''],
  ])('%s is answered with one clear error', async (_, body, field, messagePart) => {
    const answer = await ask('POST', '/v1/sessions', body);
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { error: { code: string; field: string; message: string } };
    expect(error).toMatchObject({ code: 'bad_input', field });
    expect(error.message).toContain(messagePart);
  });

  it('is described by /openapi.json, each kind with what it takes', async () => {
    const { paths } = (await (await ask('GET', '/openapi.json')).json()) as { paths: Record<string, unknown> };
    const lease = JSON.stringify(paths['/v1/sessions']);
    for (const word of ['"phone"', '"remote"', '"serial"', '"osworld"', '"wine"']) expect(lease).toContain(word);
    expect(Object.keys(paths)).toContain('/v1/sessions/{id}/phone/tree');
  });
});
