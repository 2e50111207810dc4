import type { NativeEngine, NativeSampleRequest, NativeSampled } from '@gyre/engine';
import { type Share, wilson } from '../metrics/statistics.js';

/** How near an engine's greedy answers are to those of a reference. */
export interface Agreement {
  readonly questions: number;
  /** Share of questions to which both gave the same tokens, with its 95 % interval. */
  readonly equal: Share;
  /** Tokens of the reference's answers. */
  readonly tokens: number;
  /** Mean over these tokens of how far their natural-log probabilities are apart. */
  readonly meanDifference: number;
}

/** Two engines that are asked the same: the first answers, and is compared with the second. Greedy requests only. */
export class ComparedEngines implements Pick<NativeEngine, 'sample'> {
  private questions = 0;
  private equal = 0;
  private tokens = 0;
  private difference = 0;

  constructor(
    private readonly engine: Pick<NativeEngine, 'sample' | 'forward'>,
    private readonly reference: Pick<NativeEngine, 'sample'>,
  ) {}

  async sample(requests: readonly NativeSampleRequest[]): Promise<NativeSampled[]> {
    const [given, expected] = await Promise.all([this.engine.sample(requests), this.reference.sample(requests)]);
    const { logprobs } = await this.engine.forward(
      requests.map(({ input }, i) => ({
        screenshots: input.screenshots,
        sequences: [{ tokens: input.tokens, action: expected[i]?.tokens ?? [] }],
      })),
    );
    for (const [i, { tokens, logprobs: own }] of expected.entries()) {
      this.questions++;
      if (tokens.join() === given[i]?.tokens.join()) this.equal++;
      for (const [t, logprob] of own.entries()) {
        this.tokens++;
        this.difference += Math.abs(logprob - (logprobs[i]?.[0]?.[t] ?? NaN));
      }
    }
    return given;
  }

  /** Over everything that was asked so far. */
  get agreement(): Agreement {
    const { questions, tokens } = this;
    return { questions, equal: wilson(this.equal, questions), tokens, meanDifference: this.difference / tokens };
  }
}
