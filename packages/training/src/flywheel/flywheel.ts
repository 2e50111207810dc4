import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { loadSuite } from '@gyre/tasks';
import { architectureOf, firstWeights } from './architecture.js';
import { CycleStages, type StageName } from './cycleStages.js';
import { runCycles, resumeSettings } from './cycles.js';
import { Journal, writeWhole } from './journal.js';
import type { FlywheelResult } from '../metrics/result.js';
import { RunWeights } from './runWeights.js';
import { expectQueueable } from '../algorithms/rlLoop.js';
import type { QueuedRollouts } from '../rollouts/queuedRollouts.js';
import { copyCheckpoint } from '../served/servedCheckpoint.js';
import { type GivenSettings, Settings } from './settings.js';
import { Workspace, lakeOf } from './workspace.js';

/** Names the file of a run's result. */
export const trainedWeights = ({ served }: Pick<Settings, 'served'>): string =>
  served ? 'trained.json' : 'trained.safetensors';

interface OpenedQueue {
  readonly rollouts: QueuedRollouts;
  close(): Promise<void>;
}

export interface Progress {
  stage: StageName;
  share: number;
  message: string;
}

/**
 * Runs the flywheel on the embedded engine or on servers (see `runCycles`) and evaluates the random, start, trained and
 * oracle policies on held-out tasks.
 * @param run.resume continues the run in `dir`
 * @param run.queue opens the queue whose workers play the rollouts of RL, if there is one
 */
export async function flywheel(
  options: GivenSettings,
  {
    dir,
    onProgress,
    signal,
    resume = false,
    queue,
  }: {
    dir: string;
    onProgress?: (progress: Progress) => void;
    signal?: AbortSignal;
    resume?: boolean;
    queue?: (workspace: Workspace, settings: Settings) => Promise<OpenedQueue | undefined>;
  },
): Promise<FlywheelResult> {
  for (const path of options.suites ?? []) await loadSuite(path);
  const settings = Settings.parse(options);
  const run = resumeSettings(settings);
  await Journal.check(dir, { run, resume });
  for (const brought of settings.bring) {
    await access(join(lakeOf(brought), 'episodes')).catch((cause: unknown) => {
      const fix = 'name the directory of a run, which contains a folder lake';
      throw new GyreError('bad_input', `${brought} has no lake`, { field: 'bring', fix, cause });
    });
  }
  const architecture = await architectureOf(settings);
  const workspace = await Workspace.open({ dir, ...settings, architecture });
  let queued: OpenedQueue | undefined;
  try {
    queued = await queue?.(workspace, settings);
    if (queued) expectQueueable(workspace, settings);
    const { learner, lock } = workspace;
    await writeWhole(workspace.path('settings.json'), JSON.stringify(settings, null, 2));
    const first = firstWeights(settings);
    if (first !== undefined) await learner.engine.load(first, { optimiser: false });
    const journal = await Journal.open(dir, { run, resume, weights: new RunWeights(learner), signal, lock });
    const tell = (stage: StageName, share: number, message: string): void => onProgress?.({ stage, share, message });
    const due = settingsFor(workspace, settings);
    const result = await runCycles(
      new CycleStages(workspace, due, tell, { signal, queued: queued?.rollouts }),
      due,
      journal,
    );
    await lock.expect();
    await copyCheckpoint(journal.weightsOf(result.cycles.weights), workspace.path(trainedWeights(settings)));
    await writeWhole(workspace.path('result.json'), JSON.stringify(result, null, 2));
    return result;
  } finally {
    await queued?.close();
    await workspace.close();
  }
}

/**
 * Leaves out continual training, unless the policy is native and has no reader. A reader sees only the newest screen, but
 * the prediction of an action takes those before and after; a served policy cannot learn from rendered pages.
 */
function settingsFor({ isNative, view }: Workspace, settings: Settings): Settings {
  if (isNative && !view.reads) return settings;
  const { cycle } = settings;
  return { ...settings, cycle: { ...cycle, ct: { ...cycle.ct, share: 0 } } };
}
