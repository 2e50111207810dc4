import {
  ADB_SERVER_DEFAULT_FEATURES,
  type AdbBanner,
  type AdbServerClient,
  type AdbSocket,
  type AdbTransport,
} from '@yume-chan/adb';
import { TransformStream } from '@yume-chan/stream-extra';
import { GyreError } from '@gyre/protocol';
import { packetSplitterFor } from './framing.js';

/** Unlike the client library's, it does not retain every opened stream: a phone takes pictures for days. */
export class Transport implements AdbTransport {
  readonly maxPayloadSize = 2 ** 20;
  readonly clientFeatures = ADB_SERVER_DEFAULT_FEATURES;
  readonly #client: AdbServerClient;
  readonly #id: bigint;

  constructor(
    client: AdbServerClient,
    id: bigint,
    readonly serial: string,
    readonly banner: AdbBanner,
    readonly disconnected: Promise<void>,
  ) {
    this.#client = client;
    this.#id = id;
  }

  async connect(service: string): Promise<AdbSocket> {
    const socket = await this.#client.createDeviceConnection({ transportId: this.#id }, service);
    const cut = packetSplitterFor(service);
    if (cut === undefined) return socket;
    const packets = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        try {
          for (const packet of cut(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)))
            controller.enqueue(packet);
        } catch (error) {
          void Promise.resolve(socket.close()).catch(() => undefined);
          throw error;
        }
      },
    });
    return {
      service: socket.service,
      writable: socket.writable,
      closed: socket.closed,
      close: () => socket.close(),
      readable: socket.readable.pipeThrough(packets),
    };
  }

  addReverseTunnel(): Promise<string> {
    return Promise.reject(noTunnel());
  }

  removeReverseTunnel(): Promise<void> {
    return Promise.reject(noTunnel());
  }

  clearReverseTunnels(): void {}

  close(): void {}
}

const noTunnel = () =>
  new GyreError('bad_input', 'tunnels from the phone are not supported', { fix: 'run `adb reverse`' });
