import type {
  Engine,
  NativeDatum,
  NativeForward,
  NativeForwardBackward,
  NativeLearningRequest,
  NativeOptimStep,
  NativeSequence,
  TrainablePart,
  TrainingEngine,
} from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import { forwardBackwardInRequests, forwardInRequests } from './requests.js';
import { servedData } from './servedData.js';
import { servedStep } from './servedPolicy.js';
import { expectServable } from './unsupported.js';

export interface ServedCriticOptions {
  readonly engine: Engine;
  /** Tokens after each prompt, such as those of a message that asks whether the task will succeed. */
  readonly question: readonly number[];
  /** Tokens of the answers. */
  readonly yes: readonly number[];
  readonly no: readonly number[];
  /** Returns at P(yes) = 0 and 1. Default 0 and 1. */
  readonly range?: { readonly low: number; readonly high: number } | undefined;
}

/** Share of the range by which bootstrapped returns may overshoot it before they are clipped. */
const slack = 0.25;

/**
 * Values states by P(yes) of a policy that is asked a question after the decision's prompt, so that any server of
 * Tinker's API can serve a critic. Actions are ignored.
 */
export class ServedCritic implements TrainingEngine {
  readonly #options: ServedCriticOptions;
  readonly #range: { readonly low: number; readonly high: number };

  /** @throws GyreError `bad_input` for an empty range */
  constructor(options: ServedCriticOptions) {
    this.#options = options;
    this.#range = options.range ?? { low: 0, high: 1 };
    if (this.#range.low < this.#range.high) return;
    throw new GyreError('bad_input', `the returns ${this.#range.low} to ${this.#range.high} are no range`, {
      field: 'served.critic',
      fix: 'give low < high',
    });
  }

  async forward(data: readonly NativeDatum[]): Promise<Omit<NativeForward, 'entropies'>> {
    const questions = data.flatMap(({ sequences }) => sequences.map((sequence) => this.#asked(sequence, [1, 1])));
    const request = servedData(questions, { scale: 1, isSampled: false });
    const { logprobs, policyVersion } = await forwardInRequests(this.#options.engine, request.data);
    const values = this.#valuesOf(data, request.bySequence(logprobs));
    return { logprobs: [], values, policyVersion };
  }

  /**
   * Learns returns by `ppo_critic`, as cross-entropy with the weights R on yes and 1 - R on no. `valueClip` bounds R to
   * `value ± valueClip`: the cross-entropy is least where V = R. Returns are clipped to the range.
   *
   * @throws GyreError `bad_input` for another loss, a frozen encoder, and missing returns or those beyond the range by
   *   more than a quarter of it
   */
  async forwardBackward({
    data,
    loss,
    reduction = 'mean',
    freezeEncoder,
  }: NativeLearningRequest): Promise<Omit<NativeForwardBackward, 'entropies'>> {
    expectServable({ freezeEncoder });
    if (loss.name !== 'ppo_critic') {
      throw new GyreError('bad_input', `a served critic does not support the loss ${loss.name}`, {
        field: 'loss',
        fix: 'use ppo_critic',
      });
    }
    const sequences = data.flatMap((datum) => datum.sequences);
    const targets = sequences.map((sequence) => this.#target(sequence, loss.valueClip));
    const weights = sequences.map((sequence) => sequence.weights?.[0] ?? 1);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const scale = reduction === 'sum' ? 1 : 1 / Math.max(total, 1e-6);
    const questions = sequences.map((sequence, i) => {
      const [target, weight] = [targets[i]!, weights[i]!];
      return this.#asked(sequence, [weight * target, weight * (1 - target)]);
    });
    const request = servedData(questions, { scale, isSampled: false });
    const { engine } = this.#options;
    const logprobs = await forwardBackwardInRequests(engine, request.data, { name: 'cross_entropy' });
    const answers = request.bySequence(logprobs);
    const nats = answers.map(
      ([yes, no], i) => -weights[i]! * (targets[i]! * sumOf(yes) + (1 - targets[i]!) * sumOf(no)),
    );
    return { logprobs: [], values: this.#valuesOf(data, answers), loss: scale * sumOf(nats) };
  }

  /** @throws GyreError `bad_input` for a part of the critic */
  async optimStep(options: { learningRate: number; part?: TrainablePart }): Promise<NativeOptimStep> {
    return servedStep(this.#options.engine, options);
  }

  /** Asks the question, with both answers. */
  #asked({ prompt, ...sequence }: NativeSequence, [yesWeight, noWeight]: readonly [number, number]): NativeDatum {
    const { question, yes, no } = this.#options;
    const answer = (action: readonly number[], weight: number): NativeSequence => ({
      tokens: sequence.tokens,
      prompt: prompt && [...prompt, { tokens: question }],
      action,
      weights: action.map(() => weight),
    });
    return { screenshots: [], sequences: [answer(yes, yesWeight), answer(no, noWeight)] };
  }

  /** Returns the probability to learn. */
  #target({ return: target = NaN, value }: NativeSequence, valueClip: number): number {
    const { low, high } = this.#range;
    const margin = slack * (high - low);
    if (!(target >= low - margin && target <= high + margin)) {
      throw new GyreError('bad_input', `a return is ${target}, but the critic values ${low} to ${high}`, {
        field: 'served.critic',
        fix: "set its low and high to the least and largest sum of an episode's rewards, such as -1 and 1.5, or scale the rewards",
      });
    }
    const near = value === undefined ? target : Math.min(Math.max(target, value - valueClip), value + valueClip);
    return Math.min(Math.max((near - low) / (high - low), 0), 1);
  }

  /** @param answers log-probabilities `[decision][yes, no][token]` */
  #valuesOf(data: readonly NativeDatum[], answers: readonly (readonly (readonly number[])[])[]): number[][] {
    const { low, high } = this.#range;
    let next = 0;
    return data.map(({ sequences }) =>
      sequences.map(() => {
        const [yes, no] = answers[next++] ?? [];
        return low + (high - low) / (1 + Math.exp(sumOf(no) - sumOf(yes)));
      }),
    );
  }
}

const sumOf = (values: readonly number[] = []): number => values.reduce((sum, value) => sum + value, 0);
