import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

/** A real adb server with its own port and home. */
export interface PrivateServer {
  readonly port: number;
  adb(...words: string[]): Promise<string>;
  kill(): Promise<void>;
  close(): Promise<void>;
}

export async function startPrivateServer(): Promise<PrivateServer> {
  const home = await mkdtemp(join(tmpdir(), 'gyre-adb-'));
  const port = await freePort();
  // Do not scan emulators' ports.
  const env = {
    ...process.env,
    HOME: home,
    TMPDIR: home,
    ANDROID_ADB_SERVER_PORT: String(port),
    ADB_LOCAL_TRANSPORT_MAX_PORT: '5553',
  };
  const adb = async (...words: string[]) => {
    const { stdout, stderr } = await promisify(execFile)('adb', words, { env, timeout: 20_000 });
    return stdout + stderr;
  };
  const server = spawn('adb', ['nodaemon', 'server'], { env, stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const kill = async () => {
    server.kill('SIGKILL');
    await ended;
  };
  const close = async () => {
    await kill();
    await rm(home, { recursive: true, force: true });
  };
  for (let tries = 0; !(await listens(port)); tries++) {
    if (tries > 200 || server.exitCode !== null) {
      await close();
      throw new Error('the adb server did not start');
    }
    await pause(25);
  }
  return { port, adb, kill, close };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
