import { spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds between SIGTERM and SIGKILL. */
const graceMs = 8_000;

/** Reserves a port for a server that starts soon. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** A server program, with its output in a file. */
export class ServerProcess {
  #child;
  #exit;

  constructor(name, { program, args, env, log, cwd }) {
    this.name = name;
    this.log = log;
    const file = openSync(log, 'w');
    const options = { env: { ...process.env, ...env }, cwd, stdio: ['ignore', file, file], detached: true };
    this.#child = spawn(program, args, options);
    this.#child.on('error', (error) => (this.#exit ??= error.message));
    this.#child.on('exit', (code, signal) => (this.#exit ??= `exit status ${code ?? signal}`));
    closeSync(file);
  }

  get pid() {
    return this.#child.pid;
  }

  /**
   * Waits until `isReady` resolves to true.
   *
   * @throws Error if the program ends before, or after `timeoutMs`
   */
  async ready(isReady, timeoutMs = 3_600_000) {
    const end = performance.now() + timeoutMs;
    while (!(await isReady().catch(() => false))) {
      if (this.#exit !== undefined) throw new Error(`${this.name} ended (${this.#exit}): see ${this.log}`);
      if (performance.now() > end) throw new Error(`${this.name} is not ready after ${timeoutMs} ms: see ${this.log}`);
      await delay(500);
    }
  }

  /** Ends the program and its descendants. */
  async stop() {
    const pids = [this.pid, ...descendants(this.pid)];
    signal(pids, 'SIGTERM');
    const end = performance.now() + graceMs;
    while (pids.some(isAlive) && performance.now() < end) await delay(100);
    signal(pids, 'SIGKILL');
  }

  /** Ends the program at once, for a process that exits. */
  kill() {
    signal([this.pid, ...descendants(this.pid)], 'SIGKILL');
  }
}

function signal(pids, name) {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended.
    }
  }
}

function isAlive(pid) {
  try {
    // A zombie's parent reaps it.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Lists the processes below one, from /proc. */
export function descendants(root) {
  const children = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const parent = parentOf(pid);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(pid)]);
  }
  const below = (pid) => (children.get(pid) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(root);
}

/** Returns a process's command line; empty if it has ended. */
export function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
