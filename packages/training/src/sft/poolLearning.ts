import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Random } from '@gyre/engine';
import type { Lake, PoolSample, PoolStage } from '@gyre/lake';
import { type Episode, GyreError } from '@gyre/protocol';
import { type Decision, ScreenshotReader } from '../rollouts/dataset.js';
import { writeWhole } from '../flywheel/journal.js';
import { drawMixture } from './mixture.js';
import { PerceptionFeed } from '../ct/perceptionFeed.js';
import type { Settings } from '../flywheel/settings.js';
import { replay } from './sft.js';
import { type ThoughtTerms, bootstrapThoughts } from './thoughts.js';
import type { Workspace } from '../flywheel/workspace.js';

export interface SupervisedResult {
  turns: 0;
  steps: number;
  episodes: number;
  data: number;
  version: number;
  shares: Record<string, number>;
  curve: { step: number; perceptionLoss: number; loss: number }[];
  // eslint-disable-next-line gyre/vague-name -- stored as JSON
  thoughts?: { tried: number; found: number };
}

type EpisodeDecision = Decision & { readonly episode: string };

export type ReadDecisions = (
  episode: Episode,
  reader: ScreenshotReader,
  turns: readonly number[] | undefined,
) => Promise<Decision[]>;

export interface PoolTerms {
  /** Upper bound; then decisions and pages per step. */
  readonly steps: number;
  readonly decisions: number;
  readonly pages: number;
  readonly learningRate: number;
  readonly maxEpisodes: number;
  readonly read: ReadDecisions;
  readonly thoughts?: ThoughtTerms;
}

type Tell = (share: number, message: string) => void;

/** Steps between checks of the clock. */
const chunk = 5;
/** Mean passes over a decision per cycle. */
const maxPasses = 3;
/** Reserved seeds. */
const perceptionSeeds = { ct: 700_000, sft: 800_000 };

/** Trains on a pool and rendered pages until steps, minutes or passes are used up. */
export async function learnFromPool(
  workspace: Workspace,
  settings: Settings,
  stage: Exclude<PoolStage, 'rl'>,
  cycle: number,
  terms: PoolTerms,
  { minutes, seed, tell, signal }: { minutes: number; seed: number; tell: Tell; signal: AbortSignal | undefined },
): Promise<SupervisedResult> {
  const started = performance.now();
  const spent = (): number => (performance.now() - started) / 60_000;
  const { mixture } = settings.cycle;
  const random = new Random(seed).fork(stage);
  const pool = workspace.lake.pool(stage);
  const drawn = drawMixture(
    await pool.samples(),
    { cycle, limit: terms.maxEpisodes, ...mixture, families: settings.sft.mix },
    random,
  );
  const read = await dataOf(workspace.lake, drawn.groups, terms.read);
  if (terms.thoughts?.share) tell(0, 'sampling thoughts');
  const thought = terms.thoughts?.share
    ? await think(workspace, cycle, read, terms.thoughts, {
        random: random.fork('thoughts'),
        // The other half is for training.
        isOver: () => spent() >= minutes / 2 || signal?.aborted === true,
      })
    : undefined;
  const data = thought?.data ?? read;
  const episodes = [...drawn.groups.values()].reduce((sum, of) => sum + of.length, 0);
  const outcome = {
    turns: 0 as const,
    episodes,
    data: data.length,
    version: await pool.version(),
    shares: drawn.shares,
    ...(thought && { thoughts: { tried: thought.tried, found: thought.thoughts.length } }),
  };
  const feed = new PerceptionFeed(workspace.pool, settings.seed + perceptionSeeds[stage]);
  const maxSteps = Math.min(terms.steps, Math.ceil((maxPasses * data.length) / terms.decisions));
  const { learner } = workspace;
  const curve: SupervisedResult['curve'] = [];
  let step = 0;
  while (step < maxSteps && spent() < minutes && !signal?.aborted) {
    const steps = Math.min(chunk, maxSteps - step);
    const { perceptionLoss, demonstrationLoss: loss } = await replay({
      engine: learner.engine,
      demonstrations: data,
      perception: (first, count) => feed.take(first, count),
      batch: { demonstrations: terms.decisions, perception: workspace.pages(terms.pages) },
      mix: drawn.shares,
      glyphWeight: settings.sft.glyphWeight,
      from: cycle * terms.steps + step,
      steps,
      learningRate: terms.learningRate,
      random,
      signal,
    });
    step += steps;
    curve.push({ step, perceptionLoss, loss });
    tell(Math.max(step / maxSteps, spent() / minutes), `step ${step} of at most ${maxSteps}, loss ${loss.toFixed(2)}`);
  }
  await learner.publish();
  return { ...outcome, steps: step, curve };
}

async function think(
  workspace: Workspace,
  cycle: number,
  decisions: readonly EpisodeDecision[],
  terms: ThoughtTerms,
  options: Parameters<typeof bootstrapThoughts>[3],
) {
  const bootstrapped = await bootstrapThoughts(workspace.engine, decisions, terms, options);
  const lines = bootstrapped.thoughts.map((thought) => `${JSON.stringify(thought)}\n`);
  await mkdir(workspace.path('thoughts'), { recursive: true });
  await writeWhole(workspace.path(join('thoughts', `cycle-${cycle}.jsonl`)), lines.join(''));
  return bootstrapped;
}

async function dataOf(
  lake: Lake,
  groups: ReadonlyMap<string, readonly PoolSample[]>,
  read: ReadDecisions,
): Promise<EpisodeDecision[]> {
  const reader = new ScreenshotReader(lake);
  const drawn = new Map<string, { group: string; turns: PoolSample['turns'] }>();
  for (const [group, samples] of groups) for (const { episode, turns } of samples) drawn.set(episode, { group, turns });
  const out: EpisodeDecision[] = [];
  for await (const episode of lake.episodes({ ids: drawn.keys(), split: 'train' })) {
    const { group = '', turns = 'all' } = drawn.get(episode.id) ?? {};
    const data = await read(episode, reader, turns === 'all' ? undefined : turns).catch((error: unknown) => {
      // Imported episodes may exceed the policy's screens or actions.
      if (error instanceof GyreError && error.code === 'bad_input') return [];
      throw error;
    });
    out.push(...data.map((decision) => ({ ...decision, family: group, episode: episode.id })));
  }
  return out;
}
