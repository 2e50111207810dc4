import { type GivenUp, type Oracle, type Policy, nativePolicy } from '@gyre/agent';
import { keyNames } from '@gyre/engine';
import type { Episode, Split } from '@gyre/protocol';
import { type Judged, type Result, resultOf } from '../metrics/evaluate.js';
import type { Workspace } from './workspace.js';

/** What the random policy does, as a baseline. */
export const randomActions = { functions: ['click', 'type', 'hotkey'] as const, keys: keyNames.slice(0, 4) };

/** What is measured: the first tasks of a split for each family, always the same ones. */
export interface HeldOut {
  readonly families: readonly string[];
  /** Episodes by family. */
  readonly episodes: Readonly<Record<string, number>>;
  /** At most, of each. */
  readonly most?: number;
  readonly split: Exclude<Split, 'train'>;
  readonly purpose: string;
}

/** Plays held-out tasks. */
export async function playHeldOut(
  workspace: Workspace,
  policy: Policy | Oracle,
  { families, episodes: counts, most = Infinity, split, purpose }: HeldOut,
  options: { signal?: AbortSignal | undefined; onEpisode?: (played: number, of: number) => void } = {},
): Promise<{ episodes: Episode[]; givenUp: readonly GivenUp[]; results: Result[] }> {
  const jobs = families.flatMap((family) => [
    ...workspace.jobs(family, split, 0, Math.min(most, counts[family] ?? 0), purpose),
  ]);
  let played = 0;
  const { episodes, givenUp } = await workspace.play(policy, jobs, {
    signal: options.signal,
    onEpisode: () => options.onEpisode?.(++played, jobs.length),
  });
  const attempts = [...episodes, ...givenUp];
  return { episodes, givenUp, results: families.map((family) => resultOf(family, attempts)) };
}

/** An episode of the lake that a report shows. */
export interface Shown {
  family: string;
  policy: 'random' | 'start' | 'trained' | 'oracle';
  episode: string;
}

/** An episode by its id, with how it was judged. */
export type JudgedEpisode = Judged & Pick<Episode, 'id'>;

/** For each family, held-out tasks that the start failed and the trained policy solved, with both; else any two. */
export function choose(
  families: readonly string[],
  played: Readonly<Record<'start' | 'trained', readonly JudgedEpisode[]>>,
): Shown[] {
  return families.flatMap((family) => {
    const started = new Map(played.start.map((episode) => [episode.task.id, episode]));
    const trained = played.trained.filter(({ task }) => task.family === family);
    const lifted = trained.filter(({ task, verdict }) => verdict?.success && !started.get(task.id)?.verdict?.success);
    const kept = trained.filter(({ task, verdict }) => verdict?.success && started.get(task.id)?.verdict?.success);
    const failed = trained.filter(({ verdict }) => !verdict?.success);
    const [first] = lifted.length > 0 ? lifted : trained;
    const strips: Shown[] = [];
    if (first) {
      const at = started.get(first.task.id);
      if (at) strips.push({ family, policy: 'start', episode: at.id });
      strips.push({ family, policy: 'trained', episode: first.id });
    }
    for (const other of [...kept.slice(0, 1), ...failed.slice(0, 1)]) {
      if (other.id !== first?.id) strips.push({ family, policy: 'trained', episode: other.id });
    }
    return strips;
  });
}

/** Success on held-out tasks, and the episodes that show it, as JSON. */
export interface Measured {
  turns: number;
  purpose: string;
  results: Result[];
  episodes: JudgedEpisode[];
  /** Tasks of which no episode came to a verdict. They count as failures. Absent in what versions before it left. */
  givenUp?: Judged[];
}

/** Returns every attempt of a measurement, those included that were given up. */
export const attemptsOf = ({ episodes, givenUp = [] }: Measured): Judged[] => [...episodes, ...givenUp];

/** Plays held-out tasks with the policy as it is now, at temperature 1. */
export async function measure(
  workspace: Workspace,
  heldOut: HeldOut,
  options: Parameters<typeof playHeldOut>[3] = {},
): Promise<Measured> {
  const policy = nativePolicy({ name: 'nano', engine: workspace.engine });
  const { episodes, givenUp, results } = await playHeldOut(workspace, policy, heldOut, options);
  const judged = episodes.map(({ id, task, verdict }) => ({
    id,
    task: { id: task.id, family: task.family },
    ...(verdict && { verdict: { success: verdict.success } }),
  }));
  const turns = episodes.reduce((sum, episode) => sum + episode.turns.length, 0);
  return {
    ...{ turns, purpose: heldOut.purpose, results, episodes: judged },
    givenUp: givenUp.map(({ task }) => ({ task: { id: task.id, family: task.family } })),
  };
}
