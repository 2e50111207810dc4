import type { Job } from '@gyre/agent';
import type { Episode } from '@gyre/protocol';

/** How attempts at the same task are played and compared (GRPO, arXiv 2402.03300). */
export interface GroupPlan {
  /** Attempts at each task. */
  readonly size: number;
  /** Leave out tasks at which all attempts succeeded or all failed, and draw others for them ("dynamic sampling", DAPO, arXiv 2503.14476). */
  readonly filter: boolean;
  /** How often, at most, tasks are drawn for an update, the first time included. */
  readonly draws: number;
}

/** Tasks that were played in groups, and those of them that had nothing to compare. */
export interface GroupCounts {
  tasks: number;
  allSucceeded: number;
  allFailed: number;
}

/** Episodes by their task, in the order in which the tasks came first. */
export function groupsOf(episodes: readonly Episode[]): Episode[][] {
  const groups = new Map<string, Episode[]>();
  for (const episode of episodes) {
    const group = groups.get(episode.task.id);
    if (group) group.push(episode);
    else groups.set(episode.task.id, [episode]);
  }
  return [...groups.values()];
}

/**
 * Plays groups until as many as are wanted of each family have both a success and a failure, or the draws are spent. Of an attempt that
 * the infrastructure ended there is no episode: its group is smaller, and one of which a single attempt is left is as any other.
 *
 * @param wanted groups of each family
 * @param draw jobs for so many tasks of a family that no other draw has had, `size` for each
 * @returns all that was played, and what there is to learn from: all of it without `filter`.
 */
export async function playGroups(
  wanted: ReadonlyMap<string, number>,
  { filter, draws }: GroupPlan,
  draw: (family: string, tasks: number) => Job[],
  play: (jobs: Job[]) => Promise<{ episodes: Episode[]; infraErrors: number }>,
): Promise<{ episodes: Episode[]; kept: Episode[]; infraErrors: number; groups: GroupCounts }> {
  const missing = new Map(wanted);
  const all = { episodes: [] as Episode[], kept: [] as Episode[], infraErrors: 0 };
  const groups: GroupCounts = { tasks: 0, allSucceeded: 0, allFailed: 0 };
  for (let round = 0; round < (filter ? draws : 1); round++) {
    const jobs = [...missing].flatMap(([family, tasks]) => (tasks > 0 ? draw(family, tasks) : []));
    if (jobs.length === 0) break;
    const { episodes, infraErrors } = await play(jobs);
    all.episodes.push(...episodes);
    all.infraErrors += infraErrors;
    for (const group of groupsOf(episodes)) {
      groups.tasks++;
      const successes = group.filter(({ verdict }) => verdict?.success).length;
      if (successes === group.length) groups.allSucceeded++;
      else if (successes === 0) groups.allFailed++;
      else missing.set(group[0]!.task.family, (missing.get(group[0]!.task.family) ?? 0) - 1);
      if (!filter || (successes > 0 && successes < group.length)) all.kept.push(...group);
    }
  }
  return { ...all, groups };
}
