import type { Job } from '@gyre/agent';
import type { Workspace } from '../flywheel/workspace.js';
import { turnCount } from './iteration.js';

export interface RejectionSample {
  turns: number;
  purpose: string;
  tasks: number;
  attempts: number;
  solved: number;
}

export interface RejectionTerms {
  readonly purpose: string;
  readonly attempts: number;
  readonly temperatures: readonly number[];
  /** Called after every round, with the turns so far. */
  readonly isOver: (turns: number) => boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onRound?: (round: { readonly tasks: number; readonly solved: number }) => void;
}

const attemptStride = 104_729;

/**
 * Samples attempts for rejection fine-tuning (RFT, UI-TARS-2, arXiv 2509.02544, section 2.3). Rounds are finished: a
 * task has all of its attempts or none.
 */
export async function rejectionSample(
  workspace: Workspace,
  jobs: readonly Job[],
  { purpose, attempts, temperatures, isOver, signal, onRound }: RejectionTerms,
): Promise<RejectionSample> {
  const solved = new Set<string>();
  const sample: RejectionSample = { turns: 0, purpose, tasks: 0, attempts: 0, solved: 0 };
  for (let first = 0; first < jobs.length && !isOver(sample.turns); first += workspace.sessions) {
    const round = jobs.slice(first, first + workspace.sessions);
    for (let attempt = 0; attempt < attempts; attempt++) {
      const temperature = temperatures[attempt % temperatures.length] ?? 1;
      const policy = workspace.policy({ temperature });
      const reseeded = round.map((job): Job => ({ ...job, seed: job.seed + attempt * attemptStride }));
      const { episodes } = await workspace.play(policy, reseeded, { signal });
      for (const { task, verdict } of episodes) if (verdict?.success) solved.add(task.id);
      sample.turns += turnCount(episodes);
      sample.attempts += episodes.length;
    }
    sample.tasks += round.length;
    sample.solved = solved.size;
    onRound?.({ tasks: sample.tasks, solved: solved.size });
  }
  await workspace.lake.flush();
  return sample;
}
