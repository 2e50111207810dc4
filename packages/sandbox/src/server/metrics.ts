import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { SandboxEvent } from '../events/event.js';
import type { SandboxKind } from '../lease/kind.js';
import type { WarmState } from '../lease/sandbox.js';

export interface MetricsSources {
  /** Kinds of the leased sessions. */
  readonly sessions: () => readonly SandboxKind[];
  readonly places: () => { readonly total: number; readonly taken: number; readonly isOpen: boolean };
  readonly warm: () => readonly WarmState[];
}

const faults: ReadonlySet<SandboxEvent['type']> = new Set<SandboxEvent['type']>([
  'session.expired',
  'page.crashed',
  'machine.died',
  'pool.failed',
  'quota.reached',
]);

export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Counter({
    name: 'gyre_sandbox_requests_total',
    help: 'Requests answered',
    labelNames: ['route', 'status'],
    registers: [this.#registry],
  });
  readonly #seconds = new Histogram({
    name: 'gyre_sandbox_request_seconds',
    help: 'Time of a request',
    labelNames: ['route'],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
    registers: [this.#registry],
  });

  readonly #starts = new Histogram({
    name: 'gyre_sandbox_session_start_seconds',
    help: 'Time to create a session, waits for a place excluded',
    labelNames: ['kind', 'warm'],
    buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
    registers: [this.#registry],
  });
  readonly #ended = new Counter({
    name: 'gyre_sandbox_sessions_ended_total',
    help: 'Sessions that ended: released, closed with the server, expired, or lost with their page or machine',
    labelNames: ['kind', 'reason'],
    registers: [this.#registry],
  });
  readonly #faults = new Counter({
    name: 'gyre_sandbox_faults_total',
    help: 'Faults by the type of their event: expired leases, crashed pages, dead machines, failed starts of a warm pool, reached quotas',
    labelNames: ['kind', 'type'],
    registers: [this.#registry],
  });

  constructor({ sessions, places, warm }: MetricsSources) {
    new Gauge({
      name: 'gyre_sandbox_sessions',
      help: 'Leased sessions',
      labelNames: ['kind'],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const kind of sessions()) this.inc({ kind });
      },
    });
    new Gauge({
      name: 'gyre_sandbox_places',
      help: 'Places of sessions: in total (0 while no leases are taken), and in use',
      labelNames: ['state'],
      registers: [this.#registry],
      collect() {
        const { total, taken, isOpen } = places();
        this.set({ state: 'total' }, isOpen ? total : 0);
        this.set({ state: 'taken' }, taken);
      },
    });
    new Gauge({
      name: 'gyre_sandbox_warm',
      help: 'Machines of a warm pool: ready now; and in total: leased, dead before a lease, and not started',
      labelNames: ['kind', 'state'],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const { terms, ready, taken, died, failed } of warm()) {
          const { kind } = terms;
          for (const [state, count] of Object.entries({ ready, taken, died, failed })) this.inc({ kind, state }, count);
        }
      },
    });
  }

  answered(route: string, status: number, ms: number): void {
    this.#requests.inc({ route, status });
    this.#seconds.observe({ route }, ms / 1_000);
  }

  /** Counts the events of a sandbox until they end. */
  async follow(events: AsyncIterable<SandboxEvent>): Promise<void> {
    for await (const event of events) {
      if (event.type === 'session.created') {
        this.#starts.observe({ kind: event.kind, warm: String(event.warm) }, event.ms / 1_000);
      } else if (event.type === 'session.ended') {
        this.#ended.inc({ kind: event.kind, reason: event.reason });
      } else if (faults.has(event.type) && 'kind' in event) {
        this.#faults.inc({ kind: event.kind, type: event.type });
      }
    }
  }

  /** Prometheus's format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
