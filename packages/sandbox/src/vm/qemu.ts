import { spawn, type ChildProcess } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import type { Enclosure } from '../isolation/enclosure.js';
import { descriptor } from './arguments.js';
import { boundToStdin } from './boundToStdin.js';
import { Qmp } from './qmp.js';
import { qemu } from './requirement.js';

/** For QEMU to exit after announcing it. */
const graceMs = 1_000;

/** By QEMU's run state. */
const stuck: Readonly<Record<string, { readonly why: string; readonly fix: string }>> = {
  'io-error': {
    why: 'its disk is full',
    fix: 'give the session more disk (limits.diskBytes): it stores the writes of the guest and snapshots',
  },
  'internal-error': { why: 'its processor failed', fix: "use acceleration: 'tcg'" },
  'guest-panicked': { why: 'it panicked', fix: 'check the output of its serial port' },
  watchdog: { why: 'its watchdog expired', fix: 'check the output of its serial port' },
};

export class Qemu {
  readonly qmp: Qmp;
  readonly ended: Promise<GyreError>;
  readonly #child: ChildProcess;
  readonly #exited: Promise<string>;
  /** May precede the exit. */
  #reason: GyreError | undefined;

  private constructor(child: ChildProcess, exited: Promise<string>, qmp: Qmp) {
    this.#child = child;
    this.#exited = exited;
    this.qmp = qmp;
    qmp.listen(({ event, data }) => {
      if (event === 'SHUTDOWN' && data.guest === true) this.#reason ??= shutDown(data.reason);
      if (event === 'STOP') void this.#lookWhy();
    });
    this.ended = this.#over();
  }

  /**
   * Resolves when QEMU accepts commands. Throws `infra` with its message.
   *
   * @param files descriptors of image and screen.
   * @param timeoutMs per answer.
   */
  static async start(
    enclosure: Enclosure,
    args: readonly string[],
    files: { readonly image: number; readonly screen: number },
    timeoutMs: number,
  ): Promise<Qemu> {
    const { file, args: childArgs, env, cwd } = enclosure.command(...boundToStdin(qemu.name, args), { as: 'system' });
    const child = spawn(file, [...childArgs], {
      // Node's pipes are unnamed sockets: nobody else can reach the last.
      stdio: ['pipe', 'ignore', 'pipe', files.image, files.screen, 'pipe'],
      env: { ...env },
      cwd,
      // Out of reach of ctrl-C.
      detached: true,
    });
    const exited = ending(child);
    const stream = (child.stdio as readonly unknown[])[descriptor.qmp] as Duplex;
    try {
      const qmp = await Qmp.open(stream, timeoutMs);
      hold(child, false);
      return new Qemu(child, exited, qmp);
    } catch (error) {
      // It exited with a reason, or hangs.
      const end = await Promise.race([exited, pause(graceMs)]);
      kill(child);
      await exited;
      if (typeof end !== 'string') throw error;
      throw new GyreError('infra', `the machine did not start: ${end}`, {
        part: 'vm',
        field: 'vm',
        fix: 'check the error of QEMU, or use another version',
        cause: error,
      });
    }
  }

  async close(): Promise<void> {
    this.#reason ??= new GyreError('infra', 'the machine was closed', {
      part: 'vm',
      field: 'vm',
      fix: 'start another machine',
    });
    hold(this.#child, true);
    await Promise.race([this.qmp.ask('quit').catch(() => undefined), pause(graceMs, undefined, { ref: false })]);
    this.qmp.close();
    await this.ended;
  }

  async #over(): Promise<GyreError> {
    const why = await this.qmp.ended;
    // The waiter needs the reason even if nothing else keeps this process alive.
    hold(this.#child, true);
    // QEMU disconnects just before it exits.
    const end = await Promise.race([this.#exited, pause(graceMs)]);
    kill(this.#child);
    await this.#exited;
    return this.#reason ?? (typeof end === 'string' ? died(end, why) : why);
  }

  /** Machines also stop during snapshots. */
  async #lookWhy(): Promise<void> {
    const { status } = (await this.qmp.ask('query-status').catch(() => ({}))) as { readonly status?: string };
    const known = stuck[status ?? ''];
    if (!known) return;
    this.#reason ??= new GyreError('infra', `the guest stopped: ${known.why}`, {
      part: 'vm',
      field: 'vm',
      fix: known.fix,
    });
    this.qmp.close();
  }
}

function ending(child: ChildProcess): Promise<string> {
  let lastLine = '';
  child.stderr!.on('data', (data: Buffer) => (lastLine = (lastLine + data.toString()).slice(-2_000)));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(lastLine.trim() || `it ended with ${signal ?? String(code)}`));
  });
}

/** Sets whether the child keeps this process alive. */
function hold(child: ChildProcess, referenced: boolean): void {
  for (const part of [child, ...child.stdio] as ({ ref?(): void; unref?(): void } | null)[]) {
    if (referenced) part?.ref?.();
    else part?.unref?.();
  }
}

function kill(child: ChildProcess): void {
  child.stdin!.destroy();
  try {
    process.kill(-child.pid!, 'SIGKILL');
  } catch {
    // Already gone.
  }
}

function shutDown(reason: unknown): GyreError {
  const panicked = reason === 'guest-panic';
  return new GyreError('infra', panicked ? 'the guest panicked' : 'the guest shut down', {
    part: 'vm',
    field: 'vm',
    fix: 'start another machine',
  });
}

function died(message: string, cause: GyreError): GyreError {
  return new GyreError('infra', `QEMU has ended: ${message}`, {
    part: 'vm',
    field: 'vm',
    fix: 'if it was killed, give the session more memory (limits.memoryBytes) than the guest',
    cause,
  });
}
