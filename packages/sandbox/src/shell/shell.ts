import { randomUUID } from 'node:crypto';
import { GyreError } from '@gyre/protocol';
import { checkedNumber } from '../checkedNumber.js';
import type { Enclosure } from '../isolation/enclosure.js';
import type { Child, Origin } from './child.js';
import { ShellConsole, consoleOptions, type ConsoleResult, type ExecuteOptions } from './console.js';
import { Job, type JobOptions, usualJobOutput } from './job.js';
import { endTree } from './processTree.js';
import { graceMs, startRun, usualOutput, type RunOptions, type RunResult } from './run.js';
import { Terminal, terminalBytes, type TerminalOptions } from './terminal.js';

export interface ShellOptions {
  /** Commands, jobs and terminals that may run at once. Default 64. */
  readonly maxRunning?: number;
  /** Bytes kept of all outputs and terminals together. Default 128 MiB. */
  readonly outputBytes?: number | undefined;
}

/** Jobs that have ended and are still listed. */
const remembered = 100;

/**
 * The terminal side of a session: commands, jobs in the background, terminals, and consoles that keep their state.
 * Everything runs in the session's enclosure, and ends with `close` or with the enclosure. All throw `infra` then.
 */
export class Shell {
  readonly #enclosure: Enclosure;
  readonly #id = randomUUID();
  readonly #maxRunning: number;
  readonly #outputBytes: number;
  /** What runs that are under way, and terminals that open, may come to keep. */
  #promised = 0;
  readonly #children = new Set<Child>();
  readonly #jobs = new Map<string, Job>();
  readonly #terminals = new Map<string, Terminal>();
  readonly #consoles = new Map<string, Promise<ShellConsole>>();
  #started = 0;
  #running = 0;
  #closed: Promise<void> | undefined;

  constructor(enclosure: Enclosure, { maxRunning = 64, outputBytes = 2 ** 27 }: ShellOptions = {}) {
    this.#enclosure = enclosure;
    this.#maxRunning = maxRunning;
    this.#outputBytes = outputBytes;
    void enclosure.ended.then(() => this.close());
  }

