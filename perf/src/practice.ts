import { weightsFile } from '@gyre/engine';
import { type PpoIteration, Settings, Workspace, architectureOf, trainRl } from '@gyre/training';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { descendantsCpu } from 'gyre';

const ways = {
  'rollouts wait for updates': {},
  'rollouts overlap updates': { staleness: 1, behaviourCap: 5 },
} as const;

type Way = keyof typeof ways;

/** End-to-end PPO speed. */
export interface PracticeRow {
  // eslint-disable-next-line gyre/vague-name -- a key of --json
  way: Way;
  iterations: number;
  seconds: number;
  /** Trained turns. */
  turnsPerSecond: number;
  /** Sum 1; rollout time is split by what episodes waited for. */
  shares: PpoIteration['shares'];
  /** CPU share of all cores: this process and its browsers. */
  // eslint-disable-next-line gyre/vague-name -- a key of --json
  busy: { own: number; browsers: number };
}

export interface PracticeBench {
  cores: number;
  families: readonly string[];
  rows: PracticeRow[];
  /** Second way relative to the first. */
  ratio: number;
}

export interface PracticeBenchOptions {
  readonly families: readonly string[];
  readonly sessions: number;
  readonly browsers: number;
  readonly threads: number;
  /** Turns per iteration. */
  readonly decisions: number;
  /** Default: as in training. */
  readonly replaySteps?: number;
  /** Mean extra seconds per turn, emulating remote environments. */
  readonly latency: number;
  /** For both ways, at least two iterations each. */
  readonly seconds: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly onProgress: (share: number, way: Way) => void;
}

/**
 * Trains with waiting and overlapping rollouts (first, second, second, first), from the same weights. Skips first
 * iterations, which compile graphs. Undefined if aborted. Throws `missing` without a browser.
 */
export async function benchPractice(options: PracticeBenchOptions): Promise<PracticeBench | undefined> {
  const { families, sessions, browsers, threads, latency, seconds, seed, signal, onProgress } = options;
  const ppoSettings = { decisions: options.decisions, replay: { steps: options.replaySteps } };
  const dir = await mkdtemp(join(tmpdir(), 'gyre-bench-'));
  const order: Way[] = ['rollouts wait for updates', 'rollouts overlap updates'];
  const spans = new Map(order.map((way): [Way, Span[]] => [way, []]));
  try {
    const defaults = Settings.parse({});
    const architecture = await architectureOf(defaults);
    const workspace = await Workspace.open({ dir, seed, threads, browsers, sessions, latency, architecture });
    try {
      for (const [index, schedule] of [...order, ...order.toReversed()].entries()) {
        if (signal.aborted) return undefined;
        onProgress(index / 4, schedule);
        await workspace.engine.load(weightsFile(defaults.from), { optimiser: false });
        const settings = Settings.parse({ seed: seed + index, families, ppo: { ...ppoSettings, ...ways[schedule] } });
        const span = await practised(workspace, settings, { ms: (seconds * 1_000) / 4, signal });
        if (span) spans.get(schedule)!.push(span);
      }
    } finally {
      await workspace.close();
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
  if (signal.aborted) return undefined;
  const cores = availableParallelism();
  const rows = order.map((way) => rowOf(way, spans.get(way)!, cores));
  return { cores, families, rows, ratio: rows[1]!.turnsPerSecond / rows[0]!.turnsPerSecond };
}

interface Span {
  readonly iterations: readonly PpoIteration[];
  readonly time: Clock;
}

interface Clock {
  readonly wall: number;
  readonly cpu: number;
  readonly below: number;
}

const now = (): Clock => {
  const { user, system } = process.cpuUsage();
  return { wall: performance.now() / 1e3, cpu: (user + system) / 1e6, below: descendantsCpu() };
};

async function practised(
  workspace: Workspace,
  settings: Settings,
  { ms, signal }: { ms: number; signal: AbortSignal },
): Promise<Span | undefined> {
  const marks: Clock[] = [];
  const lasted = () => (marks.at(-1)!.wall - marks[0]!.wall) * 1_000;
  const enough = () => marks.length > 1 && lasted() >= ms;
  const [, ...iterations] = await trainRl(workspace, settings, enough, {
    signal,
    onIteration: () => marks.push(now()),
  });
  if (iterations.length === 0) return undefined;
  const [from, to] = [marks[0]!, marks.at(-1)!];
  return { iterations, time: { wall: to.wall - from.wall, cpu: to.cpu - from.cpu, below: to.below - from.below } };
}

function rowOf(schedule: Way, spans: readonly Span[], cores: number): PracticeRow {
  const total = (of: (span: Span) => number) => spans.reduce((sum, span) => sum + of(span), 0);
  const iterations = spans.flatMap((span) => span.iterations);
  const seconds = total(({ time }) => time.wall);
  const learnt = iterations.reduce((sum, { decisions }) => sum + decisions, 0);
  const lasted = ({ rolloutSeconds, updateSeconds, replay }: PpoIteration) =>
    rolloutSeconds + updateSeconds + (replay?.seconds ?? 0);
  const wallTotal = iterations.reduce((sum, iteration) => sum + lasted(iteration), 0);
  const share = (name: keyof PpoIteration['shares']) =>
    iterations.reduce((sum, iteration) => sum + iteration.shares[name] * lasted(iteration), 0) / wallTotal;
  return {
    way: schedule,
    iterations: iterations.length,
    seconds,
    turnsPerSecond: learnt / seconds,
    shares: {
      environment: share('environment'),
      inference: share('inference'),
      update: share('update'),
      replay: share('replay'),
    },
    busy: {
      own: total(({ time }) => time.cpu) / seconds / cores,
      browsers: total(({ time }) => time.below) / seconds / cores,
    },
  };
}
