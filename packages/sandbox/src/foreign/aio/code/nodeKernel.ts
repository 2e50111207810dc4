import readline from 'node:readline';
import repl from 'node:repl';
import { PassThrough } from 'node:stream';
import { inspect } from 'node:util';

/* Program: an MCP server whose tool `run` runs cells in a Node.js REPL and returns notebook outputs. */

interface Output {
  readonly output_type: string;
  readonly name?: string;
  text?: string;
  readonly [field: string]: unknown;
}

interface Cell {
  readonly code: string;
  readonly seconds: number;
  readonly cwd?: string;
}

const maxCharacters = 1_000_000;
const wire = process.stdout.write.bind(process.stdout);
const server = repl.start({ prompt: '', input: new PassThrough(), output: new PassThrough(), useGlobal: true });
server.on('exit', () => process.exit());
let outputs: Output[] = [];
let count = 0;
let fail = (_error: unknown): void => undefined;

// Uncaught errors of a cell go to the REPL's domain, which would print them.
const { _domain: domain } = server as unknown as { readonly _domain: NodeJS.EventEmitter };
domain.removeAllListeners('error');
domain.on('error', (error: unknown) => fail(error));

for (const name of ['stdout', 'stderr'] as const) {
  process[name].write = (chunk: unknown, encoding?: unknown, done?: () => void): boolean => {
    const last = outputs.at(-1);
    const text = String(chunk);
    if (last?.name === name) last.text = (String(last.text) + text).slice(0, maxCharacters);
    else outputs.push({ output_type: 'stream', name, text: text.slice(0, maxCharacters) });
    const written = typeof encoding === 'function' ? (encoding as () => void) : done;
    written?.();
    return true;
  };
}

function failed(error: unknown): Output {
  const { name, message, stack } = (error ?? {}) as Partial<Error>;
  const isError = error instanceof Error || typeof stack === 'string';
  const [ename, evalue] = isError ? [name, message] : ['Error', inspect(error)];
  return { output_type: 'error', ename, evalue, traceback: isError ? String(stack).split('\n') : [evalue] };
}

process.on('uncaughtException', (error) => outputs.push(failed(error)));
process.on('unhandledRejection', (error) => outputs.push(failed(error)));

async function run({ code, cwd, seconds }: Cell): Promise<object> {
  outputs = [];
  count++;
  if (cwd) process.chdir(cwd);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the cell took too long')), seconds * 1_000);
  });
  const ended = new Promise<unknown>((resolve, reject) => {
    fail = reject;
    server.eval(`${code}\n`, server.context, 'cell', (error, value) => (error ? reject(error) : resolve(value)));
  });
  try {
    const value = await Promise.race([ended, late]);
    if (value !== undefined) {
      const data = { 'text/plain': inspect(value).slice(0, maxCharacters) };
      outputs.push({ output_type: 'execute_result', data, metadata: {} });
    }
  } catch (error) {
    outputs.push(failed((error as { readonly err?: unknown } | undefined)?.err ?? error));
  }
  clearTimeout(timer);
  const status = outputs.some(({ output_type: type }) => type === 'error') ? 'error' : 'ok';
  return { status, execution_count: count, outputs };
}

interface Request {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: Cell };
}

async function answer({ method, params = {} }: Request): Promise<object> {
  if (method === 'initialize') {
    const serverInfo = { name: 'node', version: '1' };
    return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
  }
  if (method === 'tools/list') {
    return { tools: [{ name: 'run', description: 'Runs a cell.', inputSchema: { type: 'object' } }] };
  }
  if (method !== 'tools/call' || params.arguments === undefined) return {};
  return { content: [{ type: 'text', text: JSON.stringify(await run(params.arguments)) }] };
}

readline
  .createInterface({ input: process.stdin })
  .on('line', (line) => {
    const request = JSON.parse(line) as Request;
    const { id, method } = request;
    if (id === undefined || !method) return;
    void answer(request).then((result) => wire(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`));
  })
  .on('close', () => process.exit());
