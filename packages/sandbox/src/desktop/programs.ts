import { randomUUID } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import type { CommandOptions, Enclosure } from '../isolation/enclosure.js';
import { type HostProgram, type StartOptions, startOnHost } from '../isolation/starter.js';
import { programText } from '../shell/programText.js';
import type { Listening } from './listening.js';

export interface Program {
  /** On the host: the program's or its enclosure's. */
  readonly pid: number;
  /** Exit status; null after a signal. */
  readonly ended: Promise<number | null>;
}

/** Marks all processes of a desktop, even detached ones. */
const mark = 'GYRE_DESKTOP';

const graceMs = 2_000;

/** Runs a program until standard input closes, so that it ends with this process. Then removes its `LeftoverFiles`. */
const keeper = programText(new URL('./keeper.sh', import.meta.url));

/** Files left behind: a `link` to `target` marks them as the program's own. */
export interface LeftoverFiles {
  readonly link: string;
  readonly target: string;
  readonly second: string;
}

interface SuperviseOptions {
  readonly leftovers?: LeftoverFiles;
  /** Inherited as descriptor 3. */
  readonly listening?: Listening;
  /** A program without output by then is ended. */
  readonly timeoutMs: number;
  readonly as?: CommandOptions['as'];
}

const runner = 'command -v "$1" >/dev/null 2>&1 || exit 127; echo; exec "$@" >/dev/null 2>&1';

/** The processes of one desktop, which end together. */
export class Programs {
  readonly #enclosure: Enclosure;
  readonly #id = randomUUID();
  readonly #running = new Set<HostProgram>();
  readonly #supervised = new Set<HostProgram>();
  env: Readonly<Record<string, string>> = {};
  systemEnv: Readonly<Record<string, string>> = {};

  constructor(enclosure: Enclosure) {
    this.#enclosure = enclosure;
  }

  /** Runs a program until this process ends. Resolves with `ready` on the first output, or with the exit status (127: unknown). */
  async supervise(program: readonly string[], options: SuperviseOptions): Promise<'ready' | number | null> {
    return (await this.startSupervised(program, options)).ready;
  }

  /** Like `supervise`, but resolves once the program has started and `listening` is published. */
  async startSupervised(
    program: readonly string[],
    { leftovers, listening, timeoutMs, as = 'system' }: SuperviseOptions,
  ): Promise<{ readonly ready: Promise<'ready' | number | null> }> {
    const traces = leftovers === undefined ? ['', '', ''] : [leftovers.link, leftovers.target, leftovers.second];
    const ready = signal<'ready'>();
    let started: HostProgram;
    try {
      started = await this.#start('sh', ['-c', keeper, 'gyre', ...traces, ...program], {
        as,
        input: true,
        onText(text) {
          if (text.includes('\n')) ready.resolve('ready');
        },
        ...(listening && { descriptor: listening.descriptor }),
      });
      listening?.publish();
    } catch (error) {
      listening?.close();
      throw error;
    }
    this.#supervised.add(started);
    void started.ended.then(() => {
      this.#supervised.delete(started);
      started.closeInput();
    });
    const timer = setTimeout(() => started.closeInput(), timeoutMs);
    const settled = Promise.race([ready.promise, started.ended]).finally(() => {
      clearTimeout(timer);
      started.closeOutputs();
      started.unref();
    });
    return { ready: settled };
  }

  async #start(
    program: string,
    args: readonly string[],
    { as, ...options }: Pick<StartOptions, 'input' | 'onText' | 'descriptor'> & Required<Pick<CommandOptions, 'as'>>,
  ): Promise<HostProgram> {
    // The agent's environment must not reach system programs.
    const env = { ...(as === 'agent' ? this.env : this.systemEnv), [mark]: this.#id };
    const command = this.#enclosure.command(program, args, { as, env });
    const started = await startOnHost({ ...command, outputs: [1], ...options });
    this.#running.add(started);
    void started.ended.then(() => this.#running.delete(started));
    return started;
  }

  /** Throws `bad_input` for an unknown program, `infra` if it is ended from outside. */
  async launch(
    program: string,
    args: readonly string[],
    as: NonNullable<CommandOptions['as']> = 'agent',
  ): Promise<Program> {
    const reported = signal<true>();
    const started = await this.#start('sh', ['-c', runner, 'gyre', program, ...args], {
      as,
      onText: () => reported.resolve(true),
    });
    const { pid, ended } = started;
    const status = await Promise.race([reported.promise, ended]);
    started.closeOutputs();
    started.unref();
    // 126 and 127 are the shell's; others come from outside.
    if (status !== true && status !== 126 && status !== 127) {
      throw new GyreError('infra', `${program} was killed while it started (status ${status ?? 'none'})`, {
        part: 'machine',
        field: 'program',
        fix: 'lease another session',
      });
    }
    if (status !== true) {
      throw new GyreError('bad_input', `${program} is not installed or not executable`, {
        field: 'program',
        fix: 'install it, or use its path inside the session',
      });
    }
    return { pid, ended };
  }

  async end(): Promise<void> {
    for (const started of this.#supervised) {
      started.ref();
      started.closeInput();
    }
    const ended = Promise.all([...this.#supervised].map((started) => started.ended));
    await Promise.race([ended, pause(graceMs, undefined, { ref: false })]);
    for (const started of this.#running) kill(-started.pid);
    if (this.#enclosure.endsAll) return;
    for (const limit = Date.now() + graceMs; ;) {
      const survivors = await marked(`${mark}=${this.#id}`);
      if (survivors.length === 0 || Date.now() > limit) return;
      for (const pid of survivors) kill(pid);
      await pause(5);
    }
  }
}

function signal<Value>(): { readonly promise: Promise<Value>; readonly resolve: (value: Value) => void } {
  let resolve!: (value: Value) => void;
  const promise = new Promise<Value>((done) => (resolve = done));
  return { promise, resolve };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

async function marked(entry: string): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const matches = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      return environment.split('\0').includes(entry) ? Number(pid) : 0;
    }),
  );
  return matches.filter((pid) => pid !== 0);
}
