import { setMaxListeners } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { type EpisodeOptions, endpointPolicy, type EndpointOptions, type Policy, runEpisode } from '@gyre/agent';
import type { ChatMessage } from '@gyre/engine';
import { Lake } from '@gyre/lake';
import { type Frame, SessionEnvironment } from '@gyre/sandbox';
import { quantile } from '../platform/quantile.js';
import { type ChatDouble, chatDouble, cpuMs, type CallCost } from './double/chatDouble.js';
import { policyDouble } from './double/policyDouble.js';
import { sessionDouble, taskDouble } from './double/sessionDouble.js';
import { pictures } from './pictures.js';
import { type PrefixRow, prefixShares } from './prefix.js';

/** In ms per turn, without model and environment. */
export interface OverheadRow {
  // eslint-disable-next-line gyre/vague-name -- a key of --json
  what: string;
  turns: number;
  p50: number;
  p99: number;
  /** Mean. */
  cpu: number;
}

export interface AgentBench {
  size: string;
  pictureKiB: number;
  screenshots: number;
  overhead: OverheadRow[];
  /** Memory in MiB. */
  loops: { loops: number; turns: number; turnsPerSecond: number; before: number; peak: number };
  prefix: (PrefixRow & { prompt: string })[];
}

const size = { width: 1280, height: 720 };
const screenshots = 5;
const remember = 4000;
/** Enough turns for the maximum of screenshots. */
const turnsOfMany = 12;
const latencyMs = 50;

/** Measures the agent loop with doubles. Takes about `seconds`. */
export async function benchAgent({
  seconds,
  loops,
  turns = 50,
  seed,
  signal,
}: {
  seconds: number;
  loops: number;
  turns?: number;
  seed: number;
  signal?: AbortSignal | undefined;
}): Promise<AgentBench> {
  const scene = { shots: await pictures(10, size, seed), turns };
  const ms = (seconds * 1_000) / 4;
  await immediate();
  const prefix = [
    { prompt: 'full history', ...(await measurePrefix(scene, {})) },
    { prompt: 'old turns summarised', ...(await measurePrefix(scene, { remember })) },
  ];
  const overhead = [
    await measureTurns('loop', scene, { policy: policyDouble, ms, signal }),
    await measureServed('loop, prompt and answer', scene, { ms, signal }),
    await withLake((lake) => measureServed('loop, prompt, answer and lake', scene, { ms, signal, lake })),
  ];
  const many = await measureLoops(scene, { loops, ms, signal });
  const bytes = scene.shots.reduce((sum, { png }) => sum + png.length, 0) / scene.shots.length;
  const summary = { size: `${size.width} x ${size.height}`, pictureKiB: bytes / 1024, screenshots };
  return { ...summary, overhead, loops: many, prefix };
}

interface Scene {
  readonly shots: readonly Frame[];
  readonly turns: number;
}

function episode({ shots, turns }: Scene, policy: Policy, more: Partial<EpisodeOptions>) {
  const limit = 'screenshots' in policy ? (policy.screenshots as number) : screenshots;
  const session = sessionDouble(shots);
  const machines = { lease: () => Promise.resolve(session) };
  return runEpisode({
    environment: new SessionEnvironment({ task: taskDouble(shots[0]!, turns), machines }),
    policy,
    purpose: 'bench',
    seed: 1,
    screenshots: limit,
    ...more,
  });
}

const served = (double: ChatDouble, options: Partial<EndpointOptions> = {}) =>
  endpointPolicy({
    url: 'http://double.invalid/v1',
    model: 'double',
    minScreenshots: screenshots,
    fetch: double.fetch,
    ...options,
  });

type Measured = Pick<EpisodeOptions, 'lake' | 'signal'> & { readonly ms: number };

/** @param spent time of the doubles so far, to be subtracted */
async function measureTurns(
  label: string,
  scene: Scene,
  { policy, ms, spent, ...options }: Measured & { policy: Policy; spent?: CallCost },
): Promise<OverheadRow> {
  const times: number[] = [];
  await episode(scene, policy, options);
  let cpu = 0;
  for (const end = performance.now() + ms; performance.now() < end && !options.signal?.aborted;) {
    let last: CallCost | undefined;
    const onTurn = () => {
      const now = { ms: performance.now() - (spent?.ms ?? 0), cpuMs: cpuMs() - (spent?.cpuMs ?? 0) };
      if (last) {
        times.push(now.ms - last.ms);
        cpu += now.cpuMs - last.cpuMs;
      }
      last = now;
    };
    await episode(scene, policy, { ...options, onTurn });
    // Doubles answer at once: yield to other events, such as signals.
    await immediate();
  }
  return {
    what: label,
    turns: times.length,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    cpu: cpu / times.length,
  };
}

function measureServed(label: string, scene: Scene, options: Measured): Promise<OverheadRow> {
  const double = chatDouble();
  return measureTurns(label, scene, { ...options, policy: served(double), spent: double.spent });
}

async function withLake<T>(work: (lake: Lake) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'gyre-bench-agent-'));
  try {
    const lake = await Lake.open(folder);
    return await work(lake).finally(() => lake.close());
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measureLoops(
  scene: Scene,
  { loops, ms, signal }: { loops: number; ms: number; signal?: AbortSignal | undefined },
): Promise<AgentBench['loops']> {
  const before = process.memoryUsage.rss() / 2 ** 20;
  const policy = served(chatDouble({ latencyMs }));
  // Every loop listens.
  if (signal) setMaxListeners(0, signal);
  const began = performance.now();
  let [turns, peak] = [0, before];
  const onTurn = () => {
    turns++;
    peak = Math.max(peak, process.memoryUsage.rss() / 2 ** 20);
  };
  const loop = async (): Promise<void> => {
    do await episode({ ...scene, turns: turnsOfMany }, policy, { signal, onTurn });
    while (performance.now() - began < ms && !signal?.aborted);
  };
  await Promise.all(Array.from({ length: loops }, loop));
  const elapsed = (performance.now() - began) / 1_000;
  return { loops, turns, turnsPerSecond: turns / elapsed, before, peak };
}

async function measurePrefix(scene: Scene, options: Partial<EndpointOptions>): Promise<PrefixRow> {
  const prompts: ChatMessage[][] = [];
  const onRequest = (body: string) => {
    const { messages } = JSON.parse(body) as { messages: ChatMessage[] };
    prompts.push(messages);
  };
  await episode(scene, served(chatDouble({ onRequest }), options), {});
  // A summary request counts as a prompt.
  const tokens = Math.ceil(size.width / 28) * Math.ceil(size.height / 28);
  return prefixShares(prompts, 4 * tokens);
}
