import { writeFile } from 'node:fs/promises';
import { nativePolicy, oraclePolicy, randomPolicy } from '@gyre/agent';
import type { Oracle, Policy } from '@gyre/agent';
import { keys, weightsFile } from '@gyre/engine';
import { type Gain, type Result, gainOf, resultOf } from './evaluate.js';
import type { PpoIteration } from './iteration.js';
import { ppo } from './practice.js';
import { type GivenSettings, Settings, scratch } from './settings.js';
import type { SftStep } from './sft.js';
import { demonstrate, letters, sft, valuePretraining } from './stages.js';
import { Workspace } from './workspace.js';

export type StageName =
  'demonstrations' | 'baselines' | 'letters' | 'sft' | 'evaluate start' | 'value' | 'ppo' | 'evaluate ppo';

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
  startGreedy: Result;
  trainedGreedy: Result;
  /** Of trained over start. */
  gain: Gain;
}

export interface FlywheelResult {
  settings: Settings;
  minutes: number;
  families: FamilyResult[];
  /** Where it learnt from demonstrations before it practised. */
  supervised?: {
    /** Where it began with random weights. */
    letters?: { steps: number; curve: { step: number; loss: number }[] };
    sft: { steps: number; curve: SftStep[] };
  };
  ppo: PpoIteration[];
  /** Episodes of the lake that show what was learnt: the same held-out tasks before and after. */
  shown: { family: string; policy: 'random' | 'start' | 'trained' | 'oracle'; episode: string }[];
}

/**
 * The whole loop on the embedded engine: given weights or random ones; supervised training where demonstrations are wanted; PPO; and
 * evaluation of random, start, trained and oracle on held-out tasks. Everything that was played is in the lake under `dir`.
 */
export async function flywheel(
  options: GivenSettings,
  run: { dir: string; onProgress?: (progress: Progress) => void; signal?: AbortSignal },
): Promise<FlywheelResult> {
  const settings = Settings.parse(options);
  const { families: familyNames } = settings;
  const { signal } = run;
  const started = performance.now();
  const minutes = (): number => (performance.now() - started) / 60_000;
  const tell = (stage: StageName, share: number, message: string): void => run.onProgress?.({ stage, share, message });
  const workspace = await Workspace.open({ dir: run.dir, ...settings });
  try {
    await writeFile(workspace.path('settings.json'), JSON.stringify(settings, null, 2));
    // At once: what cannot be loaded is told before anything is played.
    if (settings.from !== scratch) await workspace.engine.load(weightsFile(settings.from), { optimiser: false });
    const evaluate = async (policy: Policy | Oracle, purpose: string, stage: StageName, most = Infinity) => {
      const jobs = familyNames.flatMap((family) => [
        ...workspace.jobs(family, 'test', 0, Math.min(most, settings.evaluate[family] ?? 0), purpose),
      ]);
      let played = 0;
      const { episodes } = await workspace.play(policy, jobs, {
        signal,
        onEpisode: () => {
          played++;
          tell(stage, played / jobs.length, `${policy.name}: ${played} of ${jobs.length} held-out episodes`);
        },
      });
      return { episodes, results: familyNames.map((family) => resultOf(family, episodes)) };
    };
    const actionSpace = { functions: ['click', 'type', 'hotkey'] as const, keys: keys.slice(0, 4) };
    const oracle = await evaluate(oraclePolicy, 'eval oracle', 'baselines', settings.baselines);
    const random = await evaluate(randomPolicy(actionSpace), 'eval random', 'baselines', settings.baselines);

    const supervised = await supervise(workspace, settings, tell, signal);
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
      shown: choose(familyNames, {
        random: random.episodes,
        start: start.episodes,
        trained: trained.episodes,
        oracle: oracle.episodes,
      }),
    };
    await writeFile(workspace.path('result.json'), JSON.stringify(result, null, 2));
    return result;
  } finally {
    await workspace.close();
  }
}

/**
 * The oracle plays, and the policy learns from that and from rendered pages; from random weights its stem learns letters before. Nothing
 * where no demonstrations are wanted.
 */
async function supervise(
  workspace: Workspace,
  settings: Settings,
  tell: (stage: StageName, share: number, message: string) => void,
  signal: AbortSignal | undefined,
): Promise<FlywheelResult['supervised']> {
  const { minutes } = settings;
  const wanted = Object.values(settings.demonstrations).reduce((a, b) => a + b, 0);
  if (wanted === 0) return undefined;
  const told = (stage: StageName, step: number, steps: number, losses: string): void => {
    tell(stage, step / steps, `step ${step} of ${Number.isFinite(steps) ? steps : '?'}, loss: ${losses}`);
  };
  let shown = 0;
  await demonstrate(workspace, settings, {
    signal,
    onEpisode: () => {
      shown++;
      tell('demonstrations', shown / wanted, `${shown} of ${wanted} episodes of the oracle`);
    },
  });
  const read =
    settings.from === scratch
      ? await letters(
          workspace,
          settings,
          { minutes: minutes * settings.letters.share },
          { signal, onStep: ({ step, loss }, steps) => told('letters', step, steps, loss.toFixed(2)) },
        )
      : undefined;
  const learnt = await sft(
    workspace,
    settings,
    { minutes: minutes * settings.sft.share },
    {
      signal,
      onStep: ({ step, demonstrationLoss, perceptionLoss }, steps) => {
        const perception = settings.sft.perception > 0 ? `, perception ${perceptionLoss.toFixed(2)}` : '';
        told('sft', step, steps, `demonstrations ${demonstrationLoss.toFixed(2)}${perception}`);
      },
    },
  );
  return { ...(read && { letters: read }), sft: learnt };
}

type Played = Awaited<ReturnType<Workspace['play']>>['episodes'];

/** For each family, held-out tasks that the start failed and the trained policy solved, with both; else any two. */
function choose(
  families: readonly string[],
  played: Record<'random' | 'start' | 'trained' | 'oracle', Played>,
): FlywheelResult['shown'] {
  return families.flatMap((family) => {
    const started = new Map(played.start.map((episode) => [episode.task.id, episode]));
    const trained = played.trained.filter(({ task }) => task.family === family);
    const lifted = trained.filter(({ task, verdict }) => verdict?.success && !started.get(task.id)?.verdict?.success);
    const kept = trained.filter(({ task, verdict }) => verdict?.success && started.get(task.id)?.verdict?.success);
    const failed = trained.filter(({ verdict }) => !verdict?.success);
    const [first] = lifted.length > 0 ? lifted : trained;
    const strips: FlywheelResult['shown'] = [];
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

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
