import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programText } from '../../shell/programText.js';
import type { DeviceDouble } from './deviceDouble.js';
import type { DoubleStream } from './stream.js';

/** Forwards arguments and prints the answer, whose first line is the exit status. */
const stub = programText(new URL('./forwarder.sh', import.meta.url));

export class ShellDouble {
  readonly #server: Server;
  readonly #folder: string;
  readonly #device: DeviceDouble;
  readonly #children = new Set<number>();

  private constructor(server: Server, folder: string, device: DeviceDouble) {
    this.#server = server;
    this.#folder = folder;
    this.#device = device;
  }

  static async start(device: DeviceDouble): Promise<ShellDouble> {
    const folder = await mkdtemp(join(tmpdir(), 'gyre-phone-double-'));
    await mkdir(join(folder, 'bin'));
    await writeFile(join(folder, 'stub'), stub);
    await chmod(join(folder, 'stub'), 0o755);
    for (const name of device.programs) await symlink(join(folder, 'stub'), join(folder, 'bin', name));
    const server = createServer((socket) => answer(socket, device));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ShellDouble(server, folder, device);
  }

  get running(): number {
    return this.#children.size;
  }

  start(command: string) {
    const [program, ...args] = this.#device.shellOf(this.#folder);
    const child = spawn(program, [...args, '-c', command], {
      cwd: this.#folder,
      env: {
        PATH: `${join(this.#folder, 'bin')}:/usr/bin:/bin`,
        GYRE_DOUBLE_PORT: String((this.#server.address() as AddressInfo).port),
      },
      detached: true,
    });
    const { pid } = child;
    if (pid !== undefined) {
      this.#children.add(pid);
      child.on('close', () => this.#children.delete(pid));
    }
    return child;
  }

  async close(): Promise<void> {
    for (const pid of this.#children) end(pid);
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function answer(socket: Socket, device: DeviceDouble): void {
  let request = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (data: Buffer) => {
    request = Buffer.concat([request, data]);
    const words = request.toString('utf8').split('\0');
    const count = Number(words[0]);
    // The name precedes the arguments; nothing follows the last zero.
    if (words.length < 3 || words.length < count + 3) return;
    const { status, output } = device.runProgram(words[1]!, words.slice(2, 2 + count));
    socket.end(Buffer.concat([Buffer.from(`${status}\n`), Buffer.from(output)]));
  });
}

/** @param parted sends stdout, stderr and exit status in packets (shell_v2). */
export function serveShell(shell: ShellDouble, command: string, stream: DoubleStream, parted: boolean): () => void {
  const child = shell.start(command);
  const packet = (id: number, data: Buffer) => {
    const header = Buffer.alloc(5);
    header.writeUInt8(id, 0);
    header.writeUInt32LE(data.length, 1);
    stream.write(Buffer.concat([header, data]));
  };
  child.stdout.on('data', (data: Buffer) => (parted ? packet(1, data) : stream.write(data)));
  child.stderr.on('data', (data: Buffer) => (parted ? packet(2, data) : stream.write(data)));
  child.stdin.on('error', () => {});
  child.on('close', (code) => {
    if (parted) packet(3, Buffer.from([code ?? 129]));
    stream.end();
  });
  return () => {
    if (child.pid !== undefined && child.exitCode === null) end(child.pid);
  };
}

function end(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
