import type { Readable, Writable } from 'node:stream';
import { GyreError } from '@gyre/protocol';
import type { SandboxSession } from '../lease/sandboxSession.js';

export interface McpOptions {
  readonly session: SandboxSession;
  /** Default: standard input. */
  readonly input?: Readable;
  /** Must carry nothing else. Default: standard output. */
  readonly output?: Writable;
  readonly signal?: AbortSignal;
}

/**
 * Serves MCP to one client, until it disconnects or `signal` aborts. The session stays leased. Throws the reason if it
 * ended before, and `bad_input` if the client speaks no MCP.
 */
export async function serveMcp(options: McpOptions): Promise<void> {
  const { session, input = process.stdin, output = process.stdout, signal } = options;
  // The SDK loads slowly.
  const [{ createMcpServer: offer }, { LineTransport }] = await Promise.all([
    import('./mcpServer.js'),
    import('./lineTransport.js'),
  ]);
  const transport = new LineTransport(() => output);
  const server = offer(session);
  const gone = new Promise<void>((resolve) => {
    transport.onEnd = resolve;
    signal?.addEventListener('abort', () => resolve(), { once: true });
    if (signal?.aborted) resolve();
  });
  const take = (chunk: Buffer) => transport.push(chunk);
  const end = () => transport.end();
  await server.connect(transport);
  input.on('data', take).once('close', end).once('end', end).once('error', end);
  try {
    const reason = await Promise.race([session.broken, gone]);
    if (reason) throw reason;
    const { failure } = transport;
    if (failure === undefined) return;
    throw new GyreError('bad_input', `the client ${failure}`, { field: 'input', fix: 'send one MCP message per line' });
  } finally {
    input.off('data', take).off('close', end).off('end', end).off('error', end).pause();
    await server.close();
  }
}