  /** Jobs that run, and the last that have ended. */
  get jobs(): Job[] {
    return [...this.#jobs.values()];
  }

  /** Terminals that were opened and not closed, those of consoles too. */
  get terminals(): Terminal[] {
    return [...this.#terminals.values()];
  }

  /**
   * Runs `bash -lc command` without a terminal until it ends or `timeoutMs` is over; then its whole tree is ended. What
   * it leaves in the background goes on until the shell is closed. Throws `bad_input`.
   */
  async run(command: string, options: RunOptions = {}): Promise<RunResult> {
    return this.#counted(async () => {
      check('timeoutMs', options.timeoutMs);
      checkOutput(options.maxOutput);
      return this.#promising(2 * (options.maxOutput ?? usualOutput), async () => {
        const { child, result } = await startRun(this.#origin(), command, options);
        await this.#keep(child);
        return await result;
      });
    });
  }

  /** Starts `bash -lc command` in the background. Throws `bad_input`. */
  async start(command: string, options: JobOptions = {}): Promise<Job> {
    const job = await this.#counted(async () => {
      checkOutput(options.maxOutput);
      this.#makeRoom(options.maxOutput ?? usualJobOutput);
      const id = `job-${this.#started + 1}`;
      const job = await Job.start(id, this.#origin(), command, options);
      await this.#keep(job.child);
      return job;
    });
    this.#running += 1;
    void job.wait().then(() => (this.#running -= 1));
    const ended = this.jobs.filter(({ state }) => state !== 'running');
    for (const { id } of ended.slice(0, Math.max(0, ended.length - remembered))) this.#jobs.delete(id);
    this.#jobs.set(job.id, job);
    return job;
  }

  /** Throws `bad_input` where there is none of this id. */
  job(id: string): Job {
    return this.#jobs.get(id) ?? unknown('job', id);
  }

  /** Opens a terminal with a bash of its own, or with another command. Throws `bad_input`. */
  async open({ command, ...options }: TerminalOptions & { command?: string } = {}): Promise<Terminal> {
    return this.#counted(async () => {
      const id = `terminal-${this.#started + 1}`;
      const program = command === undefined ? (['bash', '-l'] as const) : (['bash', '-lc', command] as const);
      return this.#promising(terminalBytes(options), async () =>
        this.#list(await Terminal.start(id, this.#origin(), program, options)),
      );
    });
  }

  /** Throws `bad_input` where there is none of this id. */
  terminal(id: string): Terminal {
    return this.#terminals.get(id) ?? unknown('terminal', id);
  }

  /** The console of this name: opened when it is first asked for, and again when its bash has ended. */
  async console(name = 'main', options: TerminalOptions = {}): Promise<ShellConsole> {
    const open = this.#consoles.get(name);
    const known = await open?.catch(() => undefined);
    if (known !== undefined && this.#terminals.has(known.terminal.id) && known.terminal.ending === undefined)
      return known;
    // Several may find the same one ended; the first opens another for all.
    const now = this.#consoles.get(name);
    if (now !== undefined && now !== open) return now;
    const opened = this.#counted(async () => {
      await known?.close();
      return this.#promising(terminalBytes(consoleOptions(options)), async () => {
        const started = await ShellConsole.start(`console-${name}`, this.#origin(), options);
        await this.#list(started.terminal);
        return started;
      });
    });
    this.#consoles.set(name, opened);
    return opened;
  }

  /**
   * Executes a command in a console, which keeps directory, variables and functions for the next. Throws `bad_input`.
   */
  async execute(
    command: string,
    { console, ...options }: ExecuteOptions & { console?: string } = {},
  ): Promise<ConsoleResult> {
    check('timeoutMs', options.timeoutMs);
    check('quietMs', options.quietMs);
    checkOutput(options.maxOutput);
    return (await this.console(console)).execute(command, options);
  }

  /** Ends everything that was started here, wherever it went. Twice is once. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    const opening = await Promise.allSettled(this.#consoles.values());
    const consoles = opening.flatMap((result) => (result.status === 'fulfilled' ? [result.value.close()] : []));
    await Promise.all([
      ...consoles,
      ...[...this.#terminals.values()].map((terminal) => terminal.close()),
      ...[...this.#children].map((child) => child.kill(graceMs)),
    ]);
    if (this.#started > 0 && !this.#enclosure.endsAll) await endTree({ mark: this.#id }, 0);
  }

  /** Where the next program starts. Throws `infra` when the shell has ended. */
  #origin(): Origin {
    if (this.#closed !== undefined) {
      throw new GyreError('infra', 'the shell has ended', { part: 'shell', fix: 'lease another session' });
    }
    return { enclosure: this.#enclosure, mark: `${this.#id}/${++this.#started}/` };
  }

  /** Keeps a child until nothing of it can write any more. Ends it where the shell was closed meanwhile. */
  async #keep(child: Child): Promise<void> {
    this.#children.add(child);
    void child.silent.then(() => this.#children.delete(child));
    if (this.#closed !== undefined) await child.kill(0);
  }

  async #list(terminal: Terminal): Promise<Terminal> {
    this.#terminals.set(terminal.id, terminal);
    this.#running += 1;
    void terminal.ended.then(() => (this.#running -= 1));
    terminal.onGrow = (bytes) => this.#makeRoom(bytes);
    terminal.onClose = () => this.#terminals.delete(terminal.id);
    if (this.#closed !== undefined) await terminal.close();
    return terminal;
  }

  /** Does something that may come to keep so many bytes. Throws `bad_input`. */
  async #promising<Result>(bytes: number, work: () => Promise<Result>): Promise<Result> {
    this.#makeRoom(bytes);
    this.#promised += bytes;
    try {
      return await work();
    } finally {
      this.#promised -= bytes;
    }
  }

  /** Forgets jobs that have ended, the oldest first, until so many bytes fit. Throws `bad_input` where they do not. */
  #makeRoom(bytes: number): void {
    const ended = this.jobs.filter(({ state }) => state !== 'running');
    for (const { id } of ended) {
      if (this.#kept + bytes <= this.#outputBytes) return;
      this.#jobs.delete(id);
    }
    if (this.#kept + bytes <= this.#outputBytes) return;
    throw new GyreError('bad_input', `${this.#kept} of ${this.#outputBytes} bytes of output and terminals are taken`, {
      field: 'outputBytes',
      fix: `close terminals or end jobs, or ask for at most ${Math.max(0, this.#outputBytes - this.#kept)} bytes`,
    });
  }

  /** Bytes that outputs and terminals may come to take. */
  get #kept(): number {
    const jobs = [...this.#jobs.values()].reduce((sum, { maxOutput }) => sum + maxOutput, 0);
    const terminals = [...this.#terminals.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    return this.#promised + jobs + terminals;
  }

  async #counted<Result>(start: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.#maxRunning) {
      throw new GyreError('bad_input', `${this.#running} commands, jobs and terminals run already`, {
        field: 'maxRunning',
        fix: 'end some of them first',
      });
    }
    this.#running += 1;
    try {
      return await start();
    } finally {
      this.#running -= 1;
    }
  }
}

function unknown(what: 'job' | 'terminal', id: string): never {
  throw new GyreError('bad_input', `there is no ${what} ${JSON.stringify(id)}`, {
    field: what,
    fix: `list the ${what}s; those that ended long ago are forgotten`,
  });
}

/** Bytes of one output at most: it is one text in the end, and an answer of a server. */
const mostOutput = 2 ** 24;

function checkOutput(value: number | undefined): void {
  if (value !== undefined) checkedNumber('maxOutput', value, { least: 1, most: mostOutput });
}

function check(field: string, value: number | undefined): void {
  if (value === undefined || (Number.isFinite(value) && value > 0 && value <= 2 ** 31 - 1)) return;
  throw new GyreError('bad_input', `${field} is ${value}`, { field, fix: 'give a number from 1 to 2147483647' });
}
