import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const server = new McpServer({ name: 'double', version: '1' });
const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });

server.registerTool(
  'add',
  {
    title: 'Addition',
    description: 'Adds two numbers.',
    inputSchema: { a: z.number(), b: z.number(), unit: z.enum(['m', 'km']).optional() },
    outputSchema: { sum: z.number() },
  },
  ({ a, b }) => ({ ...text(`${a + b}`), structuredContent: { sum: a + b } }),
);
server.registerTool('picture', { description: 'A red pixel.' }, () => ({
  content: [
    { type: 'image', mimeType: 'image/png', data: Buffer.from('not really a picture').toString('base64') },
    { type: 'resource', resource: { uri: 'note:1', mimeType: 'text/plain', text: 'a note' } },
    { type: 'resource_link', uri: 'file:///home/agent/a.txt', name: 'a' },
  ],
}));
server.registerTool('repeat', { inputSchema: { word: z.string(), times: z.number() } }, ({ word, times }) => ({
  ...text(word.repeat(times)),
}));
server.registerTool('word', { inputSchema: { word: z.string().regex(/^[a-z]+$/) } }, ({ word }) => text(word));
server.registerTool('fail', {}, () => {
  throw new Error('the tool has failed');
});
server.registerTool('sleep', { inputSchema: { ms: z.number() } }, async ({ ms }) => {
  await pause(ms);
  return text('slept');
});
server.registerTool('die', {}, () => {
  process.stderr.write('something went wrong\n');
  process.exit(3);
});
server.registerTool('where', {}, () => text(`${process.cwd()} ${process.env.WHO}`));
server.registerTool('leave', { description: 'Leaves a process behind.' }, () => {
  spawn('sleep', ['1234'], { detached: true, stdio: 'ignore' }).unref();
  return text('left');
});
server.registerTool('grow', { description: 'Has one more tool from now on.' }, () => {
  server.registerTool('grown', {}, () => text('new'));
  return text('grown');
});

await server.connect(new StdioServerTransport());
