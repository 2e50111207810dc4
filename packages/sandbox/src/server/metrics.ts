import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { WarmState } from '../lease/sandbox.js';

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

  constructor(sessions: () => number, warm: () => readonly WarmState[]) {
    new Gauge({
      name: 'gyre_sandbox_sessions',
      help: 'Leased sessions',
      registers: [this.#registry],
      collect() {
        this.set(sessions());
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

  /** Prometheus's format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
