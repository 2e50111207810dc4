import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEnclosure } from '../isolation/createEnclosure.js';
import type { Enclosure } from '../isolation/enclosure.js';
import { baseDirectory, isolation } from '../isolation/within.test.support.js';
import { Sandbox } from '../lease/sandbox.js';
import { Shell } from '../shell/shell.js';
import type { ToolServer } from './tool.js';
import { Tools } from './tools.js';

const beside = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const double = beside('double/toolServerDouble.js');
const rogue = beside('double/rogueServerDouble.js');
const isolated = isolation.kind !== 'none';
const readable = [
  ...['../../../../node_modules', '../../dist', '../../package.json'].map(beside),
  ...(process.execPath.startsWith('/usr/') ? [] : [dirname(process.execPath)]),
];
const node = process.execPath;

let enclosure: Enclosure;
let shell: Shell;
let tools: Tools;
beforeAll(async () => {
  enclosure = await createEnclosure(isolated ? { directory: baseDirectory(), readable } : { isolation: 'none' });
  shell = new Shell(enclosure);
  tools = new Tools(enclosure);
});
afterAll(async () => {
  await tools.close();
  await shell.close();
  await enclosure.close();
});

describe('a server that was written with the official SDK', () => {
  let server: ToolServer;
  beforeAll(async () => {
    server = await tools.start({
      name: 'double',
      command: node,
      args: [double],
      env: { WHO: 'me' },
      cwd: enclosure.home,
    });
  });
  afterAll(() => server.close());

  it('lists its tools with their schemas', async () => {
    const listed = await server.list();
    expect(listed.find(({ name }) => name === 'add')).toMatchObject({
      title: 'Addition',
      description: 'Adds two numbers.',
      inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a', 'b'] },
      outputSchema: { properties: { sum: { type: 'number' } } },
    });
    expect(tools.servers.map(({ name }) => name)).toContain('double');
    expect((await tools.server('double').list()).length).toBe(listed.length);
  });

  it('answers with text, JSON, pictures and resources', async () => {
    expect(await server.call('add', { a: 1, b: 2 })).toEqual({
      content: [{ type: 'text', text: '3' }],
      structured: { sum: 3 },
      failed: false,
      leftOut: 0,
    });
    const { content } = await server.call('picture');
    expect(content).toMatchObject([
      { type: 'image', mimeType: 'image/png' },
      { type: 'resource', uri: 'note:1', mimeType: 'text/plain', text: 'a note' },
      { type: 'resource', uri: 'file:///home/agent/a.txt' },
    ]);
    expect(Buffer.from((content[0] as { bytes: Uint8Array }).bytes).toString()).toBe('not really a picture');
  });

  it('runs in the session, with the environment that it was given', async () => {
    expect((await server.call('where')).content).toEqual([{ type: 'text', text: `${enclosure.home} me` }]);
  });

  it('has its output cut in the middle', async () => {
    const { content, leftOut } = await server.call('repeat', { word: 'ab', times: 5_000 }, { maxOutput: 100 });
    expect(content).toEqual([
      { type: 'text', text: `${'ab'.repeat(25)}\n[… 9900 bytes left out …]\n${'ab'.repeat(25)}` },
    ]);
    expect(leftOut).toBe(9_900);
    expect((await server.call('add', { a: 1e300, b: 1 }, { maxOutput: 5 })).structured).toBeUndefined();
  });

  it('reports a failed tool and refused arguments', async () => {
    expect(await server.call('fail')).toMatchObject({ failed: true, content: [{ text: 'the tool has failed' }] });
    expect(await server.call('word', { word: 'Ä' })).toMatchObject({ failed: true });
  });

  it('keeps its own time, and goes on after a call that took too long', async () => {
    await expect(server.call('sleep', { ms: 60_000 }, { timeoutMs: 100 })).rejects.toMatchObject({
      code: 'infra',
      message: expect.stringContaining('did not answer tools/call within 100 ms'),
      detail: { field: 'server' },
    });
    const both = [server.call('sleep', { ms: 50 }), server.call('add', { a: 1, b: 1 })];
    expect(await Promise.all(both)).toMatchObject([{ failed: false }, { structured: { sum: 2 } }]);
  });

  it('can change its tools', async () => {
    await server.call('grow');
    expect(await server.call('grown')).toMatchObject({ content: [{ text: 'new' }] });
  });

  it.each([
    ['subtract', {}, 'tool', /double has no tool "subtract"/],
    ['add', { a: 1 }, 'args.b', /b is missing/],
    ['add', { a: 1, b: '2' }, 'args.b', /b is "2"/],
    ['add', { a: 1, b: NaN }, 'args.b', /b is null/],
    ['add', { a: 1, b: 2, unit: 'mile' }, 'args.unit', /unit is "mile"/],
    ['add', [1, 2], 'args', /not a JSON object/],
    ['add', { a: 1n, b: 2 }, 'args', /not a JSON object/],
  ])('refuses to call %s with %o', async (tool, args, field, message) => {
    await expect(server.call(tool, args as never)).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringMatching(message),
      detail: { field },
    });
  });

  it.each([{ timeoutMs: 0 }, { timeoutMs: NaN }, { maxOutput: -1 }, { timeoutMs: 2 ** 40 }])(
    'refuses the options %o',
    async (options) => {
      await expect(server.call('add', { a: 1, b: 2 }, options)).rejects.toMatchObject({
        code: 'bad_input',
        detail: { field: Object.keys(options)[0] },
      });
    },
  );
});

