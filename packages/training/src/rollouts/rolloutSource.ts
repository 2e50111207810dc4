import { type Episodes, type Job, nativePolicy } from '@gyre/agent';
import { Random } from '@gyre/engine';
import type { Episode } from '@gyre/protocol';
import { DifficultyCurriculum, type DifficultyState } from './curriculum.js';
import { type GroupCounts, groupCounts, groupsOf, hasContrast } from '../algorithms/grpo.js';
import { RolloutClock } from './rolloutClock.js';
import { RolloutPool } from './rolloutPool.js';
import type { Settings } from '../flywheel/settings.js';
import type { Workspace } from '../flywheel/workspace.js';

/** Of a step budget, before anything is known: the oracle's turns are two thirds of it and fewer. */
const usualPace = 0.5;

/** What was played for an update. */
export interface Drawn {
  episodes: Episode[];
  /** Of them, those that are to be learnt from. */
  kept: Episode[];
  /** Attempts that the infrastructure ended. */
  infraErrors: number;
  /** Where tasks were played in groups. */
  groups?: GroupCounts;
  /** Of the time of the episodes, the part in which they waited for a decision, 0..1. */
  inference: number;
}

/** Where a source stands, as JSON. */
export interface SourceState {
  /** Of the next task. */
  readonly seed: number;
  /** How much of its step budget an episode takes on average, by family. Absent in what versions before it left. */
  readonly paces?: Readonly<Record<string, number>>;
  /** Decisions that were given out, by family. */
  readonly given: Readonly<Record<string, number>>;
  /** Tasks that were given out and have not come back: who goes on from here begins with them. */
  readonly open: readonly { readonly family: string; readonly seed: number }[];
  /** How often tasks of a difficulty were solved, by family. */
  readonly difficulties: DifficultyState;
}

/** Rollouts of the policy on tasks of the train split, each of which is given out once. */
export interface RolloutSource {
  /** As much as an update learns from; less once the signal is aborted. */
  next(): Promise<Drawn>;
  /** After `next`. */
  state(): SourceState;
  close(): Promise<void>;
}

/**
 * Rollouts as `ppo.staleness` lets them go on, in groups of attempts at each task where these are compared. With `ppo.group.filter`
 * groups that all succeeded or all failed are left out (DAPO, arXiv 2503.14476), and count towards a batch as one of `ppo.group.draws`:
 * so many times as much is played for an update, at most. Of an attempt that the infrastructure ended there is no episode: its group is smaller.
 *
 * @param state where another one stood.
 */
export function rolloutSource(
  workspace: Workspace,
  settings: Pick<Settings, 'families' | 'ppo' | 'seed'>,
  signal: AbortSignal | undefined,
  state?: SourceState,
): RolloutSource {
  return new Rollouts(workspace, settings, signal, state);
}

class Rollouts implements RolloutSource {
  private readonly clock = new RolloutClock();
  /** How much of its step budget an episode of each family is thought to take: a guess at first, then as it was. */
  private readonly paces: Map<string, number>;
  /** Beyond the seeds of the demonstrations. */
  private seed: number;
  private readonly curriculum: DifficultyCurriculum;
  /** By the id of their task. */
  private readonly open = new Map<string, SourceState['open'][number]>();
  /** Decisions that were given out, by family. */
  private readonly given: Map<string, number>;
  /** Attempts at each task; 1 where none are compared. */
  private readonly attempts: number;
  private readonly pool: RolloutPool;
  private playing: Episodes | undefined;
  /** Given out before, and not played to their end: they count as open until they are. */
  private readonly left: Job[][];
  /** Of the infrastructure, that were told of. */
  private told = 0;

