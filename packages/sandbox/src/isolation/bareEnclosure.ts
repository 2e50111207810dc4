import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import type { Command, CommandOptions, Enclosure } from './enclosure.js';

/** No isolation: a home, and the user's own rights. */
export class BareEnclosure implements Enclosure {
  readonly kind = 'none';
  readonly apart = false;
  readonly endsAll = false;
  readonly holds = { memoryBytes: 'none', cpus: 'none', processes: 'none', diskBytes: 'none' } as const;
  readonly ended: Promise<void>;
  readonly #env: Readonly<Record<string, string>>;
  #end: () => void = () => undefined;
  #closed: Promise<void> | undefined;

  private constructor(
    readonly home: string,
    env: Readonly<Record<string, string>>,
  ) {
    this.#env = env;
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  static async create({ env = {} }: { env?: Readonly<Record<string, string>> } = {}): Promise<BareEnclosure> {
    return new BareEnclosure(await mkdtemp(join(tmpdir(), 'gyre-home-')), env);
  }

  get homeOnHost(): string {
    return this.home;
  }

  get system(): { home: string; onHost: string } {
    return { home: this.home, onHost: this.home };
  }

  command(program: string, args: readonly string[] = [], { cwd = this.home, env = {} }: CommandOptions = {}): Command {
    if (this.#closed)
      throw new GyreError('infra', 'the enclosure has ended', { part: 'machine', fix: 'lease another session' });
    const { PATH = '/usr/bin:/bin', LANG = 'C.UTF-8' } = process.env;
    return { file: program, args, env: { PATH, LANG, HOME: this.home, ...this.#env, ...env }, cwd };
  }

  connect(port: number): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket));
      socket.once('error', (cause) => {
        reject(
          new GyreError('infra', `no server listens on port ${port} of the session`, {
            part: 'machine',
            field: 'port',
            cause,
          }),
        );
      });
    });
  }

  // Only the browser's flags block the network here; they take no allow-list.
  explain({ hostname }: URL): string {
    return `host not in allow: ${hostname}; the session has no network access`;
  }

  close(): Promise<void> {
    this.#end();
    return (this.#closed ??= rm(this.home, { recursive: true, force: true }));
  }
}
