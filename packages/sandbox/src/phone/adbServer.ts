import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { AdbServerClient } from '@yume-chan/adb';
import { AdbServerNodeTcpConnector } from '@yume-chan/adb-server-node-tcp';
import { GyreError } from '@gyre/protocol';

export interface AdbServerOptions {
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: ANDROID_ADB_SERVER_PORT, or 5037. */
  readonly port?: number;
  /** Starts a local server if none listens; it outlives this process. Default: false. */
  readonly startServer?: boolean;
}

const install = 'install adb: `apt-get install adb` (Debian), or the platform tools of Android';

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '::1']);

/** Since 2019; connections have numbers. */
const minVersion = 41;

/** Throws `missing` without adb, `infra` without a server. */
export async function adbServer(options: AdbServerOptions = {}): Promise<AdbServerClient> {
  const { host, port } = placeOf(options);
  const { startServer = false } = options;
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new GyreError('bad_input', `the port ${port} is out of range`, {
      field: 'port',
      fix: 'use a port from 1 to 65535; adb uses 5037',
    });
  }
  const client = new AdbServerClient(new AdbServerNodeTcpConnector({ host, port }));
  const reason = await silence(client);
  if (reason === undefined) return client;
  const where = adbAddress(options);
  if (!startServer) {
    const local = loopback.has(host);
    throw new GyreError(
      local && !adbIsInstalled() ? 'missing' : 'infra',
      `no adb server answers at ${where}: ${reason}`,
      {
        part: 'phone',
        field: 'port',
        fix: !local
          ? 'start one there (`adb -a nodaemon server`), or use the host and port of another'
          : adbIsInstalled()
            ? 'run `adb start-server`, or use `startServer: true`'
            : install,
      },
    );
  }
  if (!loopback.has(host)) {
    throw new GyreError('bad_input', `cannot start an adb server on ${host} from here`, {
      field: 'startServer',
      fix: 'start it there, or omit the host',
    });
  }
  await start(port);
  const still = await silence(client);
  if (still === undefined) return client;
  throw new GyreError('infra', `the adb server that was started does not answer at ${where}: ${still}`, {
    part: 'phone',
    field: 'port',
    fix: 'check adb.log in the temporary folder',
  });
}

export function adbAddress(options: AdbServerOptions = {}): string {
  const { host, port } = placeOf(options);
  return `${host}:${port}`;
}

const placeOf = ({ host = '127.0.0.1', port = defaultPort() }: AdbServerOptions) => ({ host, port });

function defaultPort(): number {
  const named = process.env.ANDROID_ADB_SERVER_PORT;
  return named === undefined || named === '' ? 5_037 : Number(named);
}

export function adbIsInstalled(env: NodeJS.ProcessEnv = process.env): boolean {
  return (env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, 'adb')));
}

/** Returns why the server does not answer, if so. */
async function silence(client: AdbServerClient): Promise<string | undefined> {
  let version: number;
  try {
    version = await client.getVersion();
  } catch (error) {
    return reasonOf(error);
  }
  if (version >= minVersion) return undefined;
  throw new GyreError('infra', `the adb server speaks version ${version} of its protocol`, {
    part: 'phone',
    field: 'port',
    fix: `install an adb of version 1.0.${minVersion} or later`,
  });
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

async function start(port: number): Promise<void> {
  if (!adbIsInstalled()) throw new GyreError('missing', 'adb is not installed', { field: 'adb', fix: install });
  try {
    await promisify(execFile)('adb', ['-P', String(port), 'start-server'], { timeout: 30_000 });
  } catch (cause) {
    throw new GyreError('infra', 'the adb server did not start', {
      part: 'phone',
      field: 'startServer',
      fix: `run \`adb -P ${port} start-server\` to see its error`,
      cause,
    });
  }
}
