import type { Job } from '@gyre/agent';
import { Random } from '@gyre/engine';
import { type Episode, isAssisted } from '@gyre/protocol';
import { continuationJobs } from './continuations.js';
import { DifficultyCurriculum, type DifficultyState } from './curriculum.js';
import { type GroupCounts, groupCounts, groupsOf, hasContrast } from '../algorithms/grpo.js';
import type { RolloutPlayer } from './queuedRollouts.js';
import { RolloutClock } from './rolloutClock.js';
import { RolloutPool } from './rolloutPool.js';
import type { Settings } from '../flywheel/settings.js';
import type { Workspace } from '../flywheel/workspace.js';

/** Prior for the used share of a step budget. */
const defaultPace = 0.5;

export interface DrawnRollouts {
  episodes: Episode[];
  trainable: Episode[];
  /** Forks of the episodes, for VinePPO. */
  continuations: Episode[];
  infraErrors: number;
  groups?: GroupCounts;
  inference: number;
}

/** JSON. */
export interface SourceState {
  readonly seed: number;
  /** Mean used share of the step budget, by family. Absent in older states. */
  readonly paces?: Readonly<Record<string, number>>;
  /** By family. */
  // eslint-disable-next-line gyre/vague-name -- stored as JSON
  readonly given: Readonly<Record<string, number>>;
  /** Unfinished tasks, with which a resumed source starts. */
  readonly open: readonly { readonly family: string; readonly seed: number }[];
  readonly difficulties: DifficultyState;
}

export interface RolloutSource {
  /** Returns an update's episodes; fewer once aborted. */
  next(): Promise<DrawnRollouts>;
  /** Valid after `next`. */
  state(): SourceState;
  close(): Promise<void>;
}

/**
 * Plays asynchronously within `ppo.staleness`, in groups for GRPO, with continuations for VinePPO. With
 * `ppo.group.filter`, groups without contrast are not trained on (DAPO, arXiv 2503.14476). They count as `1 /
 * ppo.group.draws` of a group, which bounds play per update.
 * @param state resumes an earlier source
 * @param player plays the jobs elsewhere, instead of the workspace's machines
 */
export function rolloutSource(
  workspace: Workspace,
  settings: Pick<Settings, 'families' | 'ppo' | 'seed'>,
  signal: AbortSignal | undefined,
  state?: SourceState,
  player?: RolloutPlayer,
): RolloutSource {
  return new Rollouts(workspace, settings, signal, state, player);
}

class Rollouts implements RolloutSource {
  readonly #workspace: Workspace;
  readonly #settings: Pick<Settings, 'families' | 'ppo' | 'seed'>;

  readonly #clock = new RolloutClock();
  readonly #paces: Map<string, number>;
  /** Above the demonstrations' seeds. */
  #seed: number;
  readonly #curriculum: DifficultyCurriculum;
  readonly #open = new Map<string, SourceState['open'][number]>();
  readonly #assigned: Map<string, number>;
  readonly #attempts: number;
  readonly #pool: RolloutPool;
  #playing: ReturnType<RolloutPlayer> | undefined;
  readonly #resumed: Job[][];
  #reportedErrors = 0;

