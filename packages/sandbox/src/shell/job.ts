import { checkedNumber, maxTimerMs } from '../checkedNumber.js';
import { CappedOutput } from './cappedOutput.js';
import { Child, type ChildOptions, type ExitStatus, type Origin } from './child.js';
import { graceMs } from './run.js';

export interface JobOptions extends ChildOptions {
  /** Bytes, half from each end. Default 256 KiB. */
  readonly maxOutput?: number;
}

export const defaultJobOutput = 2 ** 18;

export class Job {
  readonly startedAt = new Date();
  readonly child: Child;
  readonly #output: CappedOutput;
  #ending: ExitStatus | undefined;
  #killed = false;

  private constructor(
    readonly id: string,
    readonly command: string,
    child: Child,
    output: CappedOutput,
    readonly maxOutput: number,
  ) {
    this.child = child;
    this.#output = output;
    void child.ended.then((ending) => (this.#ending = ending));
  }

  static async start(
    id: string,
    origin: Origin,
    command: string,
    { maxOutput = defaultJobOutput, ...options }: JobOptions,
  ): Promise<Job> {
    const output = new CappedOutput(maxOutput);
    const child = await Child.start(origin, command, { ...options, stdout: output, stderr: output });
    return new Job(id, command, child, output, maxOutput);
  }

  get state(): 'running' | 'exited' | 'killed' {
    return this.#ending === undefined ? 'running' : this.#killed ? 'killed' : 'exited';
  }

  get ending(): ExitStatus | undefined {
    return this.#ending;
  }

  /** Includes background processes; stdout and stderr in order. */
  get output(): { readonly text: string; readonly bytes: number; readonly leftOut: number } {
    return { text: this.#output.text(), bytes: this.#output.bytes, leftOut: this.#output.leftOut };
  }

  /** Returns undefined at the timeout; the command continues. */
  async wait(timeoutMs?: number): Promise<ExitStatus | undefined> {
    if (timeoutMs === undefined) return this.child.ended;
    checkedNumber('timeoutMs', timeoutMs, { min: 0, max: maxTimerMs });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), timeoutMs)));
    return Promise.race([this.child.ended, late]).finally(() => clearTimeout(timer));
  }

  /** Sends SIGTERM to the process tree, then SIGKILL. */
  async kill(grace = graceMs): Promise<void> {
    if (this.#ending === undefined) this.#killed = true;
    await this.child.kill(grace);
  }
}
