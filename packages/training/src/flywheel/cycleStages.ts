import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { oraclePolicy, randomPolicy } from '@gyre/agent';
import { Random } from '@gyre/engine';
import { FolderStore, type PoolStage } from '@gyre/lake';
import { type ColdStart, coldStart } from '../sft/coldStart.js';
import { transitions } from '../ct/transitions.js';
import type { Result } from '../metrics/evaluate.js';
import { type HeldOutResult, evaluateHeldOut, playHeldOut, randomActions } from './heldOut.js';
import { type PoolTerms, type ReadDecisions, type SupervisedResult, learnFromPool } from '../sft/poolLearning.js';
import { type Routing, routeCycle } from './routing.js';
import type { Settings } from './settings.js';
import { type RlResult, turnCount } from '../algorithms/iteration.js';
import { trainSpecialists, verticalsOf } from './specialists.js';
import { type RejectionSample, rejectionSample } from '../algorithms/rft.js';
import { type RlOptions, trainRl } from '../algorithms/rlLoop.js';
import { pretrainCritic } from './stages.js';
import { type Workspace, lakeOf } from './workspace.js';

export type StageName =
  | ('baselines' | 'cold start' | 'demonstrations' | 'letters' | 'sft')
  | `${'ct' | 'sft' | 'rl' | 'generate' | 'route'} ${number}`
  | `evaluate ${string}`;

export interface Allowance {
  minutes: number;
  /** 1 on average. */
  familyWeights: Readonly<Record<string, number>>;
  /** Returns the run's progress, 0..1, after so many minutes of this stage. */
  progress: (minutes: number) => number;
  turns: number;
  /** Excludes this cycle. */
  stepsBefore: number;
}

/** Each stage leaves its weights in the engine, published, and its episodes in the lake. */
export interface CycleWork {
  baselines(): Promise<{ turns: number; oracle: Result[]; random: Result[] }>;
  coldStart(): Promise<{ turns: 0; supervised?: ColdStart }>;
  measure(split: 'dev' | 'test', name: string): Promise<HeldOutResult>;
  route(cycle: number): Promise<Routing>;
  ct(cycle: number, allowance: Allowance): Promise<SupervisedResult>;
  sft(cycle: number, allowance: Allowance): Promise<SupervisedResult>;
  rl(cycle: number, allowance: Allowance): Promise<RlResult>;
  generate(cycle: number, allowance: Allowance): Promise<RejectionSample>;
  /** In GiB. */
  disk(): Promise<number>;
  load(weights: string): Promise<unknown>;
}

type Tell = (stage: StageName, share: number, message: string) => void;

export class CycleStages implements CycleWork {
  readonly #workspace: Workspace;
  readonly #settings: Settings;
  readonly #tell: Tell;
  readonly #signal: AbortSignal | undefined;
  readonly #queued: RlOptions['queued'];

  constructor(
    workspace: Workspace,
    settings: Settings,
    tell: Tell,
    { signal, queued }: Pick<RlOptions, 'signal' | 'queued'> = {},
  ) {
    this.#workspace = workspace;
    this.#settings = settings;
    this.#tell = tell;
    this.#signal = signal;
    this.#queued = queued;
  }

  async baselines() {
    const { families, evaluate: episodes, baselines: limit } = this.#settings;
    const play = (policy: typeof oraclePolicy | ReturnType<typeof randomPolicy>) =>
      playHeldOut(
        this.#workspace,
        policy,
        { families, episodes, limit, split: 'test', purpose: `eval ${policy.name}` },
        {
          signal: this.#signal,
          onEpisode: (played, of) =>
            this.#tell('baselines', played / of, `${policy.name}: ${played} of ${of} held-out episodes`),
        },
      );
    const oracle = await play(oraclePolicy);
    const random = await play(randomPolicy(randomActions));
    return {
      turns: turnCount([...oracle.episodes, ...random.episodes]),
      oracle: oracle.results,
      random: random.results,
    };
  }