it('a server that dies says so with its last words, and may be started again', async () => {
  const terms = { name: 'mortal', command: node, args: [double] };
  const server = await tools.start(terms);
  await expect(tools.start(terms)).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'name' } });
  const sleeping = server.call('sleep', { ms: 60_000 });
  await expect(server.call('die')).rejects.toMatchObject({
    code: 'infra',
    message: expect.stringMatching(/mortal has ended \(exit code 3\).*something went wrong/),
    detail: { field: 'server' },
  });
  await expect(sleeping).rejects.toMatchObject({ code: 'infra' });
  await expect(server.list()).rejects.toMatchObject({ code: 'infra' });
  const again = await tools.start(terms);
  expect(await again.call('add', { a: 2, b: 2 })).toMatchObject({ structured: { sum: 4 } });
  await again.call('leave');
  expect((await shell.run('pgrep -f "^sleep 1234"')).exitCode).toBe(0);
  await again.close();
  await expect(again.call('add', { a: 2, b: 2 })).rejects.toMatchObject({ code: 'infra' });
  expect((await shell.run('pgrep -f "^sleep 1234"')).exitCode).toBe(1);
  await expect(tools.server('mortal').list()).rejects.toMatchObject({ code: 'infra' });
  expect(() => tools.server('unknown')).toThrow('there is no tool server "unknown"');
});

