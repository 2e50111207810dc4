import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { NodePeer } from './peerProgram.js';
import type { PeerReply, PeerRequest } from './trainer.js';

/** Timeout in ms. */
const patience = 5 * 60_000;

export function runNodePeer(peer: NodePeer, request: PeerRequest): Promise<PeerReply> {
  const program = fileURLToPath(new URL('./peerProgram.js', import.meta.url));
  return replyOf(process.execPath, [program, peer, JSON.stringify(request)]);
}

/** Parses the last line of output; `missing` without the program. */
export async function replyOf(
  program: string,
  args: readonly string[],
  { env = {}, input = Buffer.of() }: { env?: Readonly<Record<string, string>>; input?: Buffer } = {},
): Promise<PeerReply> {
  const running = promisify(execFile)(program, args, { env: { ...process.env, ...env }, timeout: patience });
  // A program may exit without reading its input.
  running.child.stdin!.on('error', () => undefined).end(input);
  try {
    const { stdout } = await running;
    return JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as PeerReply;
  } catch (error) {
    const { code, signal, stderr = '' } = error as { code?: string | number; signal?: string; stderr?: string };
    if (code === 'ENOENT') return { missing: program };
    const lastLine = stderr.trim().split('\n').at(-1);
    const ending = signal ? `ended by ${signal}` : `ended with ${code ?? (error as Error).message}`;
    return { failed: lastLine ? `${ending}: ${lastLine}` : ending };
  }
}
