import { createInterface } from 'node:readline';

/** An MCP server with the fault that its first argument names. The second is a number of log lines per call. */
const [fault = '', logLines = '0'] = process.argv.slice(2);

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: { readonly protocolVersion: string };
}

const write = (line: string) => process.stdout.write(`${line}\n`);
const reply = (id: number, result: object) => write(JSON.stringify({ jsonrpc: '2.0', id, result }));
const nested = '['.repeat(1e5) + ']'.repeat(1e5);

/** Answers to a call of the tool, by fault. */
const faults: Readonly<Record<string, (id: number) => void>> = {
  textAsContent: (id) => reply(id, { content: 'text' }),
  unknownId: () => reply(999, { content: [] }),
  nestedUnknownId: () => write(`{"jsonrpc":"2.0","id":999,"result":{"a":${nested}}}`),
  nestedAnswer: (id) =>
    write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"a":${nested}}}}`),
  protocolError: (id) =>
    write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32603, message: 'out of order' } })),
  logging(id) {
    for (let i = 0; i < Number(logLines); i++) write('[info] request');
    reply(id, { content: [] });
  },
};

if (fault === 'byteOrderMark') process.stdout.write('\ufeff');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line) as Request;
  if (method === 'initialize')
    reply(id, {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'r', version: '1' },
    });
  if (method === 'tools/list')
    reply(id, {
      ...(fault === 'endlessTools' && { nextCursor: 'more' }),
      tools: [{ name: 'x', inputSchema: { type: 'object' } }],
    });
  if (method === 'tools/call') (faults[fault] ?? ((call: number) => reply(call, { content: [] })))(id);
});
