import { createInterface } from 'node:readline';

const tools = [
  { name: 'echo', description: 'Says what it is told.', inputSchema: { type: 'object', required: ['word'] } },
  { name: 'picture', inputSchema: { type: 'object' } },
  { name: 'numbers', inputSchema: { type: 'object' } },
  { name: 'fail', inputSchema: { type: 'object' } },
  { name: 'die', inputSchema: { type: 'object' } },
];

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params: { readonly protocolVersion?: string; readonly name?: string; readonly arguments?: object };
}

const text = (said: string) => ({ content: [{ type: 'text', text: said }] });

function call(name: string | undefined, input: object): object {
  switch (name) {
    case 'picture':
      return { content: [{ type: 'image', mimeType: 'image/png', data: Buffer.from('12345').toString('base64') }] };
    case 'numbers':
      return { content: [], structuredContent: { sum: 3 } };
    case 'fail':
      return { ...text('it went wrong'), isError: true };
    case 'die':
      return process.exit(3);
    default:
      return text(JSON.stringify(input));
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line) as Request;
  const serverInfo = { name: 'double', version: '1' };
  const results: Readonly<Record<string, () => object>> = {
    initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo }),
    'tools/list': () => ({ tools }),
    'tools/call': () => call(params.name, params.arguments ?? {}),
  };
  const result = results[method]?.();
  if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
});
