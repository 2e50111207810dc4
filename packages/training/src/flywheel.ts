import { writeFile } from 'node:fs/promises';
import { nativePolicy, oraclePolicy, randomPolicy } from '@gyre/agent';
import type { Oracle, Policy } from '@gyre/agent';
import { weightsFile } from '@gyre/engine';
import { type ColdStart, coldStart } from './coldStart.js';
import { type CycleStageName, CycleStages } from './cycleStages.js';
import { type CyclesResult, runCycles, runOf } from './cycles.js';
import { type Gain, type Result, gainOf, resultOf } from './evaluate.js';
import { type Shown, choose, playHeldOut, randomActions } from './heldOut.js';
import type { PpoIteration } from './iteration.js';
import { Journal, writeWhole } from './journal.js';
import { ppo } from './practice.js';
import { type GivenSettings, Settings, scratch } from './settings.js';
import { valuePretraining } from './stages.js';
import { Workspace } from './workspace.js';

export type StageName =
  | 'demonstrations'
  | 'baselines'
  | 'letters'
  | 'sft'
  | 'evaluate start'
  | 'value'
  | 'ppo'
  | 'evaluate ppo'
  | CycleStageName;

/** What happens in a run, for whoever shows it. */
export interface Progress {
  stage: StageName;
  /** 0..1 of the stage. */
  share: number;
  message: string;
}

export interface FamilyResult {
  family: string;
  /** Episodes of start and of trained; random and oracle may have had fewer. */
  n: number;
  random: Result;
  start: Result;
  trained: Result;
  oracle: Result;
  /** Not of several cycles. */
  startGreedy?: Result;
  trainedGreedy?: Result;
  /** Of trained over start. */
  gain: Gain;
}

export interface FlywheelResult {
  settings: Settings;
  minutes: number;
  families: FamilyResult[];
  /** Where it learnt from demonstrations before it practised. */
  supervised?: ColdStart;
  ppo: PpoIteration[];
  /** Episodes of the lake that show what was learnt: the same held-out tasks before and after. */
  shown: Shown[];
  /** Of a run of several. */
  cycles?: CyclesResult;
}

/**
 * The whole loop on the embedded engine: given weights or random ones; supervised training where demonstrations are wanted; PPO; and
 * evaluation of random, start, trained and oracle on held-out tasks. Everything that was played is in the lake under `dir`. With several
 * `cycles`, see `runCycles`.
 * @param run.resume goes on with the run of several cycles in `dir`.
 */
