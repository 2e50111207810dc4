import { randomUUID } from 'node:crypto';
import { GyreError } from '@gyre/protocol';
import type { LoggedTask, TaskEntry, TaskLog, TaskState } from './taskLog.js';

/** In ms. A claim is renewed while its annotator acts. */
const leaseMs = 15 * 60_000;

export interface Claim {
  readonly task: string;
  readonly by: string;
  readonly episode: string;
  /** Number of its entry in the log. */
  number: number;
  until: number;
}

/** Hands tasks out, each to one annotator at a time. */
export class Claims {
  readonly #log: TaskLog;
  readonly #now: () => number;

  constructor(log: TaskLog, now: () => number = Date.now) {
    this.#log = log;
    this.#now = now;
  }

  /**
   * Claims a person's unfinished task, or the first of `tasks` that is free.
   *
   * @returns undefined if none is free
   */
  async claim(by: string, tasks: readonly string[]): Promise<Claim | undefined> {
    const logged = await this.#log.tasks();
    const unfinished = [...logged].filter(([, { entry }]) => entry.state === 'claimed' && entry.by === by);
    const ownTasks = unfinished.map(([task]) => task);
    for (const task of new Set([...ownTasks, ...tasks])) {
      const last = logged.get(task);
      const mine = last?.entry.state === 'claimed' && last.entry.by === by;
      if (!mine && !this.isFree(last)) continue;
      const episode = mine ? last.entry.episode : randomUUID();
      const claim = { task, by, episode, number: last?.number ?? 0, until: 0 };
      if (await this.#extend(claim)) return claim;
    }
    return undefined;
  }

  isFree(last: LoggedTask | undefined): boolean {
    if (!last) return true;
    const { state, until } = last.entry;
    return state === 'open' || state === 'returned' || (state === 'claimed' && !this.#isHeld(until));
  }

  /** Returns what a task is, with an expired claim as open. */
  stateOf(last: LoggedTask | undefined): TaskState {
    if (!last) return 'open';
    return last.entry.state === 'claimed' && !this.#isHeld(last.entry.until) ? 'open' : last.entry.state;
  }

  /** Renews a claim. @throws GyreError `held` if it ran out and another has the task */
  async renew(claim: Claim): Promise<void> {
    if (claim.until - this.#now() > leaseMs / 2) return;
    if (!(await this.#extend(claim))) throw taken(claim);
  }

  /** Ends a claim. @throws GyreError `held` if it ran out and another has the task */
  async end(claim: Claim, state: 'open' | 'submitted'): Promise<void> {
    const entry = { state, by: claim.by, at: this.#at(), episode: claim.episode };
    if (!(await this.#log.add(claim.task, claim.number, entry))) throw taken(claim);
  }

  /** Records a review of a submitted task. @throws GyreError `bad_input` if it is not submitted */
  async judge(task: string, state: 'accepted' | 'returned', by: string, reason?: string): Promise<void> {
    const last = await this.#log.last(task);
    if (last?.entry.state === 'submitted') {
      const { episode } = last.entry;
      const entry: TaskEntry = { state, by, at: this.#at(), episode, ...(reason !== undefined && { reason }) };
      if (await this.#log.add(task, last.number, entry)) return;
    }
    throw new GyreError('bad_input', `the task ${task} is not waiting for a review`, {
      field: 'episode',
      fix: 'choose one that was submitted',
    });
  }

  async #extend(claim: Claim): Promise<boolean> {
    const until = this.#now() + leaseMs;
    const { by, episode } = claim;
    const entry: TaskEntry = { state: 'claimed', by, at: this.#at(), episode, until: new Date(until).toISOString() };
    const logged = await this.#log.add(claim.task, claim.number, entry);
    if (logged) Object.assign(claim, { number: logged.number, until });
    return logged !== undefined;
  }

  #isHeld(until: string | undefined): boolean {
    return until !== undefined && Date.parse(until) > this.#now();
  }

  #at(): string {
    return new Date(this.#now()).toISOString();
  }
}

const taken = ({ task, by }: Claim): GyreError =>
  new GyreError('held', `the claim of ${by} on ${task} ran out, and another has it`, {
    field: 'episode',
    fix: 'claim the next task',
  });
