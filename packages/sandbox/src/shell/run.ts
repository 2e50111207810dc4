import { CappedOutput } from './cappedOutput.js';
import { Child, type ChildOptions, type ExitStatus, type Origin } from './child.js';

export interface RunOptions extends ChildOptions {
  /** Whether bash reads the profile, which the session's programs can write. Default true. */
  readonly profile?: boolean;
  /** Default 2 minutes. */
  readonly timeoutMs?: number;
  /** Per output, half from each end. Default 1 MiB. */
  readonly maxOutput?: number;
}

/** After a timeout, it has the signal that ended the command. */
export interface RunResult extends ExitStatus {
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  readonly truncated: boolean;
  readonly leftOut: { readonly stdout: number; readonly stderr: number };
  readonly ms: number;
}

export interface RunningCommand {
  readonly child: Child;
  readonly result: Promise<RunResult>;
}

export const defaultOutput = 2 ** 20;

/** From SIGTERM to SIGKILL. */
export const graceMs = 500;

export async function startRun(
  origin: Origin,
  command: string,
  { timeoutMs = 120_000, maxOutput = defaultOutput, profile = true, ...options }: RunOptions,
): Promise<RunningCommand> {
  const stdout = new CappedOutput(maxOutput);
  const stderr = new CappedOutput(maxOutput);
  const begin = performance.now();
  const bash = profile ? (['bash', '-lc'] as const) : (['bash', '--noprofile', '--norc', '-c'] as const);
  const child = await Child.startProgram(origin, [...bash, command], { ...options, stdout, stderr });
  return { child, result: finish() };

  async function finish(): Promise<RunResult> {
    let killed: Promise<void> | undefined;
    const timer = setTimeout(() => void (killed = child.kill(graceMs)), timeoutMs);
    const ending = await child.ended;
    clearTimeout(timer);
    await killed;
    stdout.end();
    stderr.end();
    const leftOut = { stdout: stdout.leftOut, stderr: stderr.leftOut };
    return {
      ...ending,
      stdout: stdout.text(),
      stderr: stderr.text(),
      timedOut: killed !== undefined,
      truncated: leftOut.stdout + leftOut.stderr > 0,
      leftOut,
      ms: performance.now() - begin,
    };
  }
}
