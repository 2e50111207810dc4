import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { natsServer } from '../../packages/fleet/dist/natsServer.test.support.js';

export const gyre = fileURLToPath(new URL('../../packages/cli/bin/gyre.mjs', import.meta.url));

/** Set in the process that has namespaces of its own, to its folder. */
const inside = 'GYRE_HOSTS_INSIDE';

/**
 * Starts this program again in namespaces of its own (network, processes, mounts), in which it is root and ends everything it has
 * started when it ends, also by Ctrl-C. Returns only there, with a folder for its files. The folder is removed unless `keep` is set or the
 * program fails.
 */
export async function enterNamespaces({ keep = false } = {}) {
  const folder = process.env[inside];
  if (folder) {
    // The first process of a namespace ignores signals. It ends when the program outside does.
    new Socket({ fd: 3 }).once('close', () => process.exit(interrupted)).resume();
    must('mount', '-t', 'tmpfs', 'none', '/run/netns');
    must('ip', 'link', 'set', 'lo', 'up');
    must('ip', 'link', 'add', 'br0', 'type', 'bridge');
    must('ip', 'addr', 'add', `${addressOf(254)}/24`, 'dev', 'br0');
    must('ip', 'link', 'set', 'br0', 'up');
    return folder;
  }
  if (process.platform !== 'linux' || process.getuid() !== 0) fail('needs Linux and root, for network namespaces');
  if (natsServer === undefined) fail('needs nats-server: apt-get install nats-server');
  if (spawnSync('ip', ['-V']).status !== 0) fail('needs ip: apt-get install iproute2');
  mkdirSync('/run/netns', { recursive: true });
  const created = mkdtempSync(join(tmpdir(), 'gyre-hosts-'));
  const namespaces = ['--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const child = spawn('unshare', [...namespaces, process.execPath, ...process.argv.slice(1)], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...process.env, [inside]: created },
  });
  let isInterrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      isInterrupted = true;
      child.stdio[3].destroy();
    });
  }
  const [status] = await once(child, 'exit');
  if (!keep && (status === 0 || isInterrupted)) rmSync(created, { recursive: true, force: true });
  else console.error(`logs and stores are in ${created}`);
  process.exit(isInterrupted ? interrupted : (status ?? 1));
}

/** The exit status after Ctrl-C. */
const interrupted = 130;

function fail(message) {
  console.error(`error: ${message}`);
  process.exit(2);
}

function must(program, ...args) {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr.trim()}`);
}

export const addressOf = (number) => `10.77.0.${number}`;

/** A host: a network namespace with one cable to a switch. The file system is that of the machine. */
export class Host {
  #number;
  #folder;
  #programs = new Map();

  /** Numbers are 1 to 253. Logs go to `folder`. */
  constructor(number, folder) {
    this.#number = number;
    this.#folder = folder;
    const [name, cable] = [this.name, this.#cable];
    must('ip', 'netns', 'add', name);
    must('ip', 'link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
    must('ip', 'link', 'set', cable, 'up');
    must('ip', '-n', name, 'addr', 'add', `${this.address}/24`, 'dev', 'eth0');
    for (const link of ['lo', 'eth0']) must('ip', '-n', name, 'link', 'set', link, 'up');
    this.heal();
  }

  get name() {
    return `host${this.#number}`;
  }

  get address() {
    return addressOf(this.#number);
  }

  get #cable() {
    return `cable${this.#number}`;
  }

  /** Cuts the host off: packets are lost without an error. */
  partition() {
    must('ip', 'link', 'set', this.#cable, 'nomaster');
  }

  heal() {
    must('ip', 'link', 'set', this.#cable, 'master', 'br0');
  }

  /** Starts a program on the host, or starts it again. */
  start(role, program, args, env = {}) {
    const child = spawn('ip', ['netns', 'exec', this.name, program, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, [inside]: '', ...env },
    });
    const log = createWriteStream(join(this.#folder, `${this.name}-${role}.log`), { flags: 'a' });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.pipe(log, { end: false });
      stream.on('data', (data) => (text += data));
    }
    const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)));
    const started = {
      pid: child.pid,
      ended,
      text: () => text,
      isRunning: () => child.exitCode === null && child.signalCode === null,
    };
    this.#programs.set(role, started);
    return started;
  }

  startGyre(role, args, env) {
    return this.start(role, process.execPath, [gyre, ...args], env);
  }

  program(role) {
    return this.#programs.get(role);
  }

  /** Ends a program by a signal; resolves to its exit status, or the signal. */
  async end(role, signal = 'SIGKILL') {
    const program = this.#programs.get(role);
    if (!program) return undefined;
    if (program.isRunning()) process.kill(program.pid, signal);
    return program.ended;
  }
}

/** Starts NATS with JetStream on a host, as one server of a cluster on `hosts` or alone without them. */
export function startNats(host, hosts, folder) {
  const store = ['-js', '-sd', join(folder, `${host.name}-nats`), '--server_name', host.name];
  const listen = ['-a', host.address, '-p', '4222', ...store];
  if (hosts.length === 0) return host.start('nats', natsServer, listen);
  const routes = hosts.map(({ address }) => `nats://${address}:6222`).join(',');
  const cluster = ['--cluster_name', 'gyre', '--cluster', `nats://${host.address}:6222`, '--routes', routes];
  return host.start('nats', natsServer, [...listen, ...cluster]);
}

/** Waits for a condition, which `reason` names. Throws after `ms`. */
export async function until(reason, condition, ms = 120_000) {
  const end = performance.now() + ms;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > end) throw new Error(`waited ${ms / 1000} s for ${reason}`);
    await delay(200);
  }
}

export const listens = (address, port) =>
  new Promise((resolve) => {
    const socket = connect({ host: address, port, timeout: 1_000 }, () => resolve(true));
    socket.once('error', () => resolve(false)).once('timeout', () => resolve(false));
    socket.once('close', () => socket.destroy());
  });

/** Returns the command lines of all processes in these namespaces but this one. */
export function processes() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return words === '' ? [] : [words];
      } catch {
        return [];
      }
    });
}
