import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inProcess, lastJson } from '../inProcess.test.fixture.js';

let directory: string;
let server: Server;
let url: string;
let visits = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gyre-run-'));
  server = createServer((_, response) => {
    visits++;
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><body style="margin:0;background:#2f62d9">a page</body>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(directory, { recursive: true });
});

describe('an instruction of one’s own', () => {
  test('is carried out on the page that is named, and has no verdict', async () => {
    const before = visits;
    const { status, stdout, stderr } = await inProcess(
      ...['run', 'press something', '--url', url, '--isolation', 'none', '--size', '64x64', '--turns', '2'],
      ...['--policy', 'random', '--pictures', '8', '--directory', directory, '--json'],
    );
    expect(status).toBe(0);
    expect(visits).toBeGreaterThan(before);
    const result = lastJson(stdout) as Record<string, unknown>;
    expect(result).toMatchObject({ policy: 'random', end: { state: 'out_of_budget' } });
    expect(result).not.toHaveProperty('verdict');
    expect(result.turns).toHaveLength(2);
    expect(stderr).toContain('press something');
    // Eight columns of blue, two pixels each.
    expect(stderr).toMatch(/(\x1b\[38;2;4\d;9\d;21\dm\x1b\[48;2;4\d;9\d;21\dm▀){4}/); // eslint-disable-line no-control-regex
  });

  test.each([
    [['press it'], '--url', '"press it" is not a task id, and --url is missing'],
    [['click/tst/7'], 'task', '"click/tst/7" is not a task id'],
    [['press it', '--url', 'nowhere'], '--url', 'is not the URL of a page'],
    [['press it', '--url', 'data:text/html,x'], '--url', 'is not the URL of a page'],
    [['press it', '--url', 'http://127.0.0.1:1/', '--isolation', 'none', '--policy', 'random'], '--url', 'cannot open'],
    [
      ['press it', '--url', 'http://127.0.0.1:1/', '--model', 'http://127.0.0.1:1/v1'],
      '--model',
      'no model server answers',
    ],
    [['click/test/7', '--model', 'anthropic:'], '--model', '--model has no name after the colon'],
    [['click/test/7', '--model', 'anthropic:claude-opus-5-5'], 'ANTHROPIC_API_KEY', 'needs an API key'],
    [['click/test/7', '--policy', 'oracle', '--model', 'http://127.0.0.1:1/v1'], '--policy', 'cannot be combined'],
    [['click/test/7', '--policy', 'random', '--remember', '8000'], '--remember', 'needs a model behind a server'],
    [['click/test/7', '--memory', 'memory.jsonl'], '--memory', 'needs a model behind a server'],
    [
      ['click/test/7', '--model', 'http://127.0.0.1:1/v1', '--model-name', 'x', '--memory', '/nowhere/memory.jsonl'],
      '/nowhere/memory.jsonl',
      'cannot open /nowhere/memory.jsonl',
    ],
    [['click/test/7', '--minutes', '0'], '--minutes', 'must be a number above 0'],
  ])('refuses %j', async (args, field, message) => {
    const { status, stdout } = await inProcess('run', ...args, '--directory', directory, '--json');
    expect(status).not.toBe(0);
    const { error } = lastJson(stdout) as { error: { field: string; message: string } };
    expect(error.message).toContain(message);
    expect(error.field).toBe(field);
  });
});
