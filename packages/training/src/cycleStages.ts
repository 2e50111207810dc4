import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Job, nativePolicy, oraclePolicy, randomPolicy } from '@gyre/agent';
import { Random } from '@gyre/engine';
import { FolderStore, type PoolSample, type PoolStage } from '@gyre/lake';
import { type Episode, GyreError } from '@gyre/protocol';
import { type ColdStart, coldStart } from './coldStart.js';
import { transitions } from './ct/transitions.js';
import { type Decision, ScreenshotReader, decisions } from './dataset.js';
import type { Result } from './evaluate.js';
import { type Measured, measure, playHeldOut, randomActions } from './heldOut.js';
import { writeWhole } from './journal.js';
import { drawMixture } from './mixture.js';
import { PerceptionFeed } from './perceptionFeed.js';
import { type Routing, routeCycle } from './routing.js';
import type { Settings } from './settings.js';
import { replay } from './sft.js';
import type { PpoIteration } from './iteration.js';
import { practiseApart, verticalsOf } from './specialists.js';
import { ppo } from './practice.js';
import { valuePretraining } from './stages.js';
import { type ThoughtTerms, bootstrapThoughts } from './thoughts.js';
import { type Workspace, lakeOf } from './workspace.js';

export type StageName =
  | ('baselines' | 'cold start' | 'demonstrations' | 'letters' | 'sft')
  | `${'ct' | 'sft' | 'rl' | 'generate' | 'route'} ${number}`
  | `evaluate ${string}`;

/** What a stage may use. */
export interface Allowance {
  minutes: number;
  /** How often each family is practised, 1 on average. */
  practice: Readonly<Record<string, number>>;
  /** How much of the whole run is over by the end of so many minutes of this stage, 0..1: learning rates fall with it. */
  progress: (minutes: number) => number;
  /** Most turns. */
  turns: number;
  /** Turns of practice in the cycles before. */
  practised: number;
}

export interface Supervised {
  turns: 0;
  steps: number;
  /** Episodes of the pool that were drawn from, and the turns of them that were learnt. */
  episodes: number;
  data: number;
  /** Version of the pool. */
  version: number;
  /** Share of each group in what was drawn. */
  shares: Record<string, number>;
  curve: { step: number; perceptionLoss: number; loss: number }[];
  /** Decisions for which a thought was looked for, and for which one was found. */
  thoughts?: { tried: number; found: number };
}

export interface Practised {
  turns: number;
  iterations: PpoIteration[];
}

export interface Generated {
  turns: number;
  purpose: string;
  tasks: number;
  attempts: number;
  /** Tasks that some attempt solved. */
  solved: number;
}

/** What a run of cycles is made of. Each leaves its weights in the engine, and its episodes in the lake. */
export interface CycleWork {
  baselines(): Promise<{ turns: number; oracle: Result[]; random: Result[] }>;
  coldStart(): Promise<{ turns: 0; supervised?: ColdStart }>;
  measure(split: 'dev' | 'test', name: string): Promise<Measured>;
  route(cycle: number): Promise<Routing>;
  ct(cycle: number, allowance: Allowance): Promise<Supervised>;
  sft(cycle: number, allowance: Allowance): Promise<Supervised>;
  rl(cycle: number, allowance: Allowance): Promise<Practised>;
  generate(cycle: number, allowance: Allowance): Promise<Generated>;
  /** GiB of everything in the run's folder. */
  disk(): Promise<number>;
  load(weights: string): Promise<unknown>;
}

/** Steps between two looks at the clock. */
const chunk = 5;
/** How often a decision is learnt in a cycle, on average, at most: few are not gone through again and again. */
const mostPasses = 3;
/** Perception data of its own for each stage. */
const perceptionSeeds = { ct: 700_000, sft: 800_000 };
/** Seeds of sampling are moved by it from attempt to attempt. */
const attemptStride = 104_729;

/** A decision, and the episode that it is of. */
type EpisodeDecision = Decision & { readonly episode: string };

type Tell = (stage: StageName, share: number, message: string) => void;

/** The stages of cycles on a workspace. */
export class CycleStages implements CycleWork {
  constructor(
    private readonly workspace: Workspace,
    private readonly settings: Settings,
    private readonly tell: Tell,
    private readonly signal: AbortSignal | undefined,
  ) {}

