import { readFile } from 'node:fs/promises';
import { GyreError } from '@gyre/protocol';
import { connect, type ConnectionOptions, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node';

export interface NatsOptions {
  /** Such as `nats://10.0.0.5:4222`, with `user:password@` or `token@`; `tls://` for TLS. */
  readonly servers: readonly string[];
  /** Path of a credentials file. */
  readonly credentials?: string | undefined;
}

/** Connects, and reconnects until closed. Throws `bad_input`, and `infra` if no server answers. */
export async function connectNats({ servers, credentials }: NatsOptions, name: string): Promise<NatsConnection> {
  const urls = servers.map(parsedServer);
  const login = urls.find(({ username }) => username !== '');
  const options: ConnectionOptions = {
    name,
    servers: urls.map(({ host }) => host),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    // Detects a silent server in seconds.
    pingInterval: 2_000,
    maxPingOut: 3,
    ignoreAuthErrorAbort: true,
    ...(urls.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
    ...(login && loginOf(login)),
    ...(credentials !== undefined && { authenticator: credsAuthenticator(await readCredentials(credentials)) }),
  };
  try {
    return await connect(options);
  } catch (cause) {
    throw new GyreError('infra', `cannot connect to NATS: ${(cause as Error).message}`, {
      part: 'network',
      field: '--join',
      fix: 'check that nats-server runs with -js at this address, and the credentials',
      cause,
    });
  }
}

/** Returns how many servers of NATS shall have a copy of what is stored: three of a cluster. */
export function replicasOf(nc: NatsConnection): number {
  return nc.info?.cluster === undefined ? 1 : 3;
}

/** Calls `listener` after each disconnection and reconnection, until the returned function is called. */
export function onConnection(nc: NatsConnection, listener: (isConnected: boolean) => void): () => void {
  let active = true;
  const follow = async (): Promise<void> => {
    for await (const { type } of nc.status()) {
      if (!active) return;
      if (type === 'disconnect' || type === 'reconnect') listener(type === 'reconnect');
    }
  };
  void follow();
  return () => {
    active = false;
  };
}

function parsedServer(text: string): URL {
  const url = URL.parse(text.includes('://') ? text : `nats://${text}`);
  if (url && /^(?:nats|tls):$/.test(url.protocol) && url.hostname !== '') return url;
  throw new GyreError('bad_input', `${JSON.stringify(text)} is not an address of NATS`, {
    field: '--join',
    fix: 'use an address such as nats://127.0.0.1:4222',
  });
}

function loginOf({ username, password }: URL): Pick<ConnectionOptions, 'user' | 'pass' | 'token'> {
  const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)];
  return pass === '' ? { token: user } : { user, pass };
}

async function readCredentials(path: string): Promise<Uint8Array> {
  return readFile(path).catch((cause: unknown) => {
    throw new GyreError('bad_input', `cannot read ${path}`, {
      field: '--nats-creds',
      fix: 'name a readable file',
      cause,
    });
  });
}
