import { randomUUID } from 'node:crypto';
import { GyreError } from '@gyre/protocol';
import { checkedNumber } from '../checkedNumber.js';
import type { Enclosure } from '../isolation/enclosure.js';
import type { Child, Origin } from './child.js';
import { ShellConsole, consoleOptions, type ConsoleResult, type ExecuteOptions } from './console.js';
import { Job, type JobOptions, defaultJobOutput } from './job.js';
import { endTree } from './processTree.js';
import { graceMs, startRun, defaultOutput, type RunOptions, type RunResult } from './run.js';
import { Terminal, terminalBytes, type TerminalOptions } from './terminal.js';

export interface ShellOptions {
  /** Most concurrent commands, jobs and terminals. Default 64. */
  readonly maxRunning?: number;
  /** Limit of all outputs and terminals. Default 128 MiB. */
  readonly outputBytes?: number | undefined;
}

/** Ended jobs that stay listed. */
const remembered = 100;

/**
 * A session's commands, jobs, terminals and consoles. They end with `close` or the enclosure; then every call throws
 * `infra`.
 */
export class Shell {
  readonly #enclosure: Enclosure;
  readonly #id = randomUUID();
  readonly #maxRunning: number;
  readonly #outputBytes: number;
  /** Bytes that current runs and opening terminals may need. */
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

  /** Running jobs, and the last ended ones. */
  get jobs(): Job[] {
    return [...this.#jobs.values()];
  }

  /** Open terminals, consoles' included. */
  get terminals(): Terminal[] {
    return [...this.#terminals.values()];
  }

  /**
   * Runs `bash -lc command` without a terminal; ends its process tree at `timeoutMs`. Background processes continue
   * until the shell closes. Throws `bad_input`.
   */
  async run(command: string, options: RunOptions = {}): Promise<RunResult> {
    return this.#counted(async () => {
      check('timeoutMs', options.timeoutMs);
      checkOutput(options.maxOutput);
      return this.#promising(2 * (options.maxOutput ?? defaultOutput), async () => {
        const { child, result } = await startRun(this.#origin(), command, options);
        await this.#keep(child);
        return await result;
      });
    });
  }

  /** Starts `bash -lc command`. Throws `bad_input`. */
  async start(command: string, options: JobOptions = {}): Promise<Job> {
    const job = await this.#counted(async () => {
      checkOutput(options.maxOutput);
      this.#makeRoom(options.maxOutput ?? defaultJobOutput);
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

  job(id: string): Job {
    return this.#jobs.get(id) ?? unknown('job', id);
  }

  /** Opens bash or another command. Throws `bad_input`. */
  async open({ command, ...options }: TerminalOptions & { command?: string } = {}): Promise<Terminal> {
    return this.#counted(async () => {
      const id = `terminal-${this.#started + 1}`;
      const program = command === undefined ? (['bash', '-l'] as const) : (['bash', '-lc', command] as const);
      return this.#promising(terminalBytes(options), async () =>
        this.#list(await Terminal.start(id, this.#origin(), program, options)),
      );
    });
  }

  terminal(id: string): Terminal {
    return this.#terminals.get(id) ?? unknown('terminal', id);
  }

  /** Opens the console if there is none or its bash has ended. */
  async console(name = 'main', options: TerminalOptions = {}): Promise<ShellConsole> {
    const open = this.#consoles.get(name);
    const known = await open?.catch(() => undefined);
    if (known !== undefined && this.#terminals.has(known.terminal.id) && known.terminal.ending === undefined)
      return known;
    // The first of several callers reopens it for all.
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

  /** Executes a command in a console. Throws `bad_input`. */
  async execute(
    command: string,
    { console, ...options }: ExecuteOptions & { console?: string } = {},
  ): Promise<ConsoleResult> {
    check('timeoutMs', options.timeoutMs);
    check('quietMs', options.quietMs);
    checkOutput(options.maxOutput);
    return (await this.console(console)).execute(command, options);
  }

  /** Ends everything, detached processes too. Idempotent. */
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

  /** Throws `infra` once the shell has ended. */
  #origin(): Origin {
    if (this.#closed !== undefined) {
      throw new GyreError('infra', 'the shell has ended', { part: 'shell', fix: 'lease another session' });
    }
    return { enclosure: this.#enclosure, mark: `${this.#id}/${++this.#started}/` };
  }

  /** Tracks a child; kills it if the shell was closed meanwhile. */
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

  /** Reserves bytes during `work`. Throws `bad_input`. */
  async #promising<Result>(bytes: number, work: () => Promise<Result>): Promise<Result> {
    this.#makeRoom(bytes);
    this.#promised += bytes;
    try {
      return await work();
    } finally {
      this.#promised -= bytes;
    }
  }

  /** Forgets the oldest ended jobs. Throws `bad_input` if that does not suffice. */
  #makeRoom(bytes: number): void {
    const ended = this.jobs.filter(({ state }) => state !== 'running');
    for (const { id } of ended) {
      if (this.#kept + bytes <= this.#outputBytes) return;
      this.#jobs.delete(id);
    }
    if (this.#kept + bytes <= this.#outputBytes) return;
    throw new GyreError(
      'bad_input',
      `${this.#kept} of ${this.#outputBytes} bytes for output and terminals are in use`,
      {
        field: 'outputBytes',
        fix: `close terminals, stop jobs, or request at most ${Math.max(0, this.#outputBytes - this.#kept)} bytes`,
      },
    );
  }

  /** Bytes that are or may still be stored. */
  get #kept(): number {
    const jobs = [...this.#jobs.values()].reduce((sum, { maxOutput }) => sum + maxOutput, 0);
    const terminals = [...this.#terminals.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    return this.#promised + jobs + terminals;
  }

  async #counted<Result>(start: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.#maxRunning) {
      throw new GyreError('bad_input', `${this.#running} commands, jobs and terminals are already running`, {
        field: 'maxRunning',
        fix: 'stop some of them first',
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

function unknown(kind: 'job' | 'terminal', id: string): never {
  throw new GyreError('bad_input', `there is no ${kind} ${JSON.stringify(id)}`, {
    field: kind,
    fix: `list the ${kind}s; old ones that ended are removed`,
  });
}

/** Limit of one output, which becomes a single string and a server's response. */
const maxOutput = 2 ** 24;

function checkOutput(value: number | undefined): void {
  if (value !== undefined) checkedNumber('maxOutput', value, { min: 1, max: maxOutput });
}

function check(field: string, value: number | undefined): void {
  if (value === undefined || (Number.isFinite(value) && value > 0 && value <= 2 ** 31 - 1)) return;
  throw new GyreError('bad_input', `invalid ${field}: ${value}`, { field, fix: 'use a number from 1 to 2147483647' });
}
