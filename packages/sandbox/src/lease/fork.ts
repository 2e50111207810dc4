import { GyreError } from '@gyre/protocol';
import PQueue from 'p-queue';
import { checkedNumber } from '../checkedNumber.js';
import type { Checkpoint } from './checkpoint.js';

export interface ForkOptions {
  /** Sessions to fork, 1 to 64. */
  readonly count: number;
  /** Time unused until the lease of a fork expires, in ms. Default: that of a lease. */
  readonly ttlMs?: number;
  /** Longest wait for a free place, in ms. Default: none. */
  readonly waitMs?: number;
}

const maxForks = 64;

/** Forks that start at once. */
const concurrency = 4;

export interface Forkable<Fork> {
  readonly checkpoint: () => Promise<Checkpoint>;
  readonly restore: (checkpoint: Checkpoint, lease: Omit<ForkOptions, 'count'>) => Promise<Fork>;
}

interface Forked {
  readonly id: string;
  renew(): void | Promise<void>;
  release(): Promise<void>;
}

/** Restores one checkpoint `count` times. If one fails, releases the others and throws its error. */
export async function fork<Fork extends Forked>(
  { count, ttlMs, waitMs }: ForkOptions,
  { checkpoint, restore }: Forkable<Fork>,
): Promise<Fork[]> {
  checkedNumber('count', count, { min: 1, max: maxForks, whole: true });
  const origin = await checkpoint();
  const lease = { ...(ttlMs !== undefined && { ttlMs }), ...(waitMs !== undefined && { waitMs }) };
  const queue = new PQueue({ concurrency });
  const forks: Fork[] = [];
  let failure: { readonly error: unknown } | undefined;
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    if (failure) return;
    try {
      await work();
    } catch (error) {
      failure ??= { error };
    }
  };
  const restoreOnce = () => attempt(async () => void forks.push(await restore(origin, lease)));
  await queue.addAll(Array.from({ length: count }, () => restoreOnce));
  await Promise.all(forks.map((each) => attempt(() => renewed(each))));
  if (!failure) return forks;
  await Promise.allSettled(forks.map((each) => each.release()));
  throw failure.error;
}

/** Throws `infra` for a fork that has ended while others started. */
async function renewed(fork: Forked): Promise<void> {
  try {
    await fork.renew();
  } catch (cause) {
    throw new GyreError('infra', `fork ${fork.id} ended before all forks had started`, {
      part: 'lease',
      field: 'ttlMs',
      fix: 'raise ttlMs, or fork fewer at once',
      cause,
    });
  }
}
