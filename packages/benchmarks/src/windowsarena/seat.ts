import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import { Bridge } from '../bridge/bridge.js';
import type { OfficialCode } from '../bridge/officialCode.js';
import { settleAfterStart } from '../osworld/environment.js';

/** The evaluators import 100 packages. */
const helloMs = 5 * 60_000;

/** Windows boots. */
const restartMs = 30 * 60_000;

const Hello = z.object({
  /** Names of getters and metrics. */
  evaluators: z.array(z.string()),
  screen: z.object({ width: z.int().positive(), height: z.int().positive() }),
});

export interface ArenaSeatOptions {
  readonly code: OfficialCode;
  /** The folder `client` of a clone, which its code reads settings from. */
  readonly client: string;
  readonly cache: string;
  /** Host of the machine, whose server listens on port 5000. */
  readonly machine: string;
  /** Shell command that restarts the machine MACHINE, and ends when it answers. Default: none. */
  readonly restart?: string | undefined;
  readonly onLog?: ((text: string) => void) | undefined;
}

/** A machine with Windows, and the official code that sets its tasks up and judges them. */
export class ArenaSeat {
  private constructor(
    readonly bridge: Bridge,
    readonly evaluators: ReadonlySet<string>,
    readonly screen: z.infer<typeof Hello>['screen'],
    readonly renew: () => Promise<void>,
  ) {}

  static async start({ code, client, cache, machine, restart, onLog }: ArenaSeatOptions): Promise<ArenaSeat> {
    const env = { GYRE_WINDOWSARENA: client };
    const bridge = new Bridge({
      ...{ name: code.name, program: code.python, args: [code.program], cwd: client, env },
      ...(onLog && { onLog }),
    });
    try {
      const terms = { machine, cache, settle: settleAfterStart };
      const { evaluators, screen } = await bridge.call('hello', terms, Hello, { timeoutMs: helloMs });
      return new ArenaSeat(bridge, new Set(evaluators), screen, () => restartMachine(restart, machine));
    } catch (error) {
      await bridge.close(0);
      throw error;
    }
  }

  get broken(): boolean {
    return this.bridge.broken;
  }

  close(): Promise<void> {
    return this.bridge.close();
  }
}

async function restartMachine(restart: string | undefined, machine: string): Promise<void> {
  if (restart === undefined) return;
  try {
    await promisify(exec)(restart, { timeout: restartMs, env: { ...process.env, MACHINE: machine } });
  } catch (cause) {
    const { stderr = '', message } = cause as Error & { stderr?: string };
    throw new GyreError('infra', `the machine was not restarted: ${(stderr.trim() || message).slice(-300)}`, {
      part: 'remote',
      field: '--restart',
      fix: 'run the command by hand',
      cause,
    });
  }
}
