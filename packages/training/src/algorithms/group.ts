import type { Episode } from '@gyre/protocol';

/** Tasks that were played in groups of attempts, and those of them that had nothing to compare (GRPO, arXiv 2402.03300). */
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

/** Whether attempts at a task can be told apart: some succeeded and some did not. */
export function tellsApart(attempts: readonly Episode[]): boolean {
  const successes = successesOf(attempts);
  return successes > 0 && successes < attempts.length;
}

export function groupCounts(groups: readonly (readonly Episode[])[]): GroupCounts {
  return {
    tasks: groups.length,
    allSucceeded: groups.filter((group) => successesOf(group) === group.length).length,
    allFailed: groups.filter((group) => successesOf(group) === 0).length,
  };
}

const successesOf = (attempts: readonly Episode[]): number => attempts.filter(({ verdict }) => verdict?.success).length;
