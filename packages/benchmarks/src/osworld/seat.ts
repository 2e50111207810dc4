import { compatTerms, type Sandbox } from '@gyre/sandbox';
import { z } from 'zod';
import { Bridge } from '../bridge/bridge.js';
import type { OfficialCode } from '../bridge/officialCode.js';
import { OsworldMachine } from './machine.js';

/** The evaluators import 100 packages, which may not be in the disk's cache. */
const helloMs = 5 * 60_000;

const Hello = z.object({
  versions: z.record(z.string(), z.string()),
  /** Names of getters and metrics. */
  evaluators: z.array(z.string()),
});

export interface SeatOptions {
  readonly sandbox: Sandbox;
  readonly code: OfficialCode;
  /** A clone of OSWorld, which its code reads settings from. */
  readonly directory: string;
  readonly cache: string;
}

/** A machine with the official code that resets and judges it. */
export class Seat {
  private constructor(
    readonly machine: OsworldMachine,
    readonly bridge: Bridge,
    readonly versions: Readonly<Record<string, string>>,
    readonly evaluators: ReadonlySet<string>,
  ) {}

  static async start({ sandbox, code, directory, cache }: SeatOptions): Promise<Seat> {
    const program = code.python;
    const machine = await OsworldMachine.start(sandbox);
    const bridge = new Bridge({ name: code.name, program, args: [code.program], cwd: directory });
    try {
      const terms = { server: machine.url, ...machine.ports, cache, screen: compatTerms.osworld.size };
      const { versions, evaluators } = await bridge.call('hello', terms, Hello, { timeoutMs: helloMs });
      return new Seat(machine, bridge, versions, new Set(evaluators));
    } catch (error) {
      await Promise.allSettled([bridge.close(0), machine.close()]);
      throw error;
    }
  }

  get broken(): boolean {
    return this.bridge.broken;
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.bridge.close(), this.machine.close()]);
  }
}