  constructor(
    workspace: Workspace,
    settings: Pick<Settings, 'families' | 'ppo' | 'seed'>,
    signal: AbortSignal | undefined,
    state: SourceState | undefined,
    player: RolloutPlayer | undefined,
  ) {
    this.#workspace = workspace;
    this.#settings = settings;

    const { advantage, group, decisions, staleness, vineppo } = settings.ppo;
    this.#attempts = advantage === 'group' ? group.size : 1;
    this.#paces = new Map(settings.families.map((family) => [family, state?.paces?.[family] ?? defaultPace]));
    this.#seed = state?.seed ?? settings.seed * 100_000 + 50_000;
    this.#curriculum = new DifficultyCurriculum(state?.difficulties);
    this.#assigned = new Map(Object.entries(state?.given ?? {}));
    this.#resumed = (state?.open ?? []).map(({ family, seed }) => this.#giveOut(this.#jobs(family, seed)));
    const policy = this.#clock.policy(workspace.policy());
    this.#pool = new RolloutPool({
      play: (jobs, { onOver, signal: closed }) => {
        const stop = signal ? AbortSignal.any([signal, closed]) : closed;
        this.#playing = player
          ? player(jobs, { onOver, signal: stop })
          : workspace.playing(policy, jobs, { onOver, signal: stop });
        return this.#playing;
      },
      next: () => this.#nextTask().map((job) => this.#clock.job(job)),
      expected: (job) => this.#turnsOf(job),
      ...(advantage === 'vineppo' && {
        followUps: (job, episode) =>
          job.fork ? [] : continuationJobs(job, episode, policy, { ...vineppo, ...workspace.view }),
      }),
      worth: (attempts) => (this.#isLearnt(attempts) ? 1 : 1 / group.draws),
      batch: decisions,
      staleness,
    });
  }

  async next(): Promise<DrawnRollouts> {
    const played = await this.#pool.take();
    const episodes = played.filter(({ fork }) => !fork);
    const continuations = played.filter(({ fork }) => fork);
    this.#learnt(episodes);
    const infraTotal = this.#playing?.counts.infraErrors ?? 0;
    const infraErrors = infraTotal - this.#reportedErrors;
    this.#reportedErrors = infraTotal;
    const inference = this.#clock.inference();
    const drawn = { episodes, continuations, infraErrors, inference };
    // A person's part is nobody's policy.
    const unassisted = episodes.filter((episode) => !isAssisted(episode));
    if (this.#attempts === 1) return { ...drawn, trainable: unassisted };
    const groups = groupsOf(unassisted);
    const trainable = groups.filter((group) => this.#isLearnt(group)).flat();
    return { ...drawn, trainable, groups: groupCounts(groups) };
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  state(): SourceState {
    return {
      seed: this.#seed,
      paces: Object.fromEntries(this.#paces),
      given: Object.fromEntries(this.#assigned),
      open: [...this.#open.values()],
      difficulties: this.#curriculum.state(),
    };
  }

  #nextTask(): Job[] {
    const again = this.#resumed.shift();
    if (again) return again;
    const { families } = this.#settings;
    const behind = (family: string): number => (this.#assigned.get(family) ?? 0) / this.#shareOf(family);
    const [first = '', ...others] = families;
    const family = others.reduce((slowest, other) => (behind(other) < behind(slowest) ? other : slowest), first);
    for (;;) {
      const jobs = this.#jobs(family, this.#seed++);
      if (!this.#isChosen(jobs)) continue;
      const turns = jobs.reduce((sum, job) => sum + this.#turnsOf(job), 0);
      this.#assigned.set(family, (this.#assigned.get(family) ?? 0) + turns);
      return this.#giveOut(jobs);
    }
  }

  #jobs(family: string, seed: number): Job[] {
    return [...this.#workspace.jobs(family, 'train', seed, 1, 'ppo', { attempts: this.#attempts })];
  }

  #giveOut(jobs: Job[]): Job[] {
    for (const { task } of jobs) this.#open.set(task.id, { family: task.family, seed: task.seed });
    return jobs;
  }

  #isLearnt(attempts: readonly Episode[]): boolean {
    return this.#attempts === 1 || !this.#settings.ppo.group.filter || hasContrast(attempts);
  }

  /** Depends on the task alone, so that a resumed run chooses the same tasks. */
  #isChosen([job]: readonly Job[]): boolean {
    const { ppo, seed } = this.#settings;
    if (!ppo.curriculum || !job) return true;
    return this.#curriculum.plays(job.task, new Random(seed).fork(`curriculum ${job.task.id}`).next());
  }

  #shareOf(family: string): number {
    const { families, ppo } = this.#settings;
    const weight = (name: string): number => ppo.mix[name] ?? 1;
    return weight(family) / families.reduce((sum, name) => sum + weight(name), 0);
  }

  #turnsOf({ task }: Job): number {
    return task.stepBudget * (this.#paces.get(task.family) ?? defaultPace);
  }

  #learnt(episodes: readonly Episode[]): void {
    for (const { task } of episodes) this.#open.delete(task.id);
    this.#curriculum.learnt(episodes.filter((episode) => !isAssisted(episode)));
    for (const family of this.#settings.families) {
      const played = episodes.filter(({ task }) => task.family === family);
      const budget = played.reduce((sum, { task }) => sum + task.stepBudget, 0);
      if (played.length > 0) this.#paces.set(family, played.reduce((sum, { turns }) => sum + turns.length, 0) / budget);
    }
  }
}
