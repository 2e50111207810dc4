import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { Action, actionTypes } from '@gyre/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingForDesktop } from '../desktop/requirement.js';
import { isolation } from '../isolation/within.test.support.js';
import { Sandbox, type MachineLease } from '../lease/sandbox.js';
import type { SandboxSession } from '../lease/sandboxSession.js';
import { LineTransport } from './lineTransport.js';
import { serveMcp } from './serveMcp.js';
import { killWithin } from '../isolation/browser/killWithin.test.support.js';

const isolated = isolation.kind !== 'none';
const noDesktop = missingForDesktop().length > 0;

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.start(isolated ? {} : { isolation: 'none' });
});
afterAll(() => sandbox.close());

interface Offered {
  readonly session: SandboxSession;
  readonly client: Client;
  readonly served: Promise<void>;
  readonly input: PassThrough;
  call(name: string, args?: Record<string, unknown>): Promise<CallToolResult>;
}

async function offered(terms: MachineLease): Promise<Offered> {
  const session = await sandbox.lease(terms);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serveMcp({ session, input, output });
  served.catch(() => undefined);
  const transport = new LineTransport(() => input);
  output.on('data', (chunk: Buffer) => transport.push(chunk));
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    (await client.callTool({ name, arguments: args })) as CallToolResult;
  return { session, client, served, input, call };
}

const imageOf = ({ content: [part], isError }: CallToolResult): string => {
  expect(isError).toBeFalsy();
  if (part?.type !== 'image') throw new Error(`no image, but ${JSON.stringify(part)}`);
  expect(part.mimeType).toBe('image/png');
  return part.data;
};
const textOf = ({ content: [part] }: CallToolResult): string => (part?.type === 'text' ? part.text : 'no text');

it('returns notices as text before the picture', async () => {
  const { session, call } = await offered({ kind: 'browser', size: { width: 320, height: 240 } });
  const { content } = await call('navigate', { url: 'http://127.0.0.1:9/' });
  expect(content).toMatchObject([
    { type: 'text', text: expect.stringContaining('net::ERR_') as string },
    { type: 'image' },
  ]);
  expect((await call('wait', { seconds: 0.1 })).content).toMatchObject([{ type: 'image' }]);
  await session.release();
});

describe('a browser as an MCP server', () => {
  let offer: Offered;
  beforeAll(async () => {
    offer = await offered({ kind: 'browser', size: { width: 320, height: 240 } });
    await offer.session.browser?.open({
      html: '<body style="margin:0"><button id=b onclick="b.textContent = +b.textContent + 1" style="width:100%;height:100px">0</button><input autofocus>',
      seed: 1,
    });
  });
  afterAll(() => offer.session.release());

  it('has the canonical actions that a browser takes as tools, with their own schemas', async () => {
    const { tools } = await offer.client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['screenshot', 'click', 'navigate', 'run', 'read_file', 'write_file', 'list_files']),
    );
    expect(names).not.toContain('finished');
    expect(names).not.toContain('launch');
    expect(tools.find(({ name }) => name === 'click')?.inputSchema).toMatchObject({
      type: 'object',
      properties: { point: { properties: { x: { type: 'number', minimum: 0, maximum: 1 } }, required: ['x', 'y'] } },
      required: ['point'],
      additionalProperties: false,
    });
    expect(offer.client.getInstructions()).toContain('320 x 240 px');
  });

  it('answers an action with a screenshot', async () => {
    const { session, call } = offer;
    const before = imageOf(await call('screenshot'));
    expect(before).toBe(Buffer.from((await session.screen.observe()).png).toString('base64'));
    const after = imageOf(await call('click', { point: { x: 0.5, y: 0.2 } }));
    expect(await session.browser?.evaluate('b.textContent')).toBe('1');
    expect(after).not.toBe(before);
    expect(after).toBe(Buffer.from((await session.screen.observe()).png).toString('base64'));
    const both = await Promise.all([1, 2].map(() => call('click', { point: { x: 0.5, y: 0.2 } })));
    const [second, third] = both.map(imageOf);
    expect(new Set([before, after, second, third]).size).toBe(4);
  });

  it('has the shell and the files of the same machine', async () => {
    const { call } = offer;
    expect(textOf(await call('write_file', { path: 'a/b.txt', text: 'one\n' }))).toBe('a/b.txt has 4 bytes');
    await call('write_file', { path: 'a/b.txt', text: 'two', append: true });
    expect(textOf(await call('run', { command: 'cat; cat a/b.txt; echo no >&2; exit 3', stdin: 'in\n' }))).toBe(
      'in\none\ntwo\n[stderr]\nno\n[exit code 3]',
    );
    expect(textOf(await call('read_file', { path: 'a/b.txt', from: 2 }))).toBe('two');
    expect(textOf(await call('list_files', { path: '.', depth: 2 }))).toContain('a/\na/b.txt (7 bytes)');
    expect(textOf(await call('run', { command: 'sleep 1000', timeoutMs: 100 }))).toMatch(/^\[ended after \d+ ms\]$/);
    await call('run', { command: 'head -c 1000000 /dev/zero | tr "\\0" x > big' });
    expect(textOf(await call('read_file', { path: 'big' })).length).toBeLessThan(101_000);
  });

  it.each([
    ['click', { point: { x: 2, y: 0 } }, /Invalid arguments for tool click/],
    ['click', {}, /Invalid arguments for tool click/],
    ['click', { point: { x: 0, y: 0 }, twice: true }, /Invalid arguments for tool click/],
    ['press', { key: 'anykey' }, /^bad_input: /],
    ['navigate', { url: 'file:///etc/passwd' }, /^bad_input: .*\(url: /],
    ['read_file', { path: '../../etc/passwd' }, /^bad_input: /],
    ['run', { command: 'true', timeoutMs: -1 }, /Invalid arguments for tool run/],
    ['wait', { seconds: 1e9 }, /Invalid arguments for tool wait/],
    ['finished', {}, /Tool finished not found/],
  ])('refuses %s %o with an answer that says why', async (name, args, reason) => {
    const answer = await offer.call(name, args);
    expect(answer).toMatchObject({ isError: true });
    expect(textOf(answer)).toMatch(reason);
  });

  it('ends with its client', async () => {
    offer.input.end();
    await expect(offer.served).resolves.toBeUndefined();
    expect(offer.session.state).toBe('leased');
  });
});

