import type { LeaseRequest } from '@gyre/sandbox';
import type { KnownNode } from './members.js';

export const strategies = ['spread', 'pack'] as const;

/** `spread` fills all nodes evenly; `pack` fills one after another, so that empty ones can be taken away. */
export type Strategy = (typeof strategies)[number];

export type Need = Pick<LeaseRequest, 'kind' | 'labels'> & {
  readonly owner: string;
  readonly request: LeaseRequest;
  /** Instances that have refused. */
  readonly refused: ReadonlySet<string>;
};

/** Whether the node offers what a lease names, now or once a place is free. */
export function offers({ record: { offer } }: KnownNode, { request }: Pick<Need, 'request'>): boolean {
  if (!offer.kinds.includes(request.kind)) return false;
  if (Object.entries(request.labels ?? {}).some(([name, value]) => offer.labels[name] !== value)) return false;
  if (request.kind === 'phone') return offer.phones.includes(request.serial);
  if (request.kind === 'remote') return offer.remotes.includes(request.url);
  if (request.vm && !offer.images.includes(request.vm.image)) return false;
  return request.root === undefined || request.root === 'machine' || offer.roots.includes(request.root);
}

/** The node may count what this front asks for, too: the larger number counts. */
export const freePlaces = ({ record, load, pending }: KnownNode): number =>
  load.draining ? 0 : record.offer.capacity - load.taken - Math.max(pending, load.starting);

/** Returns the node for a lease, or undefined if none has a place. Ties are broken at random. */
export function choose(nodes: Iterable<KnownNode>, need: Need, strategy: Strategy): KnownNode | undefined {
  let best: KnownNode | undefined;
  let [bestScore, ties] = [-Infinity, 1];
  for (const node of nodes) {
    const free = freePlaces(node);
    if (free <= 0 || need.refused.has(node.record.instance) || !offers(node, need)) continue;
    const share = free / node.record.offer.capacity;
    // A ready machine saves a start, which outweighs a small difference in load.
    const score = (strategy === 'spread' ? share : 1 - share) + (node.load.warm[need.kind] ? 0.1 : 0);
    if (score < bestScore) continue;
    ties = score === bestScore ? ties + 1 : 1;
    if (ties > 1 && Math.random() >= 1 / ties) continue;
    [best, bestScore] = [node, score];
  }
  return best;
}
