import { spawn, type ChildProcess } from 'node:child_process';
import type { Server, Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { GyreError } from '@gyre/protocol';
import { hostEnv } from './hostEnv.js';

export type SocketRequest = { readonly id: number } & ({ readonly connect: number } | { readonly listen: number });
export interface SocketReply {
  readonly id: number;
  readonly error?: string;
}

const idleMs = 15_000;

/**
 * Opens sockets in a session's network: a host process, invisible to the session, enters the network and hands them
 * over.
 */
export class SocketBroker {
  readonly #command: readonly string[];
  #process: ChildProcess | null = null;
  #next = 0;
  #idle: NodeJS.Timeout | undefined;
  readonly #pending = new Map<number, (reply: SocketReply, handle: unknown) => void>();
  #closed = false;

  constructor(inNetwork: (command: readonly string[]) => string[]) {
    const program = fileURLToPath(new URL('./socketBrokerProgram.js', import.meta.url));
    this.#command = inNetwork([process.execPath, '--max-old-space-size=16', program]);
  }

  /** Throws 'infra' if nothing listens. */
  async connect(port: number): Promise<Socket> {
    return (await this.#ask({ connect: port })) as Socket;
  }

  async listen(port: number): Promise<Server> {
    return (await this.#ask({ listen: port })) as Server;
  }

  close(): void {
    this.#closed = true;
    this.#end(this.#process);
  }

  #ask(request: { connect: number } | { listen: number }): Promise<unknown> {
    if (this.#closed)
      throw new GyreError('infra', 'the enclosure has ended', { part: 'machine', fix: 'lease another session' });
    const [[operation, port]] = Object.entries(request) as [[string, number]];
    if (!Number.isInteger(port) || port < 1 || port > 65_535) {
      throw new GyreError('bad_input', `the port ${port} is out of range`, {
        field: 'port',
        fix: 'use a port from 1 to 65535',
      });
    }
    const child = (this.#process ??= this.#start());
    const id = this.#next++;
    clearTimeout(this.#idle);
    child.ref();
    child.channel?.ref();
    return new Promise((resolve, reject) => {
      this.#pending.set(id, ({ error }, handle) => {
        this.#pending.delete(id);
        if (this.#pending.size === 0) this.#rest(child);
        if (!error && handle) return resolve(handle);
        const message =
          operation === 'connect'
            ? `no server listens on port ${port} of the session`
            : `port ${port} of the session is in use`;
        reject(new GyreError('infra', `${message} (${error ?? 'no socket'})`, { part: 'machine', field: 'port' }));
      });
      child.send({ id, ...request }, (error) => {
        if (error) this.#pending.get(id)?.({ id, error: error.message }, null);
      });
    });
  }

  #start(): ChildProcess {
    const [file = '', ...args] = this.#command;
    const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], env: hostEnv, cwd: '/' });
    child.on('message', (reply: SocketReply, handle) => this.#pending.get(reply.id)?.(reply, handle));
    const end = () => this.#end(child);
    child.once('exit', end);
    child.once('error', end);
    return child;
  }

  #rest(child: ChildProcess): void {
    child.unref();
    child.channel?.unref();
    if (!this.#closed) this.#idle = setTimeout(() => this.#end(child), idleMs).unref();
  }

  #end(child: ChildProcess | null): void {
    if (!child || child !== this.#process) return;
    clearTimeout(this.#idle);
    this.#process = null;
    child.kill('SIGKILL');
    for (const [id, answer] of this.#pending) answer({ id, error: 'the socket broker has ended' }, null);
  }
}
