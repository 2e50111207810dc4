import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder into which `npm test` unpacks Debian's package. */
const unpacked = fileURLToPath(new URL('../../../node_modules/.gyre-nats/usr/sbin', import.meta.url));

/** Path of nats-server, or undefined if it is not installed. */
export const natsServer: string | undefined = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', unpacked]
  .map((folder) => join(folder, 'nats-server'))
  .find((path) => {
    if (!existsSync(path)) return false;
    accessSync(path, constants.X_OK);
    return true;
  });

/** Ends the name of tests that need it. */
export const needsNats = natsServer === undefined ? ' (skipped: apt-get install nats-server)' : '';

/** A real nats-server with JetStream on the loopback. */
export class NatsProcess {
  readonly #port: number;
  readonly #folder: string;
  readonly #more: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(port: number, folder: string, more: readonly string[] = []) {
    this.#port = port;
    this.#folder = folder;
    this.#more = more;
  }

  static async start(): Promise<NatsProcess> {
    const server = new NatsProcess(await freePort(), await mkdtemp(join(tmpdir(), 'gyre-nats-')));
    await server.resume();
    return server;
  }

  /** Starts the servers of one cluster. */
  static async startCluster(size: number): Promise<NatsProcess[]> {
    const ports = await Promise.all(Array.from({ length: size }, freePort));
    const urls = ports.map((port) => `nats://127.0.0.1:${port}`);
    const servers = await Promise.all(
      urls.map(async (url, index) => {
        const routes = ['--cluster_name', 'test', '--cluster', url, '--routes', urls.join(',')];
        const [port, folder] = [await freePort(), await mkdtemp(join(tmpdir(), 'gyre-nats-'))];
        return new NatsProcess(port, folder, ['--server_name', `server${index}`, ...routes]);
      }),
    );
    await Promise.all(servers.map((server) => server.resume()));
    return servers;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.#port}`;
  }

  /** Starts it again, with what it has stored. */
  async resume(): Promise<void> {
    const args = ['-js', '-sd', this.#folder, '-a', '127.0.0.1', '-p', String(this.#port), ...this.#more];
    this.#child = spawn(natsServer!, args, { stdio: 'ignore' });
    for (let attempt = 0; attempt < 200; attempt++) {
      if (await accepts(this.#port)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('nats-server does not listen');
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child?.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async close(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).once('error', () => resolve(false));
  });
}
