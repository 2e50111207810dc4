import {
  ADB_SERVER_DEFAULT_FEATURES,
  type AdbBanner,
  type AdbServerClient,
  type AdbSocket,
  type AdbTransport,
} from '@yume-chan/adb';
import { GyreError } from '@gyre/protocol';

/**
 * The way to one device through an adb server. Unlike the client library's own it does not remember every stream that was
 * ever opened: a phone takes pictures for days.
 */
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

  connect(service: string): Promise<AdbSocket> {
    return this.#client.createDeviceConnection({ transportId: this.#id }, service);
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
  new GyreError('bad_input', 'tunnels from the phone are not made here', { fix: 'run `adb reverse`' });
