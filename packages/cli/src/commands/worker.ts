import { ClientSessions, enginePolicy, TaskSessions } from '@gyre/agent';
import { hasReader } from '@gyre/engine';
import { connectNats, newInstance, RolloutQueue } from '@gyre/fleet';
import { Lake, type ObjectStore } from '@gyre/lake';
import type { JobPolicy } from '@gyre/protocol';
import { SandboxClient } from '@gyre/sandbox';
import { familyOf } from '@gyre/tasks';
import { defaultSessions, fetchWeights, playJobs } from '@gyre/training';
import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { command, UsageError } from '../command.js';
import { addSuites } from '../families/families.js';
import { addedSuiteFlags } from '../flags/familyFlags.js';
import { takeSecret } from '../flags/accessFlags.js';
import { count, headed, name, optionalUrl, optionalWord, outputFolder, toggle } from '../flags/flag.js';
import { natsFlags } from '../flags/fleetFlags.js';
import { openSharedStore, s3Flags } from '../flags/storeFlags.js';
import { openNative, openPolicy, type OpenPolicy, policyFlags } from '../policies/policies.js';

/** As on one machine: tasks of training have no animation. */
const trainingStepMs = 1000 / 60;

/** Between two looks for the first weights, in ms. */
const weightsPollMs = 500;

interface WorkerPolicy extends Pick<OpenPolicy, 'policy' | 'screenshots' | 'blind' | 'close'> {
  readonly jobs: JobPolicy;
  readonly reads?: boolean;
  readonly refresh?: (version: number) => Promise<void>;
}

export const worker = command({
  description:
    'Takes rollout jobs from a JetStream work queue, plays them, copies each episode to --store, and only then acknowledges it. A job whose worker dies is delivered to another one, and its episode counts once. Takes jobs of its own policy: --announced, --policy or --model. Ctrl-C or SIGTERM drains it: episodes under way end first.',
  examples: [
    'gyre worker --join nats://10.0.0.5:4222 --announced --store /mnt/gyre',
    'gyre worker --join nats://10.0.0.5:4222 --announced --store s3://my-bucket/run1 --sandbox http://10.0.0.5:8700',
    'gyre worker --join nats://10.0.0.5:4222 --policy oracle --store /mnt/gyre',
  ],
  flags: {
    ...policyFlags,
    announced: toggle('play the weights that a trainer announces, instead of --policy'),
    store: optionalWord('s3://BUCKET/PREFIX or a shared folder, for episodes and weights', { example: '/mnt/gyre' }),
    ...s3Flags,
    directory: outputFolder('directory of this worker: its lake, and fetched weights', { default: 'runs/worker' }),
    sessions: count('parallel episodes', { default: defaultSessions }),
    browsers: count('browser processes', { default: 2 }),
    sandbox: optionalUrl(
      'sandbox server or fleet that leases the sessions (default: this machine; its token is GYRE_TOKEN)',
      { example: 'http://10.0.0.5:8700' },
    ),
    ...addedSuiteFlags,
    ...headed('Fleet:', natsFlags),
    workerName: name('name of this worker in results (default: the name of this machine)', { default: undefined }),
  },
  async run(flags, { terminal, signal }) {
    const { join: servers, fleet, natsCreds, sessions, browsers, directory, announced } = flags;
    if (servers === undefined) {
      throw new UsageError('a worker needs NATS', { field: '--join', fix: 'add --join nats://127.0.0.1:4222' });
    }
    if (flags.store === undefined) {
      throw new UsageError('a worker needs a place for episodes', {
        field: '--store',
        fix: 'name a shared folder, or s3://BUCKET/PREFIX',
      });
    }
    await addSuites(flags);
    const store = await openSharedStore(flags.store, flags);
    const machine = hostname()
      .replaceAll(/[^\w-]/g, '-')
      .slice(0, 48);
    const workerName = newInstance(flags.workerName ?? machine);
    const closing: (() => Promise<unknown>)[] = [];
    try {
      const nc = await connectNats({ servers, credentials: natsCreds }, workerName);
      closing.push(() => nc.close());
      const queue = await RolloutQueue.open(nc, fleet);
      await mkdir(directory, { recursive: true });
      const lake = await Lake.open(join(directory, 'lake'), { durable: true });
      closing.push(() => lake.close());
      if (announced) terminal.log('waiting for announced weights');
      const played = announced ? await announcedPolicy(queue, store, { ...flags, signal }) : await ownPolicy(flags);
      if (!played) return { ok: true, result: { finished: 0 } };
      closing.push(() => played.close());
      const stepMs = announced ? trainingStepMs : undefined;
      const secret = flags.sandbox === undefined ? undefined : takeSecret('GYRE_TOKEN');
      const pool =
        flags.sandbox === undefined
          ? new TaskSessions({ browsers, sessionsPerBrowser: Math.ceil((sessions + 1) / browsers), stepMs })
          : new ClientSessions({ client: new SandboxClient({ url: flags.sandbox, token: secret ?? '' }), stepMs });
      if (pool instanceof TaskSessions) closing.push(() => pool.close());
      terminal.log(`${workerName} takes jobs of ${fleet} (ctrl-C drains it)`);
      const counts = await playJobs({
        ...{ name: workerName, lake, store, pool, concurrency: sessions },
        ...{ policy: played.policy, screenshots: played.screenshots, blind: played.blind, refresh: played.refresh },
        jobs: queue.take(played.jobs, signal),
        aids: ({ family, split }) => {
          const isOwnPage = familyOf(family).kind === undefined && split === 'train';
          return played.reads === true && isOwnPage ? { reading: 'simulated' } : {};
        },
        // A drain lets episodes end; the second ctrl-C kills.
        signal: new AbortController().signal,
        onJob: ({ id, task, state, success, message }) => {
          const outcome = success === undefined ? '' : success ? ', solved' : ', not solved';
          terminal.log(`${id} ${task}: ${state}${outcome}${message === undefined ? '' : ` (${message})`}`);
        },
      });
      return { ok: true, result: { ...counts } };
    } finally {
      for (const close of closing.toReversed()) await close().catch(() => undefined);
    }
  },
});

async function ownPolicy(flags: Parameters<typeof openPolicy>[0]): Promise<WorkerPolicy> {
  const opened = await openPolicy(flags);
  const { model: url, modelName } = flags;
  const served = url === undefined ? undefined : { kind: 'model' as const, url, name: modelName };
  return { ...opened, jobs: served ?? { kind: 'named', name: flags.policy } };
}

/** Returns undefined if the worker drains before there are weights. */
async function announcedPolicy(
  queue: RolloutQueue,
  store: ObjectStore,
  options: { readonly directory: string; readonly screenReader: string | undefined; readonly signal: AbortSignal },
): Promise<WorkerPolicy | undefined> {
  const { directory: folder, screenReader, signal } = options;
  // NATS may be away.
  while (!(await queue.announced().catch(() => undefined))) {
    await sleep(weightsPollMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return undefined;
  }
  let { version, path } = await fetchWeights(queue, store, { folder, atLeast: 0 });
  const native = await openNative({ checkpoint: path, screenReader });
  // With the version of the trainer's policy, which its samples name.
  await native.engine.load(path);
  return {
    policy: enginePolicy({ ...native, name: 'nano' }),
    screenshots: 1,
    jobs: { kind: 'weights', version },
    reads: hasReader(native.architecture),
    refresh: async (atLeast) => {
      if (version >= atLeast) return;
      ({ version, path } = await fetchWeights(queue, store, { folder, atLeast }));
      await native.engine.load(path);
    },
    close: native.close,
  };
}
