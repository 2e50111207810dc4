import { compatTerms, type Sandbox } from '@gyre/sandbox';
import { z } from 'zod';
import { Bridge } from '../bridge/bridge.js';
import type { OfficialCode } from '../bridge/officialCode.js';
import { OsworldMachine } from './machine.js';

/** The evaluators import 100 packages, which may not be in the disk's cache. */
const helloMs = 5 * 60_000;

/** OSWorld downloads its image, 12 GB, and boots it. */
const bootMs = 2 * 60 * 60_000;

/** OSWorld stops its machine, or terminates its instance. */
const stopMs = 2 * 60_000;

/** OSWorld's own, except for `gyre`: desktops of this machine. */
export const osworldProviders = ['gyre', 'docker', 'vmware', 'virtualbox', 'aws'] as const;
export type OsworldProvider = (typeof osworldProviders)[number];

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
  readonly provider: OsworldProvider;
  /** Image or machine, as OSWorld's `path_to_vm`. Default: the one that OSWorld downloads or allocates. */
  readonly vm?: string | undefined;
  /** Region of a cloud. */
  readonly region?: string | undefined;
}

/** A machine with the official code that resets and judges it. */
export class Seat {
  private constructor(
    /** Absent where OSWorld's provider has the machine. */
    readonly machine: OsworldMachine | undefined,
    readonly bridge: Bridge,
    readonly versions: Readonly<Record<string, string>>,
    readonly evaluators: ReadonlySet<string>,
  ) {}

  static async start({ sandbox, code, directory, cache, provider, vm, region }: SeatOptions): Promise<Seat> {
    const program = code.python;
    const machine = provider === 'gyre' ? await OsworldMachine.start(sandbox) : undefined;
    const bridge = new Bridge({ name: code.name, program, args: [code.program], cwd: directory });
    try {
      const terms = {
        ...{ provider, vm: vm ?? null, region: region ?? null, cache, screen: compatTerms.osworld.size },
        ...(machine && { server: machine.url, ...machine.ports }),
      };
      const timeoutMs = machine ? helloMs : bootMs;
      const { versions, evaluators } = await bridge.call('hello', terms, Hello, { timeoutMs });
      return new Seat(machine, bridge, versions, new Set(evaluators));
    } catch (error) {
      await Promise.allSettled([bridge.close(machine ? 0 : stopMs), machine?.close()]);
      throw error;
    }
  }

  get broken(): boolean {
    return this.bridge.broken;
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.bridge.close(this.machine ? undefined : stopMs), this.machine?.close()]);
  }
}
