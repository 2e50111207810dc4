import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AgentAction,
  EnvironmentWrapper,
  type Frame,
  type ResetOptions,
  type StepOptions,
  type StepResult,
  type Task,
  type Verdict,
} from '@gyre/protocol';
import { type Session, SessionEnvironment } from '@gyre/sandbox';
import { notReset } from '../bridge/notReset.js';
import { openSite, preparedMachines } from '../bridge/openSite.js';
import { Recording, type Seen } from './recording.js';
import type { OnlineTask } from './task.js';
import { readTrajectory, writeTrajectory } from './trajectory.js';
import type { Judgement } from './webJudge.js';

export interface OnlineEnvironmentOptions {
  readonly task: Task;
  readonly official: OnlineTask;
  /** Leases a browser that reaches the site. */
  readonly lease: (website: string, task: Task) => Promise<Session>;
  readonly judge: (trajectories: string, task: string) => Promise<Judgement>;
  /** Evidence of every verdict, such as the judge's name. */
  readonly named: Readonly<Record<string, string>>;
  /** Folder of the tasks' folders. Default: a temporary one. */
  readonly trajectories?: string | undefined;
}

/** A task that starts at its web site in a browser of gyre, and that WebJudge judges by its trajectory. */
export class OnlineEnvironment extends EnvironmentWrapper {
  readonly #options: OnlineEnvironmentOptions;
  readonly #place: { session?: Session };
  #recording: Recording;
  #seen: Seen | undefined;

  constructor(options: OnlineEnvironmentOptions) {
    const { task, official, lease } = options;
    const place: { session?: Session } = {};
    const machines = preparedMachines(
      () => lease(official.website, task),
      async (session) => {
        place.session = session;
        await openSite(session, official.website);
      },
    );
    // A fresh browser for every reset, without cookies.
    super(new SessionEnvironment({ task, machines, machine: 'browser' }));
    this.#options = options;
    this.#place = place;
    this.#recording = new Recording(official);
  }

  override async reset(options?: ResetOptions): Promise<Frame> {
    this.#recording = new Recording(this.#options.official);
    const frame = await super.reset(options);
    this.#see(frame);
    return frame;
  }

  override async step(actions: readonly AgentAction[], options?: StepOptions): Promise<StepResult> {
    const before = this.#seen;
    const result = await super.step(actions, options);
    if (before) this.#recording.turn(result.actions, before, result.refusal !== undefined);
    this.#see(result.observation);
    return result;
  }

  /** Throws `infra` for an exception of the official code, or a model that gives no outcome. */
  override async verdict(): Promise<Verdict> {
    if (!this.#seen) throw notReset();
    const { official, judge, trajectories, named } = this.#options;
    const folder = trajectories ?? (await mkdtemp(join(tmpdir(), 'gyre-mind2web-')));
    try {
      await writeTrajectory(folder, this.#recording.finish(this.#seen));
      await readTrajectory(join(folder, official.task_id));
      const { success, keyPoints, scores, response } = await judge(folder, official.task_id);
      const evidence = { official: official.task_id, ...named, keyPoints, scores, response };
      return { success, score: Number(success), source: 'judge', evidence };
    } finally {
      if (trajectories === undefined) await rm(folder, { recursive: true, force: true });
    }
  }

  #see(frame: Frame): void {
    const { session } = this.#place;
    this.#seen = { frame, url: session?.browser?.page.url ?? null };
  }
}
