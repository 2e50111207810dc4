import { z } from 'zod';
import { Bridge } from '../bridge/bridge.js';
import type { OfficialCode } from '../bridge/officialCode.js';

/** Installs the app that reads the screen's elements. */
const helloMs = 5 * 60_000;

const Hello = z.object({
  tasks: z
    .array(
      z.object({
        name: z.string().regex(/^\w+$/),
        difficulty: z.string().regex(/^\w+$/),
        goal: z.string().min(1),
        budget: z.int().positive(),
        /** Packages that the phone lacks. */
        missing: z.array(z.string()),
      }),
    )
    .min(1),
  /** Packages by the names that AndroidWorld has for them. */
  apps: z.record(z.string(), z.string()),
  phone: z.object({ sdk: z.int().positive(), model: z.string() }),
  screen: z.object({ width: z.int().positive(), height: z.int().positive() }),
});
export type AndroidWorldTask = z.infer<typeof Hello>['tasks'][number];

export interface SeatOptions {
  readonly code: OfficialCode;
  readonly clone: string;
  /** adb's. */
  readonly serial: string;
  /** Port of adb's server. */
  readonly port: number;
  readonly onLog?: ((text: string) => void) | undefined;
}

/** A phone with the official code that sets its tasks up and judges them. */
export class PhoneSeat {
  private constructor(
    readonly serial: string,
    readonly bridge: Bridge,
    readonly hello: z.infer<typeof Hello>,
  ) {}

  static async start({ code, clone, serial, port, onLog }: SeatOptions): Promise<PhoneSeat> {
    const env = { GYRE_ANDROIDWORLD: clone, GRPC_VERBOSITY: 'ERROR' };
    const bridge = new Bridge({
      ...{ name: code.name, program: code.python, args: [code.program], env },
      ...(onLog && { onLog }),
    });
    try {
      const hello = await bridge.call('hello', { serial, port }, Hello, { timeoutMs: helloMs });
      return new PhoneSeat(serial, bridge, hello);
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
