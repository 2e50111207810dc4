import { CycleStages } from '../flywheel/cycleStages.js';
import type { Journal, StageOutcome } from '../flywheel/journal.js';
import { type Routing, routeCycle } from '../flywheel/routing.js';
import type { Settings } from '../flywheel/settings.js';
import type { StageOptions } from '../flywheel/stages.js';
import type { Workspace } from '../flywheel/workspace.js';
import { UpdateLog } from '../metrics/updateLog.js';
import { familyWeights } from '../rollouts/curriculum.js';

/** Absent losses and steps: no attempt of the round was learnt from. */
export interface RftRound {
  readonly round: number;
  /** Total so far. */
  readonly environmentSteps: number;
  readonly tasks: number;
  readonly attempts: number;
  /** Tasks that an attempt solved. */
  readonly solved: number;
  /** Attempts that the round learns from: the best of a task, without near-duplicates of earlier ones. */
  readonly selected: number;
  readonly steps?: number;
  readonly loss?: number;
}

export interface RftOptions extends StageOptions {
  /** Resumes after its last finished stage. */
  readonly journal: Journal;
  /** Returns the minutes left. Default: no limit. */
  readonly minutes?: () => number;
  readonly onProgress?: (share: number, message: string) => void;
  readonly onRound?: (round: RftRound) => void;
}

/** Demonstrations and rollouts of the lake are not learnt from, unless `cycle.mixture.origins` weighs them. */
const rejectionsOnly = { imported: 0, demonstration: 0, captured: 0, rollout: 0 };

/**
 * Trains by rejection fine-tuning (RFT) until `until` returns true: each round attempts new tasks with the current policy
 * and fine-tunes on each task's best success. These are the flywheel's rejection sampling, routing and SFT, with their
 * settings. Families that are solved about half of the time get more tasks in the next round (`familyWeights`). A round
 * without a success trains nothing.
 */
export async function trainRft(
  workspace: Workspace,
  settings: Settings,
  until: (round: RftRound) => boolean,
  options: RftOptions,
): Promise<RftRound[]> {
  const { journal, signal, onProgress } = options;
  const origins = { ...rejectionsOnly, ...settings.cycle.mixture.origins };
  const cycle = { ...settings.cycle, mixture: { ...settings.cycle.mixture, origins } };
  const stages = new CycleStages(workspace, { ...settings, cycle }, (_, ...told) => onProgress?.(...told), { signal });
  const log = await UpdateLog.open(workspace.dir, workspace.lake, undefined, workspace.lock);
  const rounds: RftRound[] = [];
  let tallies: Routing['tallies'] = {};
  try {
    while (!signal?.aborted) {
      const carriedOut = await roundOf(rounds.length + 1, { workspace, settings, stages, tallies, options });
      tallies = carriedOut.tallies;
      const before = rounds.at(-1)?.environmentSteps ?? 0;
      const round = { ...carriedOut.round, environmentSteps: before + carriedOut.round.environmentSteps };
      await journal.stage(`round ${round.round}`, () => log.write(round).then((): StageOutcome => ({ turns: 0 })));
      rounds.push(round);
      options.onRound?.(round);
      if (until(round)) break;
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
  return rounds;
}

interface RoundTerms {
  readonly workspace: Workspace;
  readonly settings: Settings;
  readonly stages: CycleStages;
  readonly tallies: Routing['tallies'];
  readonly options: RftOptions;
}

/** Carries out a round, or reads it from the journal. Its steps are its own. */
async function roundOf(
  round: number,
  { workspace, settings: { families }, stages, tallies, options: { journal, minutes = () => Infinity } }: RoundTerms,
): Promise<{ round: RftRound; tallies: Routing['tallies'] }> {
  const allowance = (share: number) => ({
    minutes: share * minutes(),
    familyWeights: familyWeights(families, tallies),
    progress: () => 0,
    turns: Infinity,
    stepsBefore: 0,
  });
  // The other half is for training.
  const sampled = await journal.stage(`generate ${round}`, () => stages.generate(round, allowance(0.5)));
  const folder = workspace.path('rft');
  const routed = await journal.stage(`route ${round}`, () => routeCycle(workspace.lake, folder, round));
  const selected = successes(routed.outcome);
  // A cycle of the flywheel learns from the episodes of those before it.
  const tuned =
    selected > 0
      ? await journal.stage(`sft ${round}`, () => stages.sft(round + 1, allowance(1)), { learns: true })
      : undefined;
  const { turns: environmentSteps, tasks, attempts, solved } = sampled.outcome;
  const { steps, curve = [] } = tuned?.outcome ?? {};
  const loss = curve.at(-1)?.loss;
  return {
    round: {
      ...{ round, environmentSteps, tasks, attempts, solved, selected },
      ...(steps !== undefined && { steps }),
      ...(loss !== undefined && { loss }),
    },
    tallies: routed.outcome.tallies,
  };
}

function successes({ flows }: Routing): number {
  return flows.filter(({ origin, to }) => origin === 'rejection' && to === 'sft').reduce((sum, { n }) => sum + n, 0);
}
