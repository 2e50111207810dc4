import { connectNats, RolloutQueue } from '@gyre/fleet';
import { QueuedRollouts, type Settings, type Workspace } from '@gyre/training';
import { randomUUID } from 'node:crypto';
import { UsageError } from '../command.js';
import { headed, optionalWord, type Values } from '../flags/flag.js';
import { natsFlags } from '../flags/fleetFlags.js';
import { openSharedStore, s3Flags } from '../flags/storeFlags.js';

export const queueFlags = headed('Rollout workers:', {
  ...natsFlags,
  store: optionalWord('with --join: s3://BUCKET/PREFIX or a shared folder, for episodes and weights', {
    example: '/mnt/gyre',
  }),
  ...s3Flags,
});

type QueueFlags = Values<typeof queueFlags>;

/** Returns the flags that are settings of a run. */
export function withoutQueueFlags<F extends QueueFlags>(flags: F): Omit<F, keyof QueueFlags> {
  const { join: _, fleet: _f, natsCreds: _n, store: _s, endpoint: _e, region: _r, ...others } = flags;
  return others;
}

/** Opens the queue whose workers play the rollouts; undefined without `--join`. Throws `infra` without NATS. */
export async function openQueued(
  workspace: Workspace,
  { sessions, screen }: Settings,
  { join: servers, fleet, natsCreds, store: place, endpoint, region }: QueueFlags,
): Promise<{ readonly rollouts: QueuedRollouts; close(): Promise<void> } | undefined> {
  if (servers === undefined && place === undefined) return undefined;
  if (servers === undefined || place === undefined) {
    const [field, example] = servers === undefined ? ['--join', 'nats://127.0.0.1:4222'] : ['--store', '/mnt/gyre'];
    throw new UsageError('rollout workers need both --join and --store', { field, fix: `add ${field} ${example}` });
  }
  const store = await openSharedStore(place, { endpoint, region });
  const nc = await connectNats({ servers, credentials: natsCreds }, 'trainer');
  try {
    const rollouts = new QueuedRollouts({
      ...{ queue: await RolloutQueue.open(nc, fleet), store, lake: workspace.lake },
      ...{ run: randomUUID(), concurrency: sessions, screen },
      save: async () => {
        const path = workspace.path('announced.safetensors');
        await workspace.save(path);
        return path;
      },
    });
    return {
      rollouts,
      async close() {
        await rollouts.close();
        await nc.close();
      },
    };
  } catch (error) {
    await nc.close();
    throw error;
  }
}