  async coldStart() {
    for (const directory of this.#settings.bring) {
      await this.#workspace.lake.pull(new FolderStore(lakeOf(directory)), {
        signal: this.#signal,
        onFile: (done, of) => this.#tell('cold start', done / of, `${done} of ${of} files of ${directory}`),
      });
    }
    const supervised = await coldStart(this.#workspace, this.#settings, this.#tell, this.#signal);
    return { turns: 0 as const, ...(supervised && { supervised }) };
  }

  async measure(split: 'dev' | 'test', name: string): Promise<HeldOutResult> {
    const { families, evaluate, cycle } = this.#settings;
    const each = Object.fromEntries(families.map((family) => [family, cycle.evaluate]));
    return evaluateHeldOut(
      this.#workspace,
      { families, episodes: split === 'test' ? evaluate : each, split, purpose: `eval ${name}` },
      {
        signal: this.#signal,
        onEpisode: (played, of) =>
          this.#tell(`evaluate ${name}`, played / of, `${played} of ${of} episodes of the ${split} split`),
      },
    );
  }

  async route(cycle: number): Promise<Routing> {
    this.#tell(`route ${cycle}`, 0, 'sorting episodes into pools');
    return routeCycle(this.#workspace.lake, this.#workspace.dir, cycle);
  }

  async ct(cycle: number, allowance: Allowance): Promise<SupervisedResult> {
    const { steps, pages, transitions: count, learningRate, most: maxEpisodes } = this.#settings.cycle.ct;
    return this.#learn('ct', cycle, allowance, {
      ...{ steps, pages, decisions: count, learningRate, maxEpisodes },
      read: transitions,
    });
  }

  async sft(cycle: number, allowance: Allowance): Promise<SupervisedResult> {
    const { steps, pages, decisions: count, learningRate, most: maxEpisodes, thoughts } = this.#settings.cycle.sft;
    const read: ReadDecisions = async (episode, reader, turns) =>
      (await this.#workspace.learner.decisions(episode, reader, { thought: this.#settings.sft.thoughts })).filter(
        ({ turn }) => turns?.includes(turn) ?? true,
      );
    return this.#learn('sft', cycle, allowance, {
      steps,
      pages,
      decisions: count,
      learningRate,
      maxEpisodes,
      read,
      thoughts,
    });
  }

  async rl(cycle: number, allowance: Allowance): Promise<RlResult> {
    const { families, cycle: cycleSettings, ppo } = this.#settings;
    const weight = (name: string): number => (ppo.mix[name] ?? 1) * (allowance.familyWeights[name] ?? 1);
    const sum = (names: readonly string[]): number => names.reduce((total, name) => total + weight(name), 0);
    const verticals = verticalsOf(families, cycleSettings.specialists);
    let over = 0;
    let stepsBefore = allowance.stepsBefore;
    const train = async (names: readonly string[]): Promise<RlResult> => {
      const share = sum(names) / sum(families);
      const before = over;
      over += share * allowance.minutes;
      const done = await this.#trainFamilies(
        cycle,
        names,
        Object.fromEntries(names.map((name) => [name, weight(name)])),
        {
          ...allowance,
          minutes: share * allowance.minutes,
          turns: share * allowance.turns,
          progress: (minutes) => allowance.progress(before + minutes),
          stepsBefore: stepsBefore,
        },
      );
      stepsBefore += done.turns;
      return done;
    };
    return verticals.length > 1 ? trainSpecialists(this.#workspace, verticals, train) : train(families);
  }

  async #trainFamilies(
    cycle: number,
    families: readonly string[],
    mix: Readonly<Record<string, number>>,
    { minutes, progress, turns: maxTurns, stepsBefore: practised }: Allowance,
  ): Promise<RlResult> {
    const { ppo, cycle: cycleSettings } = this.#settings;
    const settings = { ...this.#settings, families: [...families], seed: this.#seedOf(cycle), ppo: { ...ppo, mix } };
    const started = performance.now();
    const spent = (): number => (performance.now() - started) / 60_000;
    this.#tell(`rl ${cycle}`, 0, 'playing the first tasks');
    const critic = ppo.advantage === 'critic' ? await this.#critic(cycle, settings) : undefined;
    try {
      const iterations = await trainRl(
        this.#workspace,
        settings,
        ({ iteration, environmentSteps }) => {
          const next = (spent() / iteration) * 0.5;
          const done = iteration >= (cycleSettings.rl.iterations ?? Infinity) || environmentSteps >= maxTurns;
          return done || spent() + next >= minutes;
        },
        {
          signal: this.#signal,
          ...(critic && { critic }),
          ...(this.#queued && { queued: this.#queued }),
          progress: () => progress(spent()),
          stepsBefore: practised,
          onIteration: ({ environmentSteps, success }) => {
            const shares = Object.entries(success).map(([name, share]) => `${name} ${Math.round(100 * share)} %`);
            this.#tell(
              `rl ${cycle}`,
              Math.min(1, spent() / minutes),
              `${environmentSteps} turns, success: ${shares.join(', ')}`,
            );
          },
        },
      );
      return { turns: iterations.at(-1)?.environmentSteps ?? 0, iterations };
    } finally {
      await critic?.close();
    }
  }

  async generate(
    cycle: number,
    { minutes, familyWeights: practice, turns: maxTurns }: Allowance,
  ): Promise<RejectionSample> {
    const { tasks, attempts, temperatures } = this.#settings.cycle.generate;
    const { families } = this.#settings;
    const purpose = `rejection ${cycle}`;
    const firstSeed = this.#seedOf(cycle) * 100_000;
    const jobs = families.flatMap((family) => [
      ...this.#workspace.jobs(family, 'train', firstSeed, Math.round(tasks * (practice[family] ?? 1)), purpose),
    ]);
    const order = new Random(this.#seedOf(cycle)).fork('generate').shuffle(jobs);
    const started = performance.now();
    return rejectionSample(this.#workspace, order, {
      ...{ purpose, attempts, temperatures, signal: this.#signal },
      isOver: (turns) =>
        (performance.now() - started) / 60_000 >= minutes || turns >= maxTurns || this.#signal?.aborted === true,
      onRound: ({ tasks: done, solved }) =>
        this.#tell(
          `generate ${cycle}`,
          done / order.length,
          `${solved} of ${done} tasks solved, in ${attempts} attempts each`,
        ),
    });
  }

  async disk(): Promise<number> {
    const entries = await readdir(this.#workspace.dir, { recursive: true, withFileTypes: true });
    let bytes = 0;
    for (const entry of entries) {
      // Files may disappear while they are counted.
      if (entry.isFile())
        bytes += await stat(join(entry.parentPath, entry.name)).then(
          ({ size }) => size,
          () => 0,
        );
    }
    return bytes / 2 ** 30;
  }

  load(weights: string): Promise<unknown> {
    return this.#workspace.learner.engine.load(weights);
  }

  #learn(
    stage: Exclude<PoolStage, 'rl'>,
    cycle: number,
    { minutes }: Allowance,
    terms: PoolTerms,
  ): Promise<SupervisedResult> {
    return learnFromPool(this.#workspace, this.#settings, stage, cycle, terms, {
      ...{ minutes, seed: this.#seedOf(cycle), signal: this.#signal },
      tell: (share, message) => this.#tell(`${stage} ${cycle}`, share, message),
    });
  }

  async #critic(cycle: number, settings: Settings) {
    const { isNative, learner } = this.#workspace;
    // A served critic starts from its base model.
    const policy = isNative ? this.#workspace.path(join('weights', 'before-value.safetensors')) : undefined;
    if (policy !== undefined) await this.#workspace.save(policy);
    const { critic } = await pretrainCritic(
      this.#workspace,
      settings,
      { policy, name: `critic.${learner.extension}` },
      {
        signal: this.#signal,
        onEpoch: ({ epoch, heldOutExplainedVariance }) =>
          this.#tell(
            `rl ${cycle}`,
            0,
            `critic: epoch ${epoch}, held-out explained variance ${heldOutExplainedVariance.toFixed(2)}`,
          ),
      },
    );
    return critic;
  }

  /** No two cycles share tasks. */
  #seedOf(cycle: number): number {
    return this.#settings.seed * 1000 + cycle;
  }
}
