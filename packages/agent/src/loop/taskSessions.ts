import { availableParallelism } from 'node:os';
import { BrowserPool, type Machines, Sandbox, type Session, type SessionNeeds } from '@gyre/sandbox';
import { sessionSdk } from '../tools/sdk.js';

/** Machines mostly wait for drawing. */
const machinesPerCore = 4;

/** In ms. */
const patienceMs = 24 * 3_600_000;

export interface TaskSessionsOptions {
  readonly browsers: number;
  readonly sessionsPerBrowser: number;
  /** In ms. */
  readonly stepMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Leases pages of shared browsers, and up to four machines per core. Both start on demand. */
export class TaskSessions implements Machines {
  readonly sdk = sessionSdk();
  readonly #options: TaskSessionsOptions;
  #pool: Promise<BrowserPool> | undefined;
  #sandbox: Promise<Sandbox> | undefined;

  constructor(options: TaskSessionsOptions) {
    this.#options = options;
  }

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

  async pages(): Promise<BrowserPool> {
    const { browsers, sessionsPerBrowser } = this.#options;
    return (this.#pool ??= BrowserPool.launch({ browsers, sessionsPerBrowser }));
  }

  async close(): Promise<void> {
    const started = await Promise.allSettled([this.#pool, this.#sandbox]);
    await Promise.allSettled(
      started.map(async (each) => (each.status === 'fulfilled' ? each.value?.close() : undefined)),
    );
  }
}
