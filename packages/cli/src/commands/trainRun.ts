import { type Interval, signed } from '@gyre/studio';
import {
  attemptsOf,
  type Gain,
  gainOf,
  Journal,
  measure,
  type Measured,
  RunWeights,
  type Settings,
  type Workspace,
} from '@gyre/training';
import { join } from 'node:path';
import type { Invocation, Outcome } from '../command.js';
import { optionalCount, toggle, type Values } from '../flags/flag.js';
import { type criticEngineFlag } from '../flags/serverFlags.js';
import { readSettings, type servedFlags, trainingFlags, weightsNamed, withoutUndefined } from '../flags/settings.js';
import { share as intervalText } from '../terminal/resultTable.js';
import { table } from '../terminal/table.js';
import { directory, from, inWorkspace, pulledAdapter, startOf } from './trainFolder.js';

export const runFlags = {
  ...trainingFlags(),
  evaluate: optionalCount('held-out tasks per family to play before and after (default: none)', { example: '150' }),
  directory,
  from,
};

export const resumeFlag = (unit: string) => toggle(`resume the run in the directory after its last complete ${unit}`);

/** A run of one directory, which starts from a policy's weights and can be resumed. */
interface TrainingRun {
  readonly directory: string;
  readonly from: string | undefined;
  readonly resume: boolean;
  /** Whether held-out tasks are played before and after. */
  readonly measured: boolean;
}

type RunFlags = Values<typeof runFlags> &
  Partial<Values<typeof servedFlags> & Values<{ criticEngine: typeof criticEngineFlag }>> & {
    readonly resume: boolean;
  };

/** @param preset settings under the flags, instead of a file's */
export async function readRun(
  { settings: file, directory, from, resume, evaluate, ...typed }: RunFlags,
  typedSeed: number | undefined,
  preset: Parameters<typeof readSettings>[1] = {},
): Promise<[TrainingRun, Settings]> {
  const settings = await readSettings(file, {
    ...preset,
    ...withoutUndefined({ ...typed, evaluate, seed: typedSeed }),
  });
  const measured = evaluate !== undefined || preset.evaluate !== undefined;
  return [{ directory, from: from ?? preset.from ?? (await weightsNamed(file)), resume, measured }, settings];
}

/** The parts that an algorithm trains with. The journal holds its stages and the weights after them. */
export interface OpenRun {
  readonly workspace: Workspace;
  readonly journal: Journal;
  readonly weights: RunWeights;
  /** From which it starts; undefined for those of the server. */
  readonly policy: string | undefined;
  /** Minutes without the evaluations. Time before an interruption counts. */
  readonly minutes: { spent(): number; readonly budget: number };
}

interface Trained {
  readonly ok: boolean;
  /** Line to print, which the name of the checkpoint follows. */
  readonly summary: string;
  readonly result: Record<string, unknown>;
}

/**
 * Trains a directory's policy by an algorithm and saves its weights. A measured run also plays held-out tasks before and
 * after, and prints the gains.
 *
 * @param algorithm.folder of its journal
 */
export async function trainPolicy(
  { directory: dir, from: weightsFrom, resume, measured }: TrainingRun,
  settings: Settings,
  { terminal, signal }: Pick<Invocation, 'terminal' | 'signal'>,
  algorithm: { readonly folder: string; readonly train: (run: OpenRun) => Promise<Trained> },
): Promise<Outcome> {
  const policy = startOf(dir, settings, weightsFrom);
  const { minutes, ...same } = settings;
  const journalDirectory = join(dir, algorithm.folder);
  const run = { ...same, from: weightsFrom ?? null, measured };
  await Journal.check(journalDirectory, { run, resume });
  return inWorkspace(dir, { ...settings, from: policy ?? settings.from }, async (workspace) => {
    const { engine, extension } = workspace.learner;
    if (policy !== undefined) await engine.load(policy);
    const weights = new RunWeights(workspace.learner);
    const journal = await Journal.open(journalDirectory, { run, resume, weights, signal, lock: workspace.lock });
    try {
      const evaluateHeldOut = (name: string) => evaluatePolicy(workspace, settings, name, { terminal, signal });
      const before = measured ? await journal.stage('evaluate start', () => evaluateHeldOut('start')) : undefined;
      // The final evaluation is assumed as long as the first.
      const evaluationMinutes = before?.minutes ?? 0;
      const budget = Math.max(minutes - 2 * evaluationMinutes, 0.02 * minutes);
      const trained = await algorithm.train({
        ...{ workspace, journal, weights, policy },
        minutes: { spent: () => journal.spent.minutes - evaluationMinutes, budget },
      });
      terminal.end();
      // Restores the weights if the run was already complete.
      await journal.load();
      const checkpoint = join(dir, `trained.${extension}`);
      await workspace.save(checkpoint);
      // Not a stage: a run resumed with more minutes evaluates again.
      const after = before && (await evaluateHeldOut('trained'));
      terminal.print(`${trained.summary}: ${checkpoint}`);
      const pulled = await pulledAdapter(checkpoint, terminal);
      const families = before && after && gains(settings, before.outcome, after);
      for (const line of families ? gainTable(families) : []) terminal.print(line);
      return { ok: trained.ok, result: { ...trained.result, checkpoint, ...pulled, ...(families && { families }) } };
    } finally {
      await weights.critic?.close();
    }
  });
}

async function evaluatePolicy(
  workspace: Workspace,
  { families, evaluate }: Settings,
  name: string,
  { terminal, signal }: Pick<Invocation, 'terminal' | 'signal'>,
): Promise<Measured> {
  const progress = terminal.progress(`evaluate ${name}`);
  const measured = await measure(
    workspace,
    { families, episodes: evaluate, split: 'test', purpose: `eval ${name}` },
    { signal, onEpisode: (played, of) => progress.update(played / of, `${played} of ${of} held-out episodes`) },
  );
  signal.throwIfAborted();
  await workspace.lake.flush();
  terminal.end();
  return measured;
}

interface FamilyGain {
  family: string;
  n: number;
  start: Interval;
  trained: Interval;
  gain: Gain;
}

function gains({ families, seed }: Settings, before: Measured, after: Measured): FamilyGain[] {
  return families.flatMap((family) => {
    const [start, trained] = [before, after].map(({ results }) => results.find((one) => one.family === family));
    if (!start || !trained) return [];
    const gain = gainOf(family, attemptsOf(before), attemptsOf(after), seed);
    return [{ family, n: Math.min(start.n, trained.n), start, trained, gain }];
  });
}

const gainTable = (families: readonly FamilyGain[]): string[] =>
  table(
    ['family', 'episodes', 'start', 'trained', 'gain'],
    families.map(({ family, n, start, trained, gain }) => [
      ...[family, String(n), intervalText(start), intervalText(trained), signed(gain)],
    ]),
  );