describe('a misbehaving server is reported, and nothing else is harmed:', () => {
  let started = 0;
  const start = (command: string, args: string[], timeoutMs?: number) =>
    tools.start({ name: `rogue-${++started}`, command, args, timeoutMs });

  it.each([
    [
      'a program that is not there',
      'no-such-program',
      [],
      isolated ? /has ended \(exit code 127\).*not found/s : /cannot start/,
    ],
    ['a program that ends', 'sh', ['-c', 'echo wrong >&2; exit 7'], /has ended \(exit code 7\).*wrong/s],
    ['one that says nothing', 'sleep', ['1000'], /did not answer initialize within 300 ms/],
    ['one that does not speak MCP', 'sh', ['-c', 'echo hello; sleep 1000'], /within 2000 ms; it wrote "hello"/],
    [
      'one that does not stop to speak',
      'yes',
      ['hello'],
      /rate limit of 1000 lines that are not MCP at once and 100 per second, and was stopped/,
    ],
    ['one with a line without end', 'sh', ['-c', 'cat /dev/zero'], /sent a message of more than 16777216 bytes/],
    [
      'one that refuses',
      node,
      [
        '-e',
        `console.log('{"jsonrpc":"2.0","id":0,"error":{"code":-32000,"message":"not today"}}'); setTimeout(() => {}, 1e6)`,
      ],
      /answered initialize with an error: .*not today/,
    ],
    [
      'one that answers something else',
      node,
      ['-e', `console.log('{"jsonrpc":"2.0","id":0,"result":{"tools":1}}'); setTimeout(() => {}, 1e6)`],
      /sent an invalid MCP answer to initialize/,
    ],
  ])('%s', async (_, command, args, message) => {
    const limit = /within (\d+) ms/.exec(message.source)?.[1] ?? '20000';
    await expect(start(command, args, Number(limit))).rejects.toMatchObject({
      code: expect.stringMatching(/infra|missing/),
      message: expect.stringMatching(message),
    });
    expect(tools.servers).toEqual([]);
  });

  it.each([
    ['an invalid answer', 'textAsContent', /sent an invalid MCP answer to tools\/call/],
    ['an answer to another question', 'unknownId', /did not answer tools\/call within 300 ms/],
    ['something nested too deeply to be told of', 'nestedUnknownId', /did not answer tools\/call within 300 ms/],
    ['the same as an answer', 'nestedAnswer', /sent an invalid MCP answer to tools\/call/],
  ])('%s', async (_, fault, message) => {
    const server = await start(node, [rogue, fault]);
    await expect(
      server.call('x', {}, { timeoutMs: String(message).includes('300 ms') ? 300 : 20_000 }),
    ).rejects.toMatchObject({
      code: 'infra',
      message: expect.stringMatching(message),
    });
    expect((await server.list()).map(({ name }) => name)).toEqual(['x']);
    await server.close();
  });

  it.each([
    ['a log line for each call', 1, 1_500],
    ['many log lines for each call', 400, 10],
  ])('not one that writes %s', async (_, lines, calls) => {
    const server = await start(node, [rogue, 'logging', String(lines)]);
    for (let i = 0; i < calls; i++) await server.call('x');
    expect((await server.list()).map(({ name }) => name)).toEqual(['x']);
    await server.close();
  });

  it('not one that begins with a byte order mark', async () => {
    const server = await start(node, [rogue, 'byteOrderMark']);
    expect(await server.call('x')).toMatchObject({ failed: false });
    await server.close();
  });

  it('tools without end', async () => {
    const server = await start(node, [rogue, 'endlessTools']);
    await expect(server.list()).rejects.toMatchObject({
      code: 'infra',
      message: expect.stringContaining('never stops listing'),
    });
    await server.close();
  });

  it('an error of the protocol is a tool that has failed', async () => {
    const server = await start(node, [rogue, 'protocolError']);
    expect(await server.call('x')).toMatchObject({
      failed: true,
      content: [{ text: expect.stringContaining('out of order') }],
    });
    await server.close();
  });

  it.each([
    [{ name: '', command: 'true' }, 'name'],
    [{ name: '../x', command: 'true' }, 'name'],
    [{ name: 'x', command: '' }, 'command'],
    [{ name: 'x', command: 'true\0' }, 'command'],
    [{ name: 'x', command: 'true', env: { 'A=B': '1' } }, 'env'],
    [{ name: 'x', command: 'true', timeoutMs: -1 }, 'timeoutMs'],
  ])('terms such as %o are refused', async (terms, field) => {
    await expect(tools.start(terms)).rejects.toMatchObject({ detail: { field } });
  });
});

it('ends with its tools, also those that are being started', async () => {
  const others = new Tools(enclosure, { maxServers: 2 });
  const first = await others.start({ name: 'first', command: node, args: [double] });
  const starting = others.start({ name: 'second', command: 'sleep', args: ['1235'] });
  starting.catch(() => undefined);
  await expect(others.start({ name: 'third', command: 'sleep' })).rejects.toMatchObject({
    code: 'bad_input',
    detail: { field: 'maxServers' },
  });
  await others.close();
  await expect(starting).rejects.toMatchObject({ code: 'infra' });
  await expect(first.list()).rejects.toMatchObject({ code: 'infra' });
  await expect(others.start({ name: 'third', command: 'sleep' })).rejects.toMatchObject({ code: 'infra' });
  expect((await shell.run('pgrep -f "^sleep 1235"')).exitCode).toBe(1);
});

it('is a surface of a lease: calls renew it, and its end stops the servers', async () => {
  const sandbox = await Sandbox.start(isolated ? {} : { isolation: 'none' });
  const terms = { kind: 'browser', size: { width: 160, height: 120 }, ttlMs: 3_000 } as const;
  const session = await sandbox.lease({ ...terms, readable: isolated ? readable : undefined });
  const server = await session.tools.start({ name: 'double', command: node, args: [double] });
  await server.call('sleep', { ms: 1_700 });
  await server.call('sleep', { ms: 1_700 });
  expect(session.state).toBe('leased');
  await session.release();
  const after = { code: 'infra', message: 'the session was released' };
  await expect(server.list()).rejects.toMatchObject(after);
  await expect(session.tools.start({ name: 'x', command: 'true' })).rejects.toMatchObject(after);
  expect(session.tools.servers).toEqual([]);
  await sandbox.close();
});
