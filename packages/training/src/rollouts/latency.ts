import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@gyre/engine';
import {
  type AgentAction,
  type Environment,
  EnvironmentWrapper,
  type StepOptions,
  type StepResult,
} from '@gyre/protocol';

/** Deviation of the logarithm: one step in twenty takes at least three times the mean. */
const deviation = 1;

/** Adds log-normal delays to steps, like a remote environment. */
export class SlowEnvironment extends EnvironmentWrapper {
  readonly #mean: number;
  readonly #random: Random;

  /** @param mean in seconds. */
  constructor(inner: Environment, mean: number, random: Random) {
    super(inner);
    this.#mean = mean;
    this.#random = random;
  }

  override async step(actions: readonly AgentAction[], options?: StepOptions): Promise<StepResult> {
    await delay(1_000 * this.#mean * Math.exp(deviation * this.#random.normal() - deviation ** 2 / 2));
    return super.step(actions, options);
  }
}
