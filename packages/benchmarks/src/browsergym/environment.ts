import {
  type AgentAction,
  carryOut,
  type Environment,
  type Frame,
  GyreError,
  Size,
  type StepResult,
  type Task,
  type Verdict,
} from '@gyre/protocol';
import { frameOf } from '@gyre/sandbox';
import { z } from 'zod';
import type { Bridge } from '../bridge/bridge.js';
import { notReset } from '../bridge/notReset.js';
import type { Pool } from '../bridge/pool.js';
import { browserGymAction } from './actions.js';
import type { OfficialEpisode } from './results.js';

/** A browser starts, and another for BrowserGym's chat. */
const startMs = 120_000;

/** Playwright's own limit is 5 s per action. */
const stepMs = 60_000;

const Observed = z.object({
  picture: z.base64(),
  size: Size,
  terminated: z.boolean(),
  truncated: z.boolean(),
  /** The action's; empty if there is none. */
  error: z.string(),
});

const Started = Observed.extend({ goal: z.string() });

const Finished = z.object({ steps: z.int().nonnegative(), reward: z.number(), raw: z.number() });

export interface BrowserGymTask {
  /** `miniwob.click-test`. */
  readonly name: string;
  readonly seed: number;
  /** Replaces the seed that BrowserGym draws for the page, to compare adapters. */
  readonly pageSeed?: number;
}

export interface BrowserGymEnvironmentOptions {
  readonly task: Task;
  readonly official: BrowserGymTask;
  readonly bridges: Pool<Bridge>;
  /** Called once per judged episode. */
  readonly onEpisode?: ((episode: OfficialEpisode) => Promise<void>) | undefined;
}

/**
 * One episode of BrowserGym, which has the browser, carries out the actions and rewards them. Every action is one of
 * its steps, so that a turn of several actions uses as many of the budget.
 */
export class BrowserGymEnvironment implements Environment {
  readonly #options: BrowserGymEnvironmentOptions;
  #task: Task;
  #bridge: Bridge | undefined;
  #frame: Frame | undefined;
  #earned = 0;
  #ended = { terminated: false, truncated: false };
  readonly #actions: string[] = [];

  constructor(options: BrowserGymEnvironmentOptions) {
    this.#options = options;
    this.#task = options.task;
  }

  get task(): Task {
    return this.#task;
  }

  async reset(): Promise<Frame> {
    await this.close();
    const { task, official, bridges } = this.#options;
    this.#bridge = await bridges.acquire();
    [this.#earned, this.#ended] = [0, { terminated: false, truncated: false }];
    this.#actions.length = 0;
    const { name, ...seeds } = official;
    const terms = { task: name, ...seeds, budget: task.stepBudget };
    const started = await this.#call('start', terms, Started, startMs);
    this.#task = { ...task, instruction: started.goal, screen: started.size };
    return this.#show(started);
  }

  async step(actions: readonly AgentAction[]): Promise<StepResult> {
    const carried = await carryOut(actions, async (action) => {
      if (this.#over) return;
      const printed = browserGymAction(action, this.#shown.size);
      if (printed === undefined) return;
      const observed = await this.#call('step', { action: printed }, Observed, stepMs);
      this.#actions.push(printed);
      this.#ended = { terminated: observed.terminated, truncated: observed.truncated };
      this.#show(observed);
      if (observed.error === '') return;
      throw new GyreError('bad_input', observed.error, { field: 'action', fix: 'use another action' });
    });
    const { reward } = await this.#result();
    const earned = reward - this.#earned;
    this.#earned = reward;
    return { ...carried, observation: this.#shown, reward: earned, done: carried.ended || this.#over };
  }

  async observe(): Promise<Frame> {
    return this.#shown;
  }

  async verdict(): Promise<Verdict> {
    const { steps, reward, raw } = await this.#result();
    const { official, onEpisode } = this.#options;
    const { terminated, truncated } = this.#ended;
    const actions = [...this.#actions];
    await onEpisode?.({
      task: official.name,
      index: this.#task.seed,
      seed: official.seed,
      steps,
      reward,
      raw,
      terminated,
      truncated,
      actions,
    });
    return {
      // BrowserGym's reward is 1 for a raw reward above 0.
      success: reward > 0,
      score: Math.min(1, Math.max(0, reward)),
      source: 'verifier',
      evidence: { official, steps, reward, rawReward: raw, terminated, truncated },
    };
  }

  async close(): Promise<void> {
    const bridge = this.#bridge;
    this.#bridge = undefined;
    if (bridge) await this.#options.bridges.release(bridge);
  }

  get #over(): boolean {
    return this.#ended.terminated || this.#ended.truncated;
  }

  get #shown(): Frame {
    if (this.#bridge && this.#frame) return this.#frame;
    throw notReset();
  }

  async #result(): Promise<z.infer<typeof Finished>> {
    return this.#call('finish', {}, Finished, stepMs);
  }

  #call<Schema extends z.ZodType>(op: string, terms: object, schema: Schema, timeoutMs: number) {
    if (this.#bridge) return this.#bridge.call(op, terms, schema, { timeoutMs });
    throw notReset();
  }

  #show({ picture, size }: z.infer<typeof Observed>): Frame {
    return (this.#frame = frameOf(Buffer.from(picture, 'base64'), size));
  }
}