  constructor(
    private readonly workspace: Workspace,
    private readonly settings: Pick<Settings, 'families' | 'ppo' | 'seed'>,
    signal: AbortSignal | undefined,
    state: SourceState | undefined,
  ) {
    const { advantage, group, decisions, staleness } = settings.ppo;
    this.attempts = advantage === 'group' ? group.size : 1;
    this.paces = new Map(settings.families.map((family) => [family, state?.paces?.[family] ?? usualPace]));
    this.seed = state?.seed ?? settings.seed * 100_000 + 50_000;
    this.curriculum = new DifficultyCurriculum(state?.difficulties);
    this.given = new Map(Object.entries(state?.given ?? {}));
    this.left = (state?.open ?? []).map(({ family, seed }) => this.giveOut(this.jobs(family, seed)));
    const policy = this.clock.policy(nativePolicy({ name: 'nano', engine: workspace.engine }));
    this.pool = new RolloutPool({
      play: (jobs, { onOver, signal: closed }) => {
        const stop = signal ? AbortSignal.any([signal, closed]) : closed;
        return (this.playing = workspace.playing(policy, jobs, { onOver, signal: stop }));
      },
      next: () => this.nextTask().map((job) => this.clock.job(job)),
      expected: (job) => this.turnsOf(job),
      worth: (attempts) => (this.isLearnt(attempts) ? 1 : 1 / group.draws),
      batch: decisions,
      staleness,
    });
  }

  async next(): Promise<Drawn> {
    const episodes = await this.pool.take();
    this.learnt(episodes);
    const all = this.playing?.counts.infraErrors ?? 0;
    const infraErrors = all - this.told;
    this.told = all;
    const inference = this.clock.inference();
    if (this.attempts === 1) return { episodes, kept: episodes, infraErrors, inference };
    const groups = groupsOf(episodes);
    const kept = groups.filter((group) => this.isLearnt(group)).flat();
    return { episodes, kept, infraErrors, inference, groups: groupCounts(groups) };
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  state(): SourceState {
    return {
      seed: this.seed,
      paces: Object.fromEntries(this.paces),
      given: Object.fromEntries(this.given),
      open: [...this.open.values()],
      difficulties: this.curriculum.state(),
    };
  }

  /** Of the family that is furthest behind its share. */
  private nextTask(): Job[] {
    const again = this.left.shift();
    if (again) return again;
    const { families } = this.settings;
    const behind = (family: string): number => (this.given.get(family) ?? 0) / this.shareOf(family);
    const [first = '', ...others] = families;
    const family = others.reduce((least, other) => (behind(other) < behind(least) ? other : least), first);
    for (;;) {
      // Of a task that was never given out.
      const jobs = this.jobs(family, this.seed++);
      if (!this.isChosen(jobs)) continue;
      const turns = jobs.reduce((sum, job) => sum + this.turnsOf(job), 0);
      this.given.set(family, (this.given.get(family) ?? 0) + turns);
      return this.giveOut(jobs);
    }
  }

  /** All attempts at a task. */
  private jobs(family: string, seed: number): Job[] {
    return [...this.workspace.jobs(family, 'train', seed, 1, 'ppo', this.attempts)];
  }

  private giveOut(jobs: Job[]): Job[] {
    for (const { task } of jobs) this.open.set(task.id, { family: task.family, seed: task.seed });
    return jobs;
  }

  private isLearnt(attempts: readonly Episode[]): boolean {
    return this.attempts === 1 || !this.settings.ppo.group.filter || hasContrast(attempts);
  }

  /** What was drawn before has no say: who goes on after a kill chooses the same. */
  private isChosen([job]: readonly Job[]): boolean {
    const { ppo, seed } = this.settings;
    if (!ppo.curriculum || !job) return true;
    return this.curriculum.plays(job.task, new Random(seed).fork(`curriculum ${job.task.id}`).next());
  }

  /** Share of a family in the decisions of an iteration. */
  private shareOf(family: string): number {
    const { families, ppo } = this.settings;
    const weight = (name: string): number => ppo.mix[name] ?? 1;
    return weight(family) / families.reduce((sum, name) => sum + weight(name), 0);
  }

  /** That its episode is thought to have. */
  private turnsOf({ task }: Job): number {
    return task.stepBudget * (this.paces.get(task.family) ?? usualPace);
  }

  private learnt(episodes: readonly Episode[]): void {
    for (const { task } of episodes) this.open.delete(task.id);
    this.curriculum.learnt(episodes);
    for (const family of this.settings.families) {
      const of = episodes.filter(({ task }) => task.family === family);
      const budget = of.reduce((sum, { task }) => sum + task.stepBudget, 0);
      if (of.length > 0) this.paces.set(family, of.reduce((sum, { turns }) => sum + turns.length, 0) / budget);
    }
  }
}
