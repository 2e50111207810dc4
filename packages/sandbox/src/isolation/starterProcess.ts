import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { FromStarter, StartRequest, ToStarter } from './starterMessage.js';

/** Ends with `Starter`, which closes its programs' inputs. */

interface NativeHandle {
  readonly fd: number;
  close(): void;
}

const programs = new Map<number, ChildProcess>();

process.on('disconnect', () => process.exit());
process.on('message', (message: ToStarter, handle?: unknown) => {
  if (message.do === 'start') return start(message.id, message, handle as NativeHandle | undefined);
  const program = programs.get(message.id);
  if (program === undefined) return;
  if (message.do === 'write') program.stdin?.write(message.text);
  if (message.do === 'closeInput') program.stdin?.destroy();
  if (message.do === 'closeOutputs') for (const stream of outputsOf(program)) stream.destroy();
  if (message.do === 'kill') program.kill('SIGKILL');
});

function start(
  id: number,
  { file, args, env, cwd, input, outputs, ...rest }: StartRequest,
  handle?: NativeHandle,
): void {
  const pipeOrIgnore = (descriptor: number) => (outputs.includes(descriptor) ? 'pipe' : 'ignore');
  const third = rest.handle ? [handle!.fd] : outputs.includes(3) ? (['pipe'] as const) : [];
  const stdio: StdioOptions = [input ? 'pipe' : 'ignore', pipeOrIgnore(1), pipeOrIgnore(2), ...third];
  let program: ChildProcess;
  try {
    // The group can be killed as a whole; Ctrl-C does not reach it.
    program = spawn(file, [...args], { env, cwd, stdio, detached: true });
  } catch (error) {
    const { code = 'EINVAL', message } = error as NodeJS.ErrnoException;
    return tell({ is: 'failed', id, code, message });
  } finally {
    handle?.close();
  }
  program.once('spawn', () => tell({ is: 'started', id, pid: program.pid! }));
  program.once('error', ({ code = 'EIO', message }: NodeJS.ErrnoException) => {
    if (program.pid !== undefined) return;
    programs.delete(id);
    tell({ is: 'failed', id, code, message });
  });
  /** Output may postpone it until `latest`. */
  let ending: NodeJS.Timeout | undefined;
  let latest = 0;
  // The program may have ended.
  program.stdin?.on('error', () => undefined);
  for (const descriptor of outputs) {
    // Absent with too many open files, as 'error' reports.
    const stream = (program.stdio as ChildProcess['stdio'] | undefined)?.[descriptor] as Readable | undefined;
    if (!stream) continue;
    stream.setEncoding('utf8').on('data', (text: string) => {
      tell({ is: 'said', id, descriptor, text });
      if (performance.now() < latest) ending?.refresh();
    });
    stream.on('error', () => undefined);
  }
  programs.set(id, program);
  let over = false;
  const end = (code: number | null) => {
    if (over || program.pid === undefined) return;
    over = true;
    programs.delete(id);
    for (const stream of outputsOf(program)) stream.destroy();
    program.stdin?.destroy();
    tell({ is: 'ended', id, code });
  };
  program.once('close', end);
  // Descendants may hold its outputs open, and output may be in transit.
  program.once('exit', (code) => {
    latest = performance.now() + maxLingerMs;
    ending = setTimeout(end, lingerMs, code);
  });
}

/** After this silence it is over; descendants could write forever. */
const [lingerMs, maxLingerMs] = [50, 2_000];

function outputsOf({ stdio }: ChildProcess): Readable[] {
  return stdio.slice(1).filter((stream) => stream !== null && stream !== undefined) as Readable[];
}

function tell(message: FromStarter): void {
  if (process.connected) process.send!(message, () => undefined);
}
