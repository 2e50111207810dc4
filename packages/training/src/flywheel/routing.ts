import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Lake, type Offer, type PoolStage, type SampleOrigin, poolStages } from '@gyre/lake';
import { type Episode, independentVerdict } from '@gyre/protocol';
import { continuationPurpose } from '../rollouts/continuations.js';
import type { Tally } from '../rollouts/curriculum.js';
import { writeWhole } from './journal.js';
import { originOf, route } from './route.js';

/** A line of `routes/cycle-N.jsonl`. */
interface RoutedEpisode {
  readonly episode: string;
  readonly family: string;
  readonly origin: SampleOrigin;
  readonly verdict: 'solved' | 'failed' | 'none';
  readonly to: PoolStage | 'left out';
  readonly why: string;
}

export interface RoutedFlow extends Pick<RoutedEpisode, 'origin' | 'verdict' | 'to'> {
  readonly n: number;
}

export interface Routing {
  readonly turns: 0;
  readonly flows: readonly RoutedFlow[];
  readonly leftOut: Readonly<Record<string, number>>;
  readonly pools: Readonly<Record<PoolStage, number>>;
  /** By family. */
  readonly tallies: Readonly<Record<string, Tally>>;
  /** Relative to the run's folder. */
  readonly file: string;
}

/**
 * Routes every train episode not routed before, except continuations, which only value states. Of several rejection
 * samples of a task, only the shortest goes to SFT. Idempotent.
 */
export async function routeCycle(lake: Lake, dir: string, cycle: number): Promise<Routing> {
  const folder = join(dir, 'routes');
  await mkdir(folder, { recursive: true });
  const earlier = await routedBefore(folder, cycle);
  const episodes: Episode[] = [];
  for await (const episode of lake.episodes({ split: 'train' }))
    if (!earlier.has(episode.id) && episode.purpose !== continuationPurpose) episodes.push(episode);

  const best = bestAttempts(episodes);
  const rows: RoutedEpisode[] = [];
  const offers: Record<PoolStage, Offer[]> = { ct: [], sft: [], rl: [] };
  for (const episode of episodes) {
    const { id, task } = episode;
    const verdict = independentVerdict(episode);
    const origin = originOf(episode);
    const surpassed = origin === 'rejection' && (best.get(task.id) ?? id) !== id;
    const destination = route(episode, { surpassed });
    if ('stage' in destination) offers[destination.stage].push({ episode, origin, cycle });
    rows.push({
      ...{ episode: id, family: task.family, origin },
      verdict: verdict ? (verdict.success ? 'solved' : 'failed') : 'none',
      ...('stage' in destination
        ? { to: destination.stage, why: destination.why }
        : { to: 'left out', why: destination.refused }),
    });
  }
  const duplicates = new Set<string>();
  for (const stage of poolStages) {
    const { duplicates: near } = await lake.pool(stage).add(offers[stage]);
    for (const { episode } of near) duplicates.add(episode);
  }
  const placed = rows.map((row): RoutedEpisode =>
    duplicates.has(row.episode)
      ? { ...row, to: 'left out', why: `near-duplicate of an episode in the ${row.to.toUpperCase()} pool` }
      : row,
  );
  const file = join('routes', `cycle-${cycle}.jsonl`);
  await writeWhole(join(dir, file), placed.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const pools = { ct: 0, sft: 0, rl: 0 };
  for (const stage of poolStages) pools[stage] = (await lake.pool(stage).samples()).length;
  return { turns: 0, flows: flowsOf(placed), leftOut: leftOutOf(placed), pools, tallies: talliesOf(placed), file };
}

async function routedBefore(folder: string, cycle: number): Promise<Set<string>> {
  const ids = new Set<string>();
  for (const name of await readdir(folder)) {
    const number = /^cycle-(\d+)\.jsonl$/.exec(name)?.[1];
    if (number === undefined || Number(number) >= cycle) continue;
    for (const line of (await readFile(join(folder, name), 'utf8')).split('\n')) {
      if (line !== '') ids.add((JSON.parse(line) as RoutedEpisode).episode);
    }
  }
  return ids;
}

function bestAttempts(episodes: readonly Episode[]): Map<string, string> {
  const best = new Map<string, { id: string; turns: number }>();
  for (const episode of episodes) {
    if (originOf(episode) !== 'rejection' || !independentVerdict(episode)?.success) continue;
    const previous = best.get(episode.task.id);
    if (!previous || episode.turns.length < previous.turns) {
      best.set(episode.task.id, { id: episode.id, turns: episode.turns.length });
    }
  }
  return new Map([...best].map(([task, { id }]) => [task, id]));
}

function flowsOf(rows: readonly RoutedEpisode[]): RoutedFlow[] {
  const flows = new Map<string, RoutedFlow>();
  for (const { origin, verdict, to } of rows) {
    const name = `${origin} ${verdict} ${to}`;
    flows.set(name, { origin, verdict, to, n: (flows.get(name)?.n ?? 0) + 1 });
  }
  return [...flows.values()];
}

function leftOutOf(rows: readonly RoutedEpisode[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { to, why } of rows) if (to === 'left out') counts[why] = (counts[why] ?? 0) + 1;
  return counts;
}

function talliesOf(rows: readonly RoutedEpisode[]): Record<string, Tally> {
  const tallies: Record<string, Tally> = {};
  for (const { family, origin, verdict } of rows) {
    if (verdict === 'none' || (origin !== 'rollout' && origin !== 'rejection')) continue;
    const { n, successes } = tallies[family] ?? { n: 0, successes: 0 };
    tallies[family] = { n: n + 1, successes: successes + (verdict === 'solved' ? 1 : 0) };
  }
  return tallies;
}
