import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import { type Driver, drivers, type ScreenTerms } from './driver.js';
import type { Enclosure } from '../isolation/enclosure.js';
import { Files } from '../files/files.js';
import { type HomeFiles, writeHomeFiles } from '../files/homeFiles.js';
import type { MachineKind } from './kind.js';
import { SessionLog } from '../events/sessionLog.js';
import { Shell } from '../shell/shell.js';
import { Tools } from '../tools/tools.js';
import { endWithProcess } from './shutdown.js';
import type { Warm } from './warmPool.js';

const orderMs = 100;

interface MachineStart extends ScreenTerms {
  readonly outputBytes?: number;
  readonly files?: HomeFiles | undefined;
}

export class Machine implements Warm {
  /** Resolves with the reason if it ends by itself. */
  readonly broken: Promise<GyreError>;
  readonly #forget: () => void;

  private constructor(
    readonly enclosure: Enclosure,
    readonly driver: Driver,
    readonly shell: Shell,
    readonly files: Files,
    readonly tools: Tools,
    readonly log: SessionLog,
  ) {
    const gone = enclosure.ended.then(
      () =>
        new GyreError('infra', 'the machine of the session has ended', {
          part: 'machine',
          fix: 'lease another session',
        }),
    );
    // An ending machine ends its screen too: wait for the cause.
    const screen = driver.broken.then((reason) => Promise.race([gone, pause(orderMs, reason, { ref: false })]));
    this.broken = Promise.race([gone, screen]);
    this.#forget = endWithProcess({ end: () => this.close() });
  }

  /** Closes the enclosure on failure. */
  static async start(
    enclosure: Enclosure,
    kind: MachineKind,
    { outputBytes, files: seeds, ...terms }: MachineStart,
  ): Promise<Machine> {
    const log = new SessionLog();
    let driver: Driver | undefined;
    let starting: Promise<Driver> | undefined;
    let files: Files | undefined;
    try {
      files = await Files.open(enclosure.homeOnHost, {
        home: enclosure.home,
        hardLinks: enclosure.kind !== 'none',
      });
      if (seeds !== undefined) await writeHomeFiles(files, seeds);
      starting = drivers[kind](enclosure, { ...terms, log: (from, text) => log.add(from, text) });
      // Closing must not wait for programs that never answer.
      driver = await Promise.race([starting, enclosure.ended.then(() => Promise.reject(gone()))]);
      return new Machine(enclosure, driver, new Shell(enclosure, { outputBytes }), files, new Tools(enclosure), log);
    } catch (error) {
      await files?.close();
      await driver?.close();
      await enclosure.close();
      void starting?.then((late) => late.close()).catch(() => undefined);
      throw error;
    }
  }

  answers(): Promise<void> {
    return this.driver.answers();
  }

  async close(): Promise<void> {
    const { driver, shell, files, tools, enclosure } = this;
    // First, so that the shell need not search the host's processes.
    if (enclosure.kind !== 'none') await enclosure.close().catch(() => undefined);
    await Promise.allSettled([driver.close(), shell.close(), files.close(), tools.close()]);
    await enclosure.close().finally(this.#forget);
  }
}

const gone = (): GyreError =>
  new GyreError('infra', 'the machine of the session has ended', { part: 'machine', fix: 'lease another session' });
