import { GyreError, type SdkCall } from '@gyre/protocol';
import { programText, type SandboxSession, type ToolServer } from '@gyre/sandbox';
import { maxResult, result } from './result.js';

export const kernelServer = 'gyre.jupyter';

/** Default timeout, and extra time for start and interrupt. */
const [defaultSeconds, startSeconds, graceSeconds] = [30, 60, 10];

const fix = 'use the shell, or install python3-ipykernel and python3-jupyter-client (with pip: ipykernel)';

/**
 * Runs a cell; returns output, text value or traceback. On timeout, interrupts it, then restarts the kernel. Throws
 * `missing` without Python or a kernel, `infra` of `tool_server` if the kernel is lost.
 */
export async function runCell(
  { code, seconds = defaultSeconds }: Extract<SdkCall, { type: 'jupyter' }>,
  session: Pick<SandboxSession, 'tools' | 'shell'>,
): Promise<string> {
  const kernel = session.tools.servers.find(({ name }) => name === kernelServer) ?? (await started(session));
  const timeoutMs = (seconds + startSeconds + graceSeconds) * 1_000;
  try {
    const answer = await kernel.call('run', { code, seconds }, { timeoutMs, maxOutput: 8 * maxResult });
    const text = answer.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    if (answer.failed) throw new GyreError('missing', `cannot run a cell: ${text}`, { field: 'type', fix });
    return result(text);
  } catch (error) {
    if (!(error instanceof GyreError && error.code === 'infra')) throw error;
    await kernel.close();
    throw new GyreError('infra', `the kernel and its variables are lost: ${error.message}`, {
      ...error.detail,
      part: 'tool_server',
      fix: 'run another cell to start a new kernel',
      cause: error,
    });
  }
}

async function started({ tools, shell }: Pick<SandboxSession, 'tools' | 'shell'>): Promise<ToolServer> {
  try {
    return await tools.start({
      name: kernelServer,
      command: 'python3',
      args: ['-u', '-c', programText(new URL('./kernel.py', import.meta.url)), String(maxResult - 200)],
    });
  } catch (error) {
    // With isolation, a missing program looks like one that exits at once.
    const python = !(error instanceof GyreError && error.code === 'missing') && (await shell.run('command -v python3'));
    if (python && python.exitCode === 0) throw error;
    throw new GyreError('missing', 'cannot run a cell: python3 is not installed in the session', {
      field: 'type',
      fix,
      cause: error,
    });
  }
}
