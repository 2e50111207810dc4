import { availableParallelism } from 'node:os';
import type { SessionSource } from '@gyre/agent';
import type { Size } from '@gyre/protocol';
import { BrowserPool, type MachineKind, Sandbox, type Session } from '@gyre/sandbox';

/** Programs on machines mostly wait, for what they have drawn to be seen. With fewer of them at once cores are idle. */
const machinesPerCore = 4;

/** How long a lease may wait for another machine to end, in ms: as long as it takes. */
const patienceMs = 24 * 3_600_000;

/**
 * Sessions for tasks of all kinds: pages of browsers that are shared, and machines, four at once for each core. Browsers and
 * sandbox start when they are first needed.
 */
export class TaskSessions implements SessionSource {
  readonly #options: { readonly browsers: number; readonly sessionsPerBrowser: number };
  #pool: Promise<BrowserPool> | undefined;
  #sandbox: Promise<Sandbox> | undefined;

  constructor(options: { readonly browsers: number; readonly sessionsPerBrowser: number }) {
    this.#options = options;
  }

  /** Leases a page, or a machine where one is asked for. Throws what their leases throw. */
  async lease({
    size,
    machine,
  }: {
    readonly size: Size;
    readonly machine?: MachineKind | undefined;
  }): Promise<Session> {
    if (machine === undefined) {
      const pool = await (this.#pool ??= BrowserPool.launch(this.#options));
      return pool.lease({ size });
    }
    const sandbox = await (this.#sandbox ??= Sandbox.start({
      quotas: { sessions: machinesPerCore * availableParallelism() },
    }));
    return sandbox.lease({ kind: machine, size, waitMs: patienceMs });
  }

  /** Ends them all. */
  async close(): Promise<void> {
    const started = await Promise.allSettled([this.#pool, this.#sandbox]);
    await Promise.allSettled(started.map((each) => (each.status === 'fulfilled' ? each.value?.close() : undefined)));
  }
}
