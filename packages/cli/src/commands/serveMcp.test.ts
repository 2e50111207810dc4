import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { probeIsolation } from '@gyre/sandbox';
import { expect, test } from 'vitest';
import { bin, inProcess } from '../inProcess.test.fixture.js';

const walled = (await probeIsolation()).kind !== 'none';
const args = [bin, 'serve', 'mcp', '--size', '320x240', ...(walled ? [] : ['--isolation', 'none'])];

test('the official client drives a browser, its shell and its files', async () => {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { content, isError } = (await client.callTool({ name, arguments: args })) as CallToolResult;
    return {
      isError,
      said: content[0]?.type === 'text' ? content[0].text : '',
      image: content[0]?.type === 'image' ? content[0].data : '',
    };
  };
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('navigate');
  const { image: empty } = await call('screenshot');
  expect(Buffer.from(empty, 'base64').subarray(1, 4).toString()).toBe('PNG');

  await call('write_file', { path: 'site/index.html', text: '<body onclick="document.body.textContent = 7">hello' });
  expect((await call('run', { command: 'cat site/index.html' })).said).toContain('hello\n[exit code 0]');
  // Without isolation a browser has no network.
  if (walled) {
    await call('run', { command: 'cd site && (python3 -m http.server 8123 --bind 127.0.0.1 >/dev/null 2>&1 &)' });
    const url = 'http://127.0.0.1:8123/';
    await expect
      .poll(async () => (await call('run', { command: `curl -s ${url}` })).said, { timeout: 20_000 })
      .toContain('hello');
    const { image: page } = await call('navigate', { url });
    expect(page).not.toBe(empty);
    expect((await call('click', { point: { x: 0.5, y: 0.04 } })).image).not.toBe(page);
  }
  expect(await call('click', { point: { x: 7, y: 0 } })).toMatchObject({ isError: true });
  await client.close();
});

test('standard output has nothing but MCP, and the end of the input is the end', async () => {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ask = (id: number, method: string, params = {}) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } });
  child.stdin.write('this is no message\n');
  ask(2, 'ping');
  await expect.poll(() => output.split('\n').length, { timeout: 30_000 }).toBe(3);
  child.stdin.end();
  const [status] = (await once(child, 'exit')) as [number];
  expect(status).toBe(0);
  const answers = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number; result?: object });
  expect(answers).toMatchObject([
    { id: 1, result: { serverInfo: { name: 'gyre' } } },
    { id: 2, result: {} },
  ]);
});

test.each([
  [['--kind', 'phone'], '--kind must be one of browser, desktop'],
  [['--size', 'large'], '--size must be WIDTHxHEIGHT in px'],
  [['--allow', 'a,,b'], '--allow must be words, separated by commas'],
])('gyre serve mcp %s is refused', async (flags, message) => {
  const { status, stdout, stderr } = await inProcess('serve', 'mcp', ...flags);
  expect(stderr).toContain(message);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
});
