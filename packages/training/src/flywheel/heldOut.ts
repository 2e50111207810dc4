import type { GivenUp, Oracle, Policy } from '@gyre/agent';
import { keyNames } from '@gyre/engine';
import { type Episode, GyreError, type Split } from '@gyre/protocol';
import { type JudgedAttempt, type Result, resultOf } from '../metrics/evaluate.js';
import type { Workspace } from './workspace.js';

export const randomActions = { functions: ['click', 'type', 'hotkey'] as const, keys: keyNames.slice(0, 4) };

/** Selects the first tasks of a split, so that evaluations are comparable. */
export interface HeldOut {
  readonly families: readonly string[];
  readonly episodes: Readonly<Record<string, number>>;
  readonly limit?: number;
  readonly split: Exclude<Split, 'train'>;
  readonly purpose: string;
}

/** Share of the episodes. With more, an evaluation would measure faults. */
const maxGivenUp = 0.1;

/** @throws GyreError `infra` if faults of the infrastructure took more than a tenth of the episodes */
export async function playHeldOut(
  workspace: Workspace,
  policy: Policy | Oracle,
  { families, episodes: counts, limit = Infinity, split, purpose }: HeldOut,
  options: { signal?: AbortSignal | undefined; onEpisode?: (played: number, of: number) => void } = {},
): Promise<{ episodes: Episode[]; givenUp: readonly GivenUp[]; results: Result[] }> {
  const jobs = families.flatMap((family) => [
    ...workspace.jobs(family, split, 0, Math.min(limit, counts[family] ?? 0), purpose),
  ]);
  let played = 0;
  const { episodes, givenUp } = await workspace.play(policy, jobs, {
    signal: options.signal,
    onEpisode: () => options.onEpisode?.(++played, jobs.length),
  });
  const last = givenUp.at(-1);
  if (last && givenUp.length > maxGivenUp * jobs.length && !options.signal?.aborted) {
    throw new GyreError(
      'infra',
      `${givenUp.length} of ${jobs.length} held-out episodes failed, the last with: ${last.message}`,
      {
        part: 'machine',
        fix: 'check the browsers and servers with gyre doctor, then resume the run',
      },
    );
  }
  const attempts = [...episodes, ...givenUp];
  return { episodes, givenUp, results: families.map((family) => resultOf(family, attempts)) };
}

export interface ShownEpisode {
  family: string;
  policy: 'random' | 'start' | 'trained' | 'oracle';
  episode: string;
}

export type JudgedEpisode = JudgedAttempt & Pick<Episode, 'id'>;

/** Prefers, per family, a held-out task that only the trained policy solved. */
export function chooseShown(
  families: readonly string[],
  played: Readonly<Record<'start' | 'trained', readonly JudgedEpisode[]>>,
): ShownEpisode[] {
  return families.flatMap((family) => {
    const started = new Map(played.start.map((episode) => [episode.task.id, episode]));
    const trained = played.trained.filter(({ task }) => task.family === family);
    const lifted = trained.filter(({ task, verdict }) => verdict?.success && !started.get(task.id)?.verdict?.success);
    const stillSolved = trained.filter(
      ({ task, verdict }) => verdict?.success && started.get(task.id)?.verdict?.success,
    );
    const failed = trained.filter(({ verdict }) => !verdict?.success);
    const [first] = lifted.length > 0 ? lifted : trained;
    const strips: ShownEpisode[] = [];
    if (first) {
      const startEpisode = started.get(first.task.id);
      if (startEpisode) strips.push({ family, policy: 'start', episode: startEpisode.id });
      strips.push({ family, policy: 'trained', episode: first.id });
    }
    for (const other of [...stillSolved.slice(0, 1), ...failed.slice(0, 1)]) {
      if (other.id !== first?.id) strips.push({ family, policy: 'trained', episode: other.id });
    }
    return strips;
  });
}

export interface HeldOutResult {
  turns: number;
  purpose: string;
  results: Result[];
  episodes: JudgedEpisode[];
  /** Count as failures. Absent in older results. */
  givenUp?: JudgedAttempt[];
}

export const attemptsOf = ({ episodes, givenUp = [] }: HeldOutResult): JudgedAttempt[] => [...episodes, ...givenUp];

/** Evaluates at temperature 1. */
export async function evaluateHeldOut(
  workspace: Workspace,
  heldOut: HeldOut,
  options: Parameters<typeof playHeldOut>[3] = {},
): Promise<HeldOutResult> {
  const { episodes, givenUp, results } = await playHeldOut(workspace, workspace.policy(), heldOut, options);
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