  async baselines() {
    const { families, evaluate: episodes, baselines: most } = this.settings;
    const play = (policy: typeof oraclePolicy | ReturnType<typeof randomPolicy>) =>
      playHeldOut(
        this.workspace,
        policy,
        { families, episodes, most, split: 'test', purpose: `eval ${policy.name}` },
        {
          signal: this.signal,
          onEpisode: (played, of) =>
            this.tell('baselines', played / of, `${policy.name}: ${played} of ${of} held-out episodes`),
        },
      );
    const oracle = await play(oraclePolicy);
    const random = await play(randomPolicy(randomActions));
    return { turns: turnsOf([...oracle.episodes, ...random.episodes]), oracle: oracle.results, random: random.results };
  }

  async coldStart() {
    for (const directory of this.settings.bring) {
      await this.workspace.lake.pull(new FolderStore(lakeOf(directory)), {
        signal: this.signal,
        onFile: (done, of) => this.tell('cold start', done / of, `${done} of ${of} files of ${directory}`),
      });
    }
    const supervised = await coldStart(this.workspace, this.settings, this.tell, this.signal);
    return { turns: 0 as const, ...(supervised && { supervised }) };
  }

  async measure(split: 'dev' | 'test', name: string): Promise<Measured> {
    const { families, evaluate, cycle } = this.settings;
    const each = Object.fromEntries(families.map((family) => [family, cycle.evaluate]));
    return measure(
      this.workspace,
      { families, episodes: split === 'test' ? evaluate : each, split, purpose: `eval ${name}` },
      {
        signal: this.signal,
        onEpisode: (played, of) =>
          this.tell(`evaluate ${name}`, played / of, `${played} of ${of} episodes of the ${split} split`),
      },
    );
  }

  async route(cycle: number): Promise<Routing> {
    this.tell(`route ${cycle}`, 0, 'every episode to its pool');
    return routeCycle(this.workspace.lake, this.workspace.dir, cycle);
  }

  /** Continual training on rendered pages, and on what the actions of episodes in the CT pool did. */
  async ct(cycle: number, allowance: Allowance): Promise<Supervised> {
    const { steps, pages, transitions: count, learningRate, most } = this.settings.cycle.ct;
    const read = (episode: Episode, reader: ScreenshotReader, turns: readonly number[] | undefined) =>
      transitions(episode, reader, turns);
    return this.learn('ct', cycle, allowance, { steps, pages, decisions: count, learningRate, most, read });
  }

  /** Supervised fine-tuning on the SFT pool, with rendered pages between. */
  async sft(cycle: number, allowance: Allowance): Promise<Supervised> {
    const { steps, pages, decisions: count, learningRate, most, thoughts } = this.settings.cycle.sft;
    const read = async (episode: Episode, reader: ScreenshotReader, turns: readonly number[] | undefined) =>
      (await decisions(episode, this.workspace.screenshots, reader)).filter(
        ({ turn }) => turns?.includes(turn) ?? true,
      );
    return this.learn('sft', cycle, allowance, { steps, pages, decisions: count, learningRate, most, read, thoughts });
  }

  /** Practice with rewards on new tasks of the train split: of all families together, or by specialists that are merged. */
  async rl(cycle: number, allowance: Allowance): Promise<Practised> {
    const { families, cycle: of, ppo: own } = this.settings;
    const weight = (name: string): number => (own.mix[name] ?? 1) * (allowance.practice[name] ?? 1);
    const sum = (names: readonly string[]): number => names.reduce((total, name) => total + weight(name), 0);
    const verticals = verticalsOf(families, of.specialists);
    let over = 0;
    let practised = allowance.practised;
    const practise = async (names: readonly string[]): Promise<Practised> => {
      const share = sum(names) / sum(families);
      const before = over;
      over += share * allowance.minutes;
      const done = await this.practise(cycle, names, Object.fromEntries(names.map((name) => [name, weight(name)])), {
        ...allowance,
        minutes: share * allowance.minutes,
        turns: share * allowance.turns,
        progress: (minutes) => allowance.progress(before + minutes),
        practised,
      });
      practised += done.turns;
      return done;
    };
    return verticals.length > 1 ? practiseApart(this.workspace, verticals, practise) : practise(families);
  }

