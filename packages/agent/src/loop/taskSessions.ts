import { availableParallelism } from 'node:os';
import { BrowserPool, type Machines, Sandbox, type Session, type SessionNeeds } from '@gyre/sandbox';
import { sessionSdk } from '../tools/sdk.js';

/** Programs on machines mostly wait for their drawing to show. With fewer at once, cores are idle. */
const machinesPerCore = 4;

/** Time limit of a lease that waits for another machine to end, in ms. */
const patienceMs = 24 * 3_600_000;

export interface TaskSessionsOptions {
  /** Of pages, which are shared. */
  readonly browsers: number;
  readonly sessionsPerBrowser: number;
  /** Game time of one action in ms. Default: that of a lease. */
  readonly stepMs?: number;
  /** Ends leases that wait or start. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sessions for tasks of all kinds: pages of browsers that are shared, and machines, four at once for each core. Browsers and
 * sandbox start when they are first needed.
 */
export class TaskSessions implements Machines {
  readonly sdk = sessionSdk();
  readonly #options: TaskSessionsOptions;
  #pool: Promise<BrowserPool> | undefined;
  #sandbox: Promise<Sandbox> | undefined;

  constructor(options: TaskSessionsOptions) {
    this.#options = options;
  }

  /** Leases a page, or a machine where one is asked for. Throws what their leases throw. */
  async lease({ size, machine, pictures, alone }: SessionNeeds): Promise<Session> {
    const { stepMs, signal } = this.#options;
    const screen = { size, pictures, ...(stepMs !== undefined && { stepMs }) };
    if (machine === undefined) return (await this.pages()).lease({ ...screen, ...(alone && { alone }) });
    const sandbox = await (this.#sandbox ??= Sandbox.start({
      quotas: { sessions: machinesPerCore * availableParallelism() },
    }));
    const terms = machine === 'browser' ? screen : { size, pictures };
    return sandbox.lease({ kind: machine, ...terms, waitMs: patienceMs, signal });
  }

  /** The browsers whose pages are leased. Throws what their start throws. */
  async pages(): Promise<BrowserPool> {
    const { browsers, sessionsPerBrowser } = this.#options;
    return (this.#pool ??= BrowserPool.launch({ browsers, sessionsPerBrowser }));
  }

  /** Ends them all. */
  async close(): Promise<void> {
    const started = await Promise.allSettled([this.#pool, this.#sandbox]);
    await Promise.allSettled(
      started.map(async (each) => (each.status === 'fulfilled' ? each.value?.close() : undefined)),
    );
  }
}
