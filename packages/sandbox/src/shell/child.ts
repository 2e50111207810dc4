import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import type { Enclosure } from '../isolation/enclosure.js';
import { checkCommand, checkCwd } from './commandChecks.js';
import { isCode } from '../files/failure.js';
import { endTree, leaderOf, markVariable, type Leader } from './processTree.js';
import { openStreams } from './streams.js';

/** One of the two is set. Under isolation, a signal may appear as exit code 128 + its number. */
export interface ExitStatus {
  readonly exitCode?: number;
  readonly signal?: NodeJS.Signals;
}

/** Descendants inherit `mark`. */
export interface Origin {
  readonly enclosure: Enclosure;
  readonly mark: string;
}

export interface ChildOptions {
  /** Default: the home. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: empty. */
  readonly stdin?: string | Uint8Array;
}

export interface Sink {
  push(chunk: Uint8Array): void;
  end(): void;
}

interface Outputs {
  readonly stdout: Sink;
  readonly stderr: Sink;
}

/** Time for late output: others may hold the pipe open. */
const drainMs = 50;

export class Child {
  readonly stdin: Writable | undefined;
  /** Resolves once the program has ended and its output has been read. */
  readonly ended: Promise<ExitStatus>;
  /** Resolves once no background process can write either. */
  readonly silent: Promise<void>;
  readonly #process: ChildProcess;
  readonly #streams: readonly Socket[];
  readonly #mark: string;
  readonly #leader: Leader;

  private constructor(process: ChildProcess, streams: readonly Socket[], mark: string) {
    this.stdin = process.stdin ?? undefined;
    this.#process = process;
    this.#streams = streams;
    this.#mark = mark;
    this.#leader = leaderOf(process.pid ?? -1);
    const closed = streams.map((stream) => new Promise((resolve) => stream.once('close', resolve)));
    this.silent = Promise.all(closed).then(() => {});
    this.ended = this.#end();
  }

  /** Throws `infra`, `missing` and `bad_input`. */
  static start(origin: Origin, command: string, options: ChildOptions & Outputs): Promise<Child> {
    return Child.startProgram(origin, ['bash', '-lc', command], options);
  }

  /** `writable` opens `stdin`. Throws `infra`, `missing` and `bad_input`. */
  static async startProgram(
    { enclosure, mark }: Origin,
    program: readonly [string, ...string[]],
    { cwd, env, stdin, writable = false, stdout, stderr }: ChildOptions & Outputs & { writable?: boolean },
  ): Promise<Child> {
    for (const word of program) checkCommand(word, env);
    const [file, ...args] = program;
    const options = { ...(cwd === undefined ? {} : { cwd }), env: { ...env, [markVariable]: mark } };
    const start = enclosure.command(file, args, options);
    await checkCwd(start.cwd);
    const outputs = stdout === stderr ? [stdout] : [stdout, stderr];
    const streams = await openStreams(outputs.length, stdin);
    const [out, err = out] = streams.fds.outputs;
    const stdio: StdioOptions = [streams.fds.stdin ?? (writable ? 'pipe' : 'ignore'), out!, err!];
    try {
      const process: ChildProcess = spawn(start.file, start.args, {
        cwd: start.cwd,
        env: start.env,
        stdio,
        detached: true,
      });
      const child = new Child(process, streams.outputs, mark);
      outputs.forEach((output, index) => {
        const stream = streams.outputs[index]!;
        stream.on('data', (chunk: Buffer) => output.push(chunk));
        stream.once('close', () => output.end());
      });
      await new Promise<void>((resolve, reject) => process.once('spawn', resolve).once('error', reject));
      return child;
    } catch (cause) {
      for (const stream of streams.outputs) stream.destroy();
      const missing = isCode(cause, 'ENOENT');
      throw new GyreError(missing ? 'missing' : 'infra', `cannot start ${start.file}`, {
        part: 'shell',
        fix: missing ? 'check that it is installed' : 'check the cause; usually too many programs are running',
        cause,
      });
    } finally {
      await streams.release();
    }
  }

  /** Ends the process tree, with SIGTERM first unless `graceMs` is 0. */
  async kill(graceMs: number): Promise<void> {
    await endTree({ leader: this.#leader, mark: this.#mark }, graceMs);
    await this.ended;
    for (const stream of this.#streams) stream.destroy();
  }

  async #end(): Promise<ExitStatus> {
    const ending = await new Promise<ExitStatus>((resolve) =>
      this.#process.once('exit', (exitCode, signal) =>
        resolve({ ...(exitCode === null ? {} : { exitCode }), ...(signal === null ? {} : { signal }) }),
      ),
    );
    // Background processes hold the pipe, which is read on: writing must not block them.
    await Promise.race([this.silent, this.#quiet()]);
    return ending;
  }

  async #quiet(): Promise<void> {
    let data = 0;
    for (const stream of this.#streams) stream.on('data', () => (data += 1));
    for (let before = -1, rounds = 0; data !== before && rounds < 10; rounds++) {
      before = data;
      await sleep(drainMs);
      // A late timer may have left output unread.
      await new Promise(setImmediate);
    }
  }
}
