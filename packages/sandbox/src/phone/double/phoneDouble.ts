import type { KeyObject } from 'node:crypto';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { DeviceDouble } from './deviceDouble.js';
import { KeyCheck } from './keyCheck.js';
import { commands, encodePacket, maxData, readPackets, version, type Packet } from './packet.js';
import { serveShell, ShellDouble } from './shellDouble.js';
import { DoubleStream } from './stream.js';
import { serveSync } from './syncDouble.js';

export interface PhoneDoubleOptions {
  /** Default: true. */
  readonly allows?: boolean;
  /** Extended by newly allowed keys. */
  readonly keys?: KeyObject[];
  /** Default: a new one. */
  readonly device?: DeviceDouble;
  /** Default: Android 13's. */
  readonly features?: readonly string[];
}

const empty = Buffer.alloc(0);

/**
 * The device side of the ADB protocol over TCP, for a real adb server. Its shell is this machine's `sh`; its programs
 * (`input`, `wm`, `screencap`, …) act on a {@link DeviceDouble}.
 */
export class PhoneDouble {
  readonly device: DeviceDouble;
  readonly serial: string;
  readonly #server: Server;
  readonly #shell: ShellDouble;
  readonly #options: PhoneDoubleOptions;
  readonly #sockets = new Set<Socket>();
  readonly #keys: KeyObject[];

  private constructor(server: Server, shell: ShellDouble, device: DeviceDouble, options: PhoneDoubleOptions) {
    this.device = device;
    this.#server = server;
    this.#shell = shell;
    this.#options = options;
    this.#keys = options.keys ?? [];
    this.serial = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('connection', (socket) => this.#serve(socket));
  }

  static async start(options: PhoneDoubleOptions = {}): Promise<PhoneDouble> {
    const device = options.device ?? new DeviceDouble();
    const shell = await ShellDouble.start(device);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new PhoneDouble(server, shell, device, options);
  }

  get running(): number {
    return this.#shell.running;
  }

  async unplug(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async close(): Promise<void> {
    if (this.#server.listening) await this.unplug();
    await this.#shell.close();
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    const streams = new Map<number, DoubleStream>();
    const check = new KeyCheck(this.#keys);
    const send = (packet: Packet) => {
      if (socket.writable) socket.write(encodePacket(packet));
    };
    const ask = () => send({ command: commands.auth, arg0: 1, arg1: 0, data: check.token });
    let trusted = false;
    let lastId = 0;
    const trust = () => {
      trusted = true;
      send({ command: commands.connect, arg0: version, arg1: maxData, data: Buffer.from(this.#banner()) });
    };
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#sockets.delete(socket);
      for (const stream of streams.values()) stream.onClose();
    });
    readPackets(socket, (packet) => {
      const { command, arg0, arg1, data } = packet;
      if (command === commands.connect) return ask();
      if (command === commands.auth) {
        if (arg0 === 2) return check.accepts(data) ? trust() : ask();
        if (this.#options.allows === false) return;
        check.allow(data);
        return trust();
      }
      if (!trusted) return void socket.destroy();
      if (command !== commands.open) return streams.get(arg1)?.take(packet);
      const id = ++lastId;
      const stream = new DoubleStream(id, arg0, send);
      const close = this.#open(data.toString('utf8').replace(/\0$/, ''), stream);
      if (close === undefined) return send({ command: commands.close, arg0: 0, arg1: arg0, data: empty });
      streams.set(id, stream);
      stream.onClose = () => {
        streams.delete(id);
        close();
      };
      send({ command: commands.okay, arg0: id, arg1: arg0, data: empty });
    });
  }

  #open(service: string, stream: DoubleStream): (() => void) | undefined {
    if (service === 'sync:') return serveSync(this.device.files, stream);
    const shell = /^(shell|exec)((?:,[^:]*)?):(.*)$/s.exec(service);
    if (shell === null) return undefined;
    return serveShell(this.#shell, shell[3]!, stream, shell[2]!.split(',').includes('v2'));
  }

  #banner(): string {
    const more = this.#options.features ?? ['stat_v2', 'ls_v2', 'fixed_push_mkdir', 'sendrecv_v2'];
    const features = ['shell_v2', 'cmd', ...more].join(',');
    const properties = {
      'ro.product.name': 'gyre_double',
      'ro.product.model': 'Gyre_Double',
      'ro.product.device': 'double',
    };
    const pairs = Object.entries({ ...properties, features }).map(([name, value]) => `${name}=${value}`);
    return `device::${pairs.join(';')}`;
  }
}