export async function flywheel(
  options: GivenSettings,
  run: { dir: string; onProgress?: (progress: Progress) => void; signal?: AbortSignal; resume?: boolean },
): Promise<FlywheelResult> {
  const settings = Settings.parse(options);
  const { families: familyNames } = settings;
  const { signal } = run;
  const started = performance.now();
  const minutes = (): number => (performance.now() - started) / 60_000;
  const tell = (stage: StageName, share: number, message: string): void => run.onProgress?.({ stage, share, message });
  const several = settings.cycles > 1 ? { run: runOf(settings), resume: run.resume ?? false } : undefined;
  if (several) await Journal.check(run.dir, several);
  const workspace = await Workspace.open({ dir: run.dir, ...settings });
  try {
    await writeWhole(workspace.path('settings.json'), JSON.stringify(settings, null, 2));
    // At once: what cannot be loaded is told before anything is played.
    if (settings.from !== scratch) await workspace.engine.load(weightsFile(settings.from), { optimiser: false });
    if (several) {
      const journal = await Journal.open(run.dir, { ...several, weights: workspace.engine, signal });
      const result = await runCycles(new CycleStages(workspace, settings, tell, signal), settings, journal);
      await writeFile(workspace.path('result.json'), JSON.stringify(result, null, 2));
      return result;
    }
    const evaluate = (policy: Policy | Oracle, purpose: string, stage: StageName, most = Infinity) => {
      const heldOut = { families: familyNames, episodes: settings.evaluate, most, split: 'test', purpose } as const;
      return playHeldOut(workspace, policy, heldOut, {
        signal,
        onEpisode: (played, of) => tell(stage, played / of, `${policy.name}: ${played} of ${of} held-out episodes`),
      });
    };
    const oracle = await evaluate(oraclePolicy, 'eval oracle', 'baselines', settings.baselines);
    const random = await evaluate(randomPolicy(randomActions), 'eval random', 'baselines', settings.baselines);

    const supervised = await coldStart(workspace, settings, tell, signal);
    const startWeights = workspace.path('start.safetensors');
    await workspace.engine.save(startWeights);

    const policies = (name: string) => ({
      sampled: nativePolicy({ name, engine: workspace.engine }),
      greedy: nativePolicy({
        name: `${name} greedy`,
        engine: workspace.engine,
        temperature: 0,
      }),
    });
    const before = minutes();
    const name = supervised ? 'sft' : 'start';
    const start = await evaluate(policies(name).sampled, 'eval start', 'evaluate start');
    const startGreedy = await evaluate(policies(name).greedy, 'eval start greedy', 'evaluate start', settings.greedy);
    const evaluation = minutes() - before;

    const pretrained =
      settings.ppo.advantage === 'critic'
        ? await valuePretraining(
            workspace,
            settings,
            { policy: startWeights, episodes: 900, name: 'critic.safetensors' },
            {
              signal,
              onEpoch: ({ epoch, heldOutExplainedVariance: ev }) =>
                tell('value', epoch / 20, `epoch ${epoch}, held-out explained variance ${ev.toFixed(2)}`),
            },
          )
        : undefined;
    const ppoStart = minutes();
    const deadline = Math.max(ppoStart + 0.2, settings.minutes - 1.15 * evaluation - 0.1);
    const iterations = await ppo(
      workspace,
      settings,
      (iteration) => {
        const { rolloutSeconds, updateSeconds, replay } = iteration;
        const last = (rolloutSeconds + updateSeconds + (replay?.seconds ?? 0)) / 60;
        return minutes() + 0.5 * last >= deadline;
      },
      {
        signal,
        ...(pretrained && { critic: pretrained.critic }),
        progress: () => (minutes() - ppoStart) / (deadline - ppoStart),
        onIteration: (iteration) => {
          const success = familyNames
            .map((family) => `${family} ${percent(iteration.success[family] ?? 0)}`)
            .join(', ');
          tell(
            'ppo',
            Math.min(1, (minutes() - ppoStart) / (deadline - ppoStart)),
            `${iteration.environmentSteps} environment steps, success: ${success}`,
          );
        },
      },
    );
    await pretrained?.critic.close();
    await workspace.engine.save(workspace.path('trained.safetensors'));
    const trained = await evaluate(policies('trained').sampled, 'eval trained', 'evaluate ppo');
    const trainedGreedy = await evaluate(
      policies('trained').greedy,
      'eval trained greedy',
      'evaluate ppo',
      settings.greedy,
    );
    await workspace.lake.flush();
    signal?.throwIfAborted();

    const byFamily = (results: Result[], family: string): Result =>
      results.find((result) => result.family === family) ?? resultOf(family, []);
    const families = familyNames.map((family) => ({
      family,
      n: Math.min(byFamily(start.results, family).n, byFamily(trained.results, family).n),
      random: byFamily(random.results, family),
      start: byFamily(start.results, family),
      trained: byFamily(trained.results, family),
      oracle: byFamily(oracle.results, family),
      startGreedy: byFamily(startGreedy.results, family),
      trainedGreedy: byFamily(trainedGreedy.results, family),
      gain: gainOf(family, start.episodes, trained.episodes, settings.seed),
    }));
    const result: FlywheelResult = {
      settings,
      minutes: minutes(),
      families,
      ...(supervised && { supervised }),
      ppo: iterations,
      shown: choose(familyNames, { start: start.episodes, trained: trained.episodes }),
    };
    await writeFile(workspace.path('result.json'), JSON.stringify(result, null, 2));
    return result;
  } finally {
    await workspace.close();
  }
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
