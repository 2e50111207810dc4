import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Front } from './front.js';
import type { KnownNode } from './members.js';
import { freePlaces } from './placement.js';

/** Counts of a front are its own; gauges of nodes are the fleet's, and equal at all fronts. */
export class FrontMetrics {
  readonly #registry = new Registry();
  readonly #leases = this.#counter('leases_total', 'Leases that were asked for', ['kind', 'outcome']);
  readonly #reclaimed = this.#counter(
    'leases_reclaimed_total',
    'Leases taken back: from clients that left before the answer, and with nodes that left or are lost',
    ['reason'],
  );
  readonly #drains = this.#counter('drains_total', 'Nodes told to take no leases, or leases again', ['order']);
  readonly #nodesLost = this.#counter('nodes_lost_total', 'Nodes that left or are lost', []);
  readonly #seconds = new Histogram({
    name: 'gyre_fleet_lease_seconds',
    help: 'Time of a lease, waits and the start of its machine included',
    labelNames: ['kind'],
    buckets: [0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
    registers: [this.#registry],
  });

  constructor(front: Front) {
    const { members } = front;
    const nodes = (): KnownNode[] => [...members.nodes];
    const total = (value: (node: KnownNode) => number): number => nodes().reduce((sum, node) => sum + value(node), 0);
    const capacity = ({ record, load }: KnownNode): number => (load.draining ? 0 : record.offer.capacity);
    const free = (node: KnownNode): number => Math.max(0, freePlaces(node));
    const byKind = (value: (node: KnownNode) => number): Map<string, number> => {
      const sums = new Map<string, number>();
      for (const node of nodes()) {
        for (const kind of node.record.offer.kinds) sums.set(kind, (sums.get(kind) ?? 0) + value(node));
      }
      return sums;
    };

    this.#gauge('places', 'Places of nodes that take leases', () => total(capacity));
    this.#gauge('places_taken', 'Places in use', () => total(({ load }) => load.taken + load.starting));
    this.#gauge('places_free', 'Free places of nodes that take leases', () => total(free));
    this.#gauge('malformed_records', 'Records of members that could not be read', () => members.malformed);
    this.#gauges('nodes', 'Nodes that are alive', 'state', () => {
      const draining = total(({ load }) => Number(load.draining));
      return new Map([
        ['open', members.size - draining],
        ['draining', draining],
      ]);
    });
    this.#gauges(
      'waiting',
      'Leases that wait at this front, for a place or for the quota of their owner',
      'for',
      () => {
        const quota = front.waitingForQuota;
        return new Map([
          ['place', front.waiting - quota],
          ['quota', quota],
        ]);
      },
    );
    const shared = 'A place that several kinds may use counts for each';
    this.#gauges('kind_places', `Places of nodes that offer a kind. ${shared}`, 'kind', () => byKind(capacity));
    this.#gauges('kind_places_free', `Free places for a kind. ${shared}`, 'kind', () => byKind(free));
    this.#gauges('owner_waiting', 'Leases that wait at this front, by owner', 'owner', () => front.waitingOwners);

    new Counter({
      name: 'gyre_fleet_quota_places_reclaimed_total',
      help: 'Places of quotas that this front has freed, since their holders are dead',
      registers: [this.#registry],
      collect() {
        this.reset();
        this.inc(front.reclaimed);
      },
    });
    members.onLoss((member, sessions) => {
      if (!member.startsWith('node.')) return;
      this.#nodesLost.inc();
      if (sessions > 0) this.#reclaimed.inc({ reason: 'node_lost' }, sessions);
    });
  }
  leased(kind: string, outcome: 'leased' | 'refused', ms: number): void {
    this.#leases.inc({ kind, outcome });
    this.#seconds.observe({ kind }, ms / 1_000);
  }

  reclaimed(reason: 'client_left'): void {
    this.#reclaimed.inc({ reason });
  }

  drained(on: boolean): void {
    this.#drains.inc({ order: on ? 'drain' : 'resume' });
  }

  /** Prometheus's format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ name: `gyre_fleet_${name}`, help, labelNames, registers: [this.#registry] });
  }

  #gauge(name: string, help: string, value: () => number): void {
    new Gauge({
      name: `gyre_fleet_${name}`,
      help,
      registers: [this.#registry],
      collect() {
        this.set(value());
      },
    });
  }

  /** A gauge with one label. */
  #gauges(name: string, help: string, label: string, values: () => ReadonlyMap<string, number>): void {
    new Gauge({
      name: `gyre_fleet_${name}`,
      help,
      labelNames: [label],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const [of, value] of values()) this.set({ [label]: of }, value);
      },
    });
  }
}
