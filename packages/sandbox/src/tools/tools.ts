import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import type { Enclosure } from '../isolation/enclosure.js';
import { endTree } from '../shell/processTree.js';
import type { EnclosedServer } from './enclosedServer.js';
import type { ToolServer, ToolServerTerms } from './tool.js';

export interface ToolsOptions {
  /** Concurrent servers. Default: 32. */
  readonly maxServers?: number;
}

const remembered = 100;

/** MCP servers in a session's enclosure, which end with it. All calls throw `infra` then. */
export class Tools {
  readonly #enclosure: Enclosure;
  readonly #id = randomUUID();
  readonly #maxServers: number;
  /** Includes the last that ended, with their reason. */
  readonly #servers = new Map<string, EnclosedServer>();
  readonly #starting = new Map<string, Promise<EnclosedServer>>();
  #started = 0;
  #closed: Promise<void> | undefined;
  /** Lets leases count starts and requests as use. */
  use = <Result>(work: () => Promise<Result>): Promise<Result> => work();

  constructor(enclosure: Enclosure, { maxServers = 32 }: ToolsOptions = {}) {
    this.#enclosure = enclosure;
    this.#maxServers = maxServers;
    void enclosure.ended.then(() => this.close());
  }

  get servers(): ToolServer[] {
    return this.#running.map((server) => this.#used(server));
  }

  /** Throws `bad_input` for an unknown name. */
  server(name: string): ToolServer {
    const server = this.#servers.get(name);
    if (server) return this.#used(server);
    throw new GyreError('bad_input', `there is no tool server ${JSON.stringify(name)}`, {
      field: 'server',
      fix: `start it; the running ones are ${this.#running.map((server) => server.name).join(', ') || 'none'}`,
    });
  }

  /**
   * Resolves when the server is ready. Throws `bad_input` for the name or command; `missing` or `infra` if it does not
   * start or speak MCP in time.
   */
  async start(terms: ToolServerTerms): Promise<ToolServer> {
    return this.use(async () => {
      const { name } = terms;
      this.#check(terms);
      const starting = this.#begin(terms);
      this.#starting.set(name, starting);
      try {
        const server = await starting;
        if (this.#closed) {
          await server.close();
          throw ended();
        }
        this.#keep(server);
        return this.#used(server);
      } finally {
        this.#starting.delete(name);
      }
    });
  }

  /** Ends all servers and descendants. Idempotent. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
    const tree = { mark: this.#id };
    // Starting servers fail once their process is killed.
    for (; this.#starting.size > 0; await Promise.race([Promise.allSettled(this.#starting.values()), pause(50)]))
      await endTree(tree, 0);
    if (this.#started > 0) await endTree(tree, 0);
  }

  async #begin(terms: ToolServerTerms): Promise<EnclosedServer> {
    // The SDK loads slowly, and few sessions need it.
    const { EnclosedServer } = await import('./enclosedServer.js');
    if (this.#closed) throw ended();
    return EnclosedServer.start({ enclosure: this.#enclosure, mark: `${this.#id}/${++this.#started}/` }, terms);
  }

  #check({ name, command, timeoutMs = 1 }: ToolServerTerms): void {
    if (this.#closed) throw ended();
    const refuse = (field: string, problem: string, fix: string): never => {
      throw new GyreError('bad_input', problem, { field, fix });
    };
    if (!/^[\w.-]{1,64}$/.test(name))
      refuse('name', `${JSON.stringify(name)} is not a server name`, 'use up to 64 letters, digits, ., - and _');
    if (command === '') refuse('command', 'the command is empty', 'use a program of the session');
    if (!(timeoutMs > 0 && timeoutMs < 2 ** 31))
      refuse('timeoutMs', `invalid timeoutMs: ${timeoutMs}`, 'use a number above 0');
    const running = this.#running;
    if (running.some((server) => server.name === name) || this.#starting.has(name))
      refuse('name', `a server named ${name} is already running`, 'close it, or use another name');
    if (running.length + this.#starting.size >= this.#maxServers)
      refuse('maxServers', `${this.#maxServers} tool servers are already running`, 'close some of them first');
  }

  get #running(): EnclosedServer[] {
    return [...this.#servers.values()].filter(({ ended }) => !ended);
  }

  #keep(server: EnclosedServer): void {
    this.#servers.delete(server.name);
    this.#servers.set(server.name, server);
    const over = [...this.#servers.values()].filter(({ ended }) => ended).slice(0, -remembered);
    for (const { name } of over) this.#servers.delete(name);
  }

  #used(server: ToolServer): ToolServer {
    return {
      name: server.name,
      list: () => this.use(() => server.list()),
      call: (...request) => this.use(() => server.call(...request)),
      close: () => server.close(),
    };
  }
}

const ended = (): GyreError =>
  new GyreError('infra', 'the tools were closed', { part: 'machine', fix: 'lease another session' });
