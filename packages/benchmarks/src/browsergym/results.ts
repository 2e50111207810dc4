import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';

export interface OfficialEpisode {
  readonly task: string;
  /** Its place among the task's five. BrowserGym draws some seeds twice. */
  readonly index: number;
  readonly seed: number;
  readonly steps: number;
  /** BrowserGym's: 0 or 1. */
  readonly reward: number;
  /** MiniWoB++'s, with neither threshold nor discount. */
  readonly raw: number;
  readonly terminated: boolean;
  readonly truncated: boolean;
  /** In BrowserGym's action space. */
  readonly actions: readonly string[];
}

/**
 * Writes an episode's `summary_info.json` as BrowserGym's experiments do, so that its `ExpResult(folder).summary_info`
 * reads it. Its pickled arguments and steps are not written.
 */
export async function writeSummary(folder: string, episode: OfficialEpisode): Promise<void> {
  const { task, index, seed, steps, reward, raw, terminated, truncated, actions } = episode;
  const directory = join(folder, `${task}_${index}_${seed}`);
  await mkdir(directory, { recursive: true });
  const summary = { n_steps: steps, cum_reward: reward, cum_raw_reward: raw, err_msg: null, stack_trace: null };
  const text = JSON.stringify({ ...summary, terminated, truncated }, undefined, 4);
  await writeFileAtomic(join(directory, 'summary_info.json'), text);
  await writeFileAtomic(join(directory, 'actions.json'), JSON.stringify(actions, undefined, 4));
}