  /** The critic, where there is one, learns first. */
  private async practise(
    cycle: number,
    families: readonly string[],
    mix: Readonly<Record<string, number>>,
    { minutes, progress, turns: mostTurns, practised }: Allowance,
  ): Promise<Practised> {
    const { ppo: own, cycle: of } = this.settings;
    const settings = { ...this.settings, families: [...families], seed: this.seedOf(cycle), ppo: { ...own, mix } };
    const started = performance.now();
    const spent = (): number => (performance.now() - started) / 60_000;
    this.tell(`rl ${cycle}`, 0, 'the first tasks are played');
    const critic = own.advantage === 'critic' ? await this.critic(cycle, settings) : undefined;
    try {
      const iterations = await ppo(
        this.workspace,
        settings,
        ({ iteration, environmentSteps }) => {
          const next = (spent() / iteration) * 0.5;
          const done = iteration >= (of.rl.iterations ?? Infinity) || environmentSteps >= mostTurns;
          return done || spent() + next >= minutes;
        },
        {
          signal: this.signal,
          ...(critic && { critic }),
          progress: () => progress(spent()),
          stepsBefore: practised,
          onIteration: ({ environmentSteps, success }) => {
            const shares = Object.entries(success).map(([name, share]) => `${name} ${Math.round(100 * share)} %`);
            this.tell(
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

  /** Rejection sampling: several attempts at each of some tasks of the train split, at several temperatures. */
  async generate(cycle: number, { minutes, practice, turns: mostTurns }: Allowance): Promise<Generated> {
    const { tasks, attempts, temperatures } = this.settings.cycle.generate;
    const { families } = this.settings;
    const purpose = `rejection ${cycle}`;
    const first = this.seedOf(cycle) * 100_000;
    const all = families.flatMap((family) => [
      ...this.workspace.jobs(family, 'train', first, Math.round(tasks * (practice[family] ?? 1)), purpose),
    ]);
    const order = new Random(this.seedOf(cycle)).fork('generate').shuffle(all);
    const started = performance.now();
    const solved = new Set<string>();
    let done = 0;
    let played = 0;
    let turns = 0;
    const isOver = () =>
      (performance.now() - started) / 60_000 >= minutes || turns >= mostTurns || this.signal?.aborted;
    // All attempts at a few tasks, then at the next few: a task that is left has none.
    for (let from = 0; from < order.length && !isOver(); from += this.workspace.sessions) {
      const some = order.slice(from, from + this.workspace.sessions);
      for (const [index, temperature] of this.temperatures(attempts, temperatures).entries()) {
        const policy = nativePolicy({ name: 'nano', engine: this.workspace.engine, temperature });
        const jobs = some.map((job): Job => ({ ...job, seed: job.seed + index * attemptStride }));
        const { episodes } = await this.workspace.play(policy, jobs, { signal: this.signal });
        for (const { task, verdict } of episodes) if (verdict?.success) solved.add(task.id);
        turns += turnsOf(episodes);
        played += episodes.length;
      }
      done += some.length;
      this.tell(
        `generate ${cycle}`,
        done / order.length,
        `${solved.size} of ${done} tasks solved, in ${attempts} attempts each`,
      );
    }
    await this.workspace.lake.flush();
    return { turns, purpose, tasks: done, attempts: played, solved: solved.size };
  }

  async disk(): Promise<number> {
    const entries = await readdir(this.workspace.dir, { recursive: true, withFileTypes: true });
    let bytes = 0;
    for (const entry of entries) {
      // What is put away while it is counted counts nothing.
      if (entry.isFile())
        bytes += await stat(join(entry.parentPath, entry.name)).then(
          ({ size }) => size,
          () => 0,
        );
    }
    return bytes / 2 ** 30;
  }

  load(weights: string): Promise<unknown> {
    return this.workspace.engine.load(weights);
  }

  private async learn(
    stage: Exclude<PoolStage, 'rl'>,
    cycle: number,
    { minutes }: Allowance,
    terms: {
      steps: number;
      pages: number;
      decisions: number;
      learningRate: number;
      most: number;
      read: (episode: Episode, reader: ScreenshotReader, turns: readonly number[] | undefined) => Promise<Decision[]>;
      thoughts?: ThoughtTerms;
    },
  ): Promise<Supervised> {
    const { mixture } = this.settings.cycle;
    const random = new Random(this.seedOf(cycle)).fork(stage);
    const pool = this.workspace.lake.pool(stage);
    const drawn = drawMixture(
      await pool.samples(),
      { cycle, most: terms.most, ...mixture, families: this.settings.sft.mix },
      random,
    );
    const read = await this.dataOf(drawn.groups, terms.read);
    const thought = terms.thoughts?.share ? await this.think(cycle, read, terms.thoughts, random) : undefined;
    const data = thought?.data ?? read;
    const episodes = [...drawn.groups.values()].reduce((sum, of) => sum + of.length, 0);
    const outcome = {
      turns: 0 as const,
      episodes,
      data: data.length,
      version: await pool.version(),
      shares: drawn.shares,
      ...(thought && { thoughts: { tried: thought.tried, found: thought.thoughts.length } }),
    };
    const feed = new PerceptionFeed(this.workspace.pool, this.settings.seed + perceptionSeeds[stage]);
    const most = Math.min(terms.steps, Math.ceil((mostPasses * data.length) / terms.decisions));
    const started = performance.now();
    const spent = (): number => (performance.now() - started) / 60_000;
    const curve: Supervised['curve'] = [];
    let step = 0;
    while (step < most && spent() < minutes && !this.signal?.aborted) {
      const steps = Math.min(chunk, most - step);
      const { perceptionLoss, demonstrationLoss: loss } = await replay({
        engine: this.workspace.engine,
        demonstrations: data,
        perception: (first, count) => feed.take(first, count),
        batch: { demonstrations: terms.decisions, perception: terms.pages },
        mix: drawn.shares,
        glyphWeight: this.settings.sft.glyphWeight,
        // Pages that no other cycle has had.
        from: cycle * terms.steps + step,
        steps,
        learningRate: terms.learningRate,
        random,
        signal: this.signal,
      });
      step += steps;
      curve.push({ step, perceptionLoss, loss });
      this.tell(
        `${stage} ${cycle}`,
        Math.max(step / most, spent() / minutes),
        `step ${step} of at most ${most}, loss ${loss.toFixed(2)}`,
      );
    }
    return { ...outcome, steps: step, curve };
  }

  /** Thoughts for decisions that have none; those that were found are written down, below the run's folder. */
  private async think(cycle: number, decisions: readonly EpisodeDecision[], terms: ThoughtTerms, random: Random) {
    this.tell(`sft ${cycle}`, 0, 'it looks for thoughts');
    const found = await bootstrapThoughts(this.workspace.engine, decisions, terms, {
      random: random.fork('thoughts'),
      signal: this.signal,
    });
    const lines = found.thoughts.map((thought) => `${JSON.stringify(thought)}\n`);
    await mkdir(this.workspace.path('thoughts'), { recursive: true });
    await writeWhole(this.workspace.path(join('thoughts', `cycle-${cycle}.jsonl`)), lines.join(''));
    return found;
  }

  /** What is learnt of the episodes of each group, under the group's name: by it they are mixed. */
  private async dataOf(
    groups: ReadonlyMap<string, readonly PoolSample[]>,
    read: (episode: Episode, reader: ScreenshotReader, turns: readonly number[] | undefined) => Promise<Decision[]>,
  ): Promise<EpisodeDecision[]> {
    const { lake } = this.workspace;
    const reader = new ScreenshotReader(lake);
    const wanted = new Map<string, { group: string; turns: PoolSample['turns'] }>();
    for (const [group, samples] of groups)
      for (const { episode, turns } of samples) wanted.set(episode, { group, turns });
    const out: EpisodeDecision[] = [];
    for await (const episode of lake.episodes({ ids: wanted.keys(), split: 'train' })) {
      const { group = '', turns = 'all' } = wanted.get(episode.id) ?? {};
      const made = await read(episode, reader, turns === 'all' ? undefined : turns).catch((error: unknown) => {
        // What was brought in may have screens that the policy cannot see, or words that it does not have.
        if (error instanceof GyreError && error.code === 'bad_input') return [];
        throw error;
      });
      out.push(...made.map((decision) => ({ ...decision, family: group, episode: episode.id })));
    }
    return out;
  }

  private async critic(cycle: number, settings: Settings) {
    const policy = this.workspace.path(join('weights', 'before-value.safetensors'));
    await this.workspace.engine.save(policy);
    const { critic } = await valuePretraining(
      this.workspace,
      settings,
      { policy, episodes: 900, name: 'critic.safetensors' },
      {
        signal: this.signal,
        onEpoch: ({ epoch, heldOutExplainedVariance }) =>
          this.tell(
            `rl ${cycle}`,
            0,
            `critic: epoch ${epoch}, held-out explained variance ${heldOutExplainedVariance.toFixed(2)}`,
          ),
      },
    );
    return critic;
  }

  private temperatures(attempts: number, temperatures: readonly number[]): number[] {
    return Array.from({ length: attempts }, (_, attempt) => temperatures[attempt % temperatures.length] ?? 1);
  }

  /** Every cycle has tasks of its own. */
  private seedOf(cycle: number): number {
    return this.settings.seed * 1000 + cycle;
  }
}

function turnsOf(episodes: readonly Episode[]): number {
  return episodes.reduce((sum, { turns }) => sum + turns.length, 0);
}
