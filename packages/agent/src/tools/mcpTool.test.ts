import { fileURLToPath } from 'node:url';
import type { SdkCall } from '@gyre/protocol';
import { createEnclosure, type Enclosure, type Session, Tools } from '@gyre/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callTool, offeredTools } from './mcpTool.js';

describe('a tool of a server of the session', () => {
  let enclosure: Enclosure;
  let tools: Tools;
  beforeAll(async () => {
    enclosure = await createEnclosure({ isolation: 'none' });
    tools = new Tools(enclosure);
    const double = fileURLToPath(new URL('./double/mcpServerDouble.test.fixture.js', import.meta.url));
    await tools.start({ name: 'double', command: process.execPath, args: [double] });
  });
  afterAll(async () => {
    await tools.close();
    await enclosure.close();
  });

  const call = (tool: string, given?: Extract<SdkCall, { type: 'mcp_tool' }>['arguments'], server = 'double') =>
    callTool({ type: 'mcp_tool', server, tool, ...(given && { arguments: given }) }, { tools });

  it('is offered with its schema', async () => {
    const session = { tools } as unknown as Session;
    expect((await offeredTools(session))[0]).toEqual({
      ...{ server: 'double', name: 'echo', description: 'Says what it is told.' },
      inputSchema: { type: 'object', required: ['word'] },
    });
    expect(await offeredTools({} as Session)).toEqual([]);
  });

  it('answers with text; names other content', async () => {
    expect(await call('echo', { word: { a: [1] } })).toBe('{"word":{"a":[1]}}');
    expect(await call('picture')).toBe('[image of type image/png, 5 bytes]');
    expect(await call('numbers')).toBe('{"sum":3}');
    expect(await call('fail')).toBe('it went wrong\n(the tool reported a failure)');
    const long = await call('echo', { word: 'ä'.repeat(40_000) });
    expect(long.length).toBeLessThan(17_000);
    expect(long).toMatch(/^\{"word":"ä+.*left out.*ä+"\}$/s);
  });

  it.each([
    ['another server', () => call('echo', {}, 'single'), /no tool server "single"/],
    ['another tool', () => call('shout'), /no tool "shout"/],
    ['arguments that are missing', () => call('echo'), /word is missing/],
  ])('is not %s', async (_, attempt, message) => {
    await expect(attempt()).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringMatching(message) as string,
    });
  });

  it('that dies is named', async () => {
    await expect(call('die')).rejects.toMatchObject({ code: 'infra', detail: { field: 'server' } });
  });
});
