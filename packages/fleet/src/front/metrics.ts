import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Front } from './front.js';

export class FrontMetrics {
  readonly #registry = new Registry();
  readonly #leases = new Counter({
    name: 'gyre_fleet_leases_total',
    help: 'Leases that were asked for',
    labelNames: ['kind', 'outcome'],
    registers: [this.#registry],
  });
  readonly #seconds = new Histogram({
    name: 'gyre_fleet_lease_seconds',
    help: 'Time of a lease, waits and the start of its machine included',
    labelNames: ['kind'],
    buckets: [0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
    registers: [this.#registry],
  });

  constructor(front: Front) {
    const gauge = (name: string, help: string, value: () => number) =>
      new Gauge({
        name: `gyre_fleet_${name}`,
        help,
        registers: [this.#registry],
        collect() {
          this.set(value());
        },
      });
    const sum = (value: (node: { capacity: number; taken: number; draining: boolean }) => number): number => {
      let total = 0;
      for (const { record, load } of front.members.nodes) {
        total += value({ capacity: record.offer.capacity, taken: load.taken + load.starting, draining: load.draining });
      }
      return total;
    };
    gauge('nodes', 'Nodes that are alive', () => front.members.size);
    gauge('nodes_draining', 'Nodes that take no leases', () => sum(({ draining }) => Number(draining)));
    gauge('places', 'Places of nodes that take leases', () =>
      sum(({ capacity, draining }) => (draining ? 0 : capacity)),
    );
    gauge('places_taken', 'Places in use', () => sum(({ taken }) => taken));
    gauge('waiting', 'Leases that wait at this front', () => front.waiting);
    gauge('malformed_records', 'Records of members that could not be read', () => front.members.malformed);
  }

  leased(kind: string, outcome: 'leased' | 'refused', ms: number): void {
    this.#leases.inc({ kind, outcome });
    this.#seconds.observe({ kind }, ms / 1_000);
  }

  /** Prometheus's format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
