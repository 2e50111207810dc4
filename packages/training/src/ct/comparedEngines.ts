import type { NativeEngine, NativeSampleRequest, NativeSampled } from '@gyre/engine';
import { type Share, wilson } from '../metrics/statistics.js';

export interface Agreement {
  readonly questions: number;
  readonly equal: Share;
  readonly tokens: number;
  /** Mean absolute difference of log-probabilities. */
  readonly meanDifference: number;
}

export class ComparedEngines implements Pick<NativeEngine, 'sample'> {
  readonly #engine: Pick<NativeEngine, 'sample' | 'forward'>;
  readonly #reference: Pick<NativeEngine, 'sample'>;

  #questions = 0;
  #equal = 0;
  #tokens = 0;
  #difference = 0;

  constructor(engine: Pick<NativeEngine, 'sample' | 'forward'>, reference: Pick<NativeEngine, 'sample'>) {
    this.#engine = engine;
    this.#reference = reference;
  }

  async sample(requests: readonly NativeSampleRequest[]): Promise<NativeSampled[]> {
    const [answers, expected] = await Promise.all([this.#engine.sample(requests), this.#reference.sample(requests)]);
    const { logprobs } = await this.#engine.forward(
      requests.map(({ input }, i) => ({
        screenshots: input.screenshots,
        sequences: [{ tokens: input.tokens, action: expected[i]?.tokens ?? [] }],
      })),
    );
    for (const [i, { tokens, logprobs: expectedLogprobs }] of expected.entries()) {
      this.#questions++;
      if (tokens.join() === answers[i]?.tokens.join()) this.#equal++;
      for (const [t, logprob] of expectedLogprobs.entries()) {
        this.#tokens++;
        this.#difference += Math.abs(logprob - (logprobs[i]?.[0]?.[t] ?? NaN));
      }
    }
    return answers;
  }

  get agreement(): Agreement {
    const questions = this.#questions;
    const tokens = this.#tokens;
    return { questions, equal: wilson(this.#equal, questions), tokens, meanDifference: this.#difference / tokens };
  }
}
