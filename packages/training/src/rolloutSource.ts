import { type Episodes, type Job, type Policy, nativePolicy } from '@gyre/agent';
import type { Episode } from '@gyre/protocol';
import { type GroupCounts, playGroups } from './group.js';
import { RolloutClock } from './rolloutClock.js';
import { RolloutPool } from './rolloutPool.js';
import type { Settings } from './settings.js';
import { mean } from './statistics.js';
import type { Workspace } from './workspace.js';

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
  /** Mean turns of an episode, by family. */
  readonly turns: Readonly<Record<string, number>>;
  /** Decisions that were given out, by family. */
  readonly given: Readonly<Record<string, number>>;
  /** Tasks that were given out and have not come back: who goes on from here begins with them. */
  readonly open: readonly { readonly family: string; readonly seed: number }[];
}

/** Rollouts of the policy on tasks of the train split, each of which is given out once. */
export interface RolloutSource {
  /** As much as an update learns from; less once the signal is aborted. */
  next(): Promise<Drawn>;
  /** After `next`. */
  state(): SourceState;
  close(): Promise<void>;
}

/** Groups are played one batch at a time; other episodes as `ppo.staleness` lets them. @param state where another one stood. */
export function rolloutSource(
  workspace: Workspace,
  settings: Pick<Settings, 'families' | 'ppo' | 'seed'>,
  signal: AbortSignal | undefined,
  state?: SourceState,
): RolloutSource {
  return settings.ppo.advantage === 'group'
    ? new GroupedRollouts(workspace, settings, signal, state)
    : new PooledRollouts(workspace, settings, signal, state);
}

/** Fewest tasks of a family in an iteration of groups. */
const fewestGroups = 2;

abstract class Source {
  protected readonly clock = new RolloutClock();
  protected readonly policy: Policy;
  /** Turns that an episode of each family is thought to have: a guess at first, then as it was. */
  private readonly turns: Map<string, number>;
  /** Beyond the seeds of the demonstrations. */
  private seed: number;
  /** By the id of their task. */
  private readonly open = new Map<string, SourceState['open'][number]>();
  /** Decisions that were given out, by family. */
  protected readonly given: Map<string, number>;

  constructor(
    protected readonly workspace: Workspace,
    protected readonly settings: Pick<Settings, 'families' | 'ppo' | 'seed'>,
    state: SourceState | undefined,
  ) {
    this.policy = this.clock.policy(nativePolicy({ name: 'nano', engine: workspace.engine }));
    this.turns = new Map(settings.families.map((family) => [family, state?.turns[family] ?? 5]));
    this.seed = state?.seed ?? settings.seed * 100_000 + 50_000;
    this.given = new Map(Object.entries(state?.given ?? {}));
  }

  state(): SourceState {
    return {
      seed: this.seed,
      turns: Object.fromEntries(this.turns),
      given: Object.fromEntries(this.given),
      open: [...this.open.values()],
    };
  }

  /** Jobs for so many tasks that were never given out. */
  protected draw(family: string, count: number, attempts = 1): Job[] {
    const from = this.seed;
    this.seed += count;
    return Array.from({ length: count }, (_, index) => this.jobs(family, from + index, attempts)).flat();
  }

  protected jobs(family: string, seed: number, attempts = 1): Job[] {
    const jobs = [...this.workspace.jobs(family, 'train', seed, 1, 'ppo', attempts)];
    for (const { task } of jobs) this.open.set(task.id, { family, seed });
    return jobs;
  }

  /** Share of a family in the decisions of an iteration. */
  protected shareOf(family: string): number {
    const { families, ppo } = this.settings;
    const weight = (name: string): number => ppo.mix[name] ?? 1;
    return weight(family) / families.reduce((sum, name) => sum + weight(name), 0);
  }

  protected turnsOf(family: string): number {
    return this.turns.get(family) ?? 1;
  }

  protected learnt(episodes: readonly Episode[]): void {
    for (const { task } of episodes) this.open.delete(task.id);
    for (const family of this.settings.families) {
      const of = episodes.filter(({ task }) => task.family === family);
      if (of.length > 0) this.turns.set(family, mean(of.map(({ turns }) => turns.length)));
    }
  }
}

class GroupedRollouts extends Source implements RolloutSource {
  constructor(
    workspace: Workspace,
    settings: Pick<Settings, 'families' | 'ppo' | 'seed'>,
    private readonly signal: AbortSignal | undefined,
    state: SourceState | undefined,
  ) {
    super(workspace, settings, state);
  }

  async next(): Promise<Drawn> {
    const { families, ppo } = this.settings;
    const { size } = ppo.group;
    const wanted = new Map(
      families.map((family) => {
        const tasks = (ppo.decisions * this.shareOf(family)) / (this.turnsOf(family) * size);
        return [family, Math.max(fewestGroups, Math.round(tasks))];
      }),
    );
    const drawn = await playGroups(
      wanted,
      ppo.group,
      (family, count) => this.draw(family, count, size),
      (jobs) =>
        this.workspace.play(
          this.policy,
          jobs.map((job) => this.clock.job(job)),
          { signal: this.signal },
        ),
    );
    this.learnt(drawn.episodes);
    return { ...drawn, inference: this.clock.inference() };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

class PooledRollouts extends Source implements RolloutSource {
  private readonly pool: RolloutPool;
  private playing: Episodes | undefined;
  /** Given out before, and not played to their end: they count as open until they are. */
  private readonly left: Job[];
  /** Of the infrastructure, that were told of. */
  private told = 0;

  constructor(
    workspace: Workspace,
    settings: Pick<Settings, 'families' | 'ppo' | 'seed'>,
    signal: AbortSignal | undefined,
    state: SourceState | undefined,
  ) {
    super(workspace, settings, state);
    this.left = (state?.open ?? []).flatMap(({ family, seed }) => this.jobs(family, seed));
    const { decisions, staleness } = settings.ppo;
    this.pool = new RolloutPool({
      play: (jobs, { onOver, signal: closed }) => {
        const stop = signal ? AbortSignal.any([signal, closed]) : closed;
        return (this.playing = workspace.playing(this.policy, jobs, { onOver, signal: stop }));
      },
      next: () => this.clock.job(this.nextJob()),
      expected: ({ task }) => this.turnsOf(task.family),
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
    return { episodes, kept: episodes, infraErrors, inference: this.clock.inference() };
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  /** Of the family that is furthest behind its share. */
  private nextJob(): Job {
    const again = this.left.shift();
    if (again) return again;
    const { families } = this.settings;
    const behind = (family: string): number => (this.given.get(family) ?? 0) / this.shareOf(family);
    const [first = '', ...others] = families;
    const family = others.reduce((least, other) => (behind(other) < behind(least) ? other : least), first);
    this.given.set(family, (this.given.get(family) ?? 0) + this.turnsOf(family));
    const [job] = this.draw(family, 1);
    return job as Job;
  }
}
