import { fork, type ChildProcess, type SendHandle } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { GyreError } from '@gyre/protocol';
import { hostEnv } from './hostEnv.js';
import type { FromStarter, StartRequest, ToStarter } from './starterMessage.js';

export interface StartOptions extends Omit<StartRequest, 'input' | 'outputs' | 'handle'> {
  readonly input?: boolean;
  readonly outputs?: readonly number[];
  readonly onText?: (text: string, descriptor: number) => void;
  /** Socket or server for descriptor 3. */
  readonly descriptor?: unknown;
}

/** A running program in a process group of its own. */
export interface HostProgram {
  readonly pid: number;
  /** Null if a signal ended it. */
  readonly ended: Promise<number | null>;
  readonly over: boolean;
  write(text: string): void;
  /** Also happens when this process ends. */
  closeInput(): void;
  /** A later write may end the program. */
  closeOutputs(): void;
  kill(): void;
  /** Keeps this process alive. The default. */
  ref(): void;
  unref(): void;
}

/**
 * Starts programs from a small process: forking copies the parent's page tables and blocks it, 15 to 50 ms at 250 MB, 1
 * to 2 ms at 45 MB.
 */
class Starter {
  readonly #process: ChildProcess;
  readonly #programs = new Map<number, Running>();
  readonly #holding = new Set<number>();
  #last = 0;
  gone = false;

  constructor() {
    this.#process = fork(fileURLToPath(new URL('./starterProcess.js', import.meta.url)), [], {
      env: hostEnv,
      cwd: '/',
      execArgv: ['--max-semi-space-size=1'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      detached: true,
    });
    this.#process.on('message', (message: FromStarter) => this.#programs.get(message.id)?.hear(message));
    const lost = () => {
      this.gone = true;
      for (const program of this.#programs.values()) program.lose();
    };
    this.#process.on('exit', lost).on('error', lost).on('disconnect', lost);
    this.#process.unref();
    this.#process.channel?.unref();
  }

  async start({ onText, descriptor, ...request }: StartOptions): Promise<HostProgram> {
    const id = ++this.#last;
    const program = new Running({
      send: (message) => this.#send({ ...message, id }),
      hold: (held) => this.#hold(id, held),
      onText: onText ?? (() => undefined),
    });
    this.#programs.set(id, program);
    void program.ended.then(() => this.#programs.delete(id));
    program.ref();
    const startRequest = { input: false, outputs: [], ...request, handle: descriptor !== undefined };
    this.#send({ do: 'start', id, ...startRequest }, descriptor);
    try {
      await program.started;
    } catch (error) {
      this.#programs.delete(id);
      throw error;
    }
    return program;
  }

  #send(message: ToStarter, handle?: unknown): void {
    this.#process.send(message, handle as SendHandle | undefined, (error) => {
      if (error) this.#programs.get(message.id)?.lose();
    });
  }

  #hold(id: number, keepsAlive: boolean): void {
    if (keepsAlive) this.#holding.add(id);
    else this.#holding.delete(id);
    if (this.#holding.size > 0) this.#process.channel?.ref();
    else this.#process.channel?.unref();
  }
}

type WithoutId<Message> = Message extends unknown ? Omit<Message, 'id'> : never;

interface Wire {
  readonly send: (message: WithoutId<Exclude<ToStarter, { do: 'start' }>>) => void;
  readonly hold: (held: boolean) => void;
  readonly onText: (text: string, descriptor: number) => void;
}

class Running implements HostProgram {
  pid = 0;
  over = false;
  readonly started: Promise<void>;
  readonly ended: Promise<number | null>;
  readonly #wire: Wire;
  #begin: () => void = () => undefined;
  #fail: (error: Error) => void = () => undefined;
  #end: (code: number | null) => void = () => undefined;

  constructor(wire: Wire) {
    this.#wire = wire;
    this.started = new Promise((resolve, reject) => ([this.#begin, this.#fail] = [resolve, reject]));
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  hear(message: FromStarter): void {
    if (message.is === 'said') this.#wire.onText(message.text, message.descriptor);
    if (message.is === 'started') {
      this.pid = message.pid;
      this.#begin();
    }
    if (message.is === 'failed') this.#refuse(message);
    if (message.is === 'ended') this.#over(message.code);
  }

  lose(): void {
    this.#refuse({ code: 'EPIPE', message: 'the program starter has ended' });
    this.#over(null);
  }

  write(text: string): void {
    this.#wire.send({ do: 'write', text });
  }

  closeInput(): void {
    this.#wire.send({ do: 'closeInput' });
  }

  closeOutputs(): void {
    this.#wire.send({ do: 'closeOutputs' });
  }

  kill(): void {
    this.#wire.send({ do: 'kill' });
  }

  ref(): void {
    if (!this.over) this.#wire.hold(true);
  }

  unref(): void {
    this.#wire.hold(false);
  }

  #refuse({ code, message }: { readonly code: string; readonly message: string }): void {
    this.unref();
    const cause = Object.assign(new Error(message), { code });
    this.#fail(new GyreError(code === 'ENOENT' ? 'missing' : 'infra', message, { part: 'machine', cause }));
  }

  #over(code: number | null): void {
    this.over = true;
    this.unref();
    this.#end(code);
  }
}

let starter: Starter | undefined;

/** Throws 'missing' or 'infra'; `cause.code` is the system's. */
export function startOnHost(options: StartOptions): Promise<HostProgram> {
  if (starter === undefined || starter.gone) starter = new Starter();
  return starter.start(options);
}