// Others' browsers would be killed too.
it.skipIf(!isolated)('reports the end of the session to its client and its caller', async () => {
  const { session, served, call } = await offered({ kind: 'browser', size: { width: 160, height: 120 } });
  const running = call('run', { command: 'sleep 1000' });
  running.catch(() => undefined);
  await killWithin(session, 'user-data-dir');
  await expect(served).rejects.toMatchObject({ code: 'infra' });
  await session.release();
});

it('ends if the client does not speak MCP', async () => {
  const { session, served, input } = await offered({ kind: 'browser', size: { width: 160, height: 120 } });
  input.write('hello\n'.repeat(2_000));
  await expect(served).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining('lines that are not MCP'),
  });
  await session.release();
});

describe.skipIf(noDesktop)('a desktop as an MCP server', () => {
  it('has programs, and the actions that a desktop takes', async () => {
    const { session, client, call } = await offered({ kind: 'desktop', size: { width: 320, height: 240 } });
    const names = (await client.listTools()).tools.map(({ name }) => name);
    const empty = imageOf(await call('screenshot'));
    expect(imageOf(await call('launch', { program: 'xterm', args: ['-e', 'cat > typed.txt'] }))).not.toBe(empty);
    await call('click', { point: { x: 0.3, y: 0.3 } });
    await call('type', { text: 'hello\n' });
    await expect
      .poll(async () => textOf(await call('read_file', { path: 'typed.txt' })), { timeout: 10_000 })
      .toBe('hello\n');
    expect(await call('launch', { program: 'no-such-program' })).toMatchObject({ isError: true });

    // Refused by the machine, or only for agents in a loop.
    const missing = actionTypes.filter((type) => !names.includes(type));
    expect(missing.sort()).toEqual([
      'call_user',
      'finished',
      'navigate',
      'navigate_back',
      'open_app',
      'press_back',
      'press_home',
    ]);
    for (const type of missing.filter((type) => !['call_user', 'finished'].includes(type))) {
      const action = Action.parse({
        type,
        ...(type === 'navigate' && { url: 'http://a.b' }),
        ...(type === 'open_app' && { name: 'x' }),
      });
      await expect(session.screen.act(action)).rejects.toMatchObject({ code: 'bad_input' });
    }
    await session.release();
  });
});
