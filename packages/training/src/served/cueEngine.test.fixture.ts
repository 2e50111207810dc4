import {
  type Datum,
  type Engine,
  type Loss,
  Random,
  type SampleRequest,
  type Sampled,
  type SavedWeights,
} from '@gyre/engine';
import { GyreError } from '@gyre/protocol';

export const vocabularySize = 8;

/** Learns the next token from the first (the cue) and the last one, with the exact gradient. Text only. */
export class CueEngine implements Engine {
  readonly traits = {
    ...{ model: 'cue', vocabulary: 'eight', pictures: false },
    losses: ['cross_entropy', 'ppo'] as Loss['name'][],
  };
  readonly #saved = new Map<string, Float64Array>();
  readonly #weights = new Float64Array(vocabularySize ** 3);
  readonly #gradient = new Float64Array(vocabularySize ** 3);
  #published = this.#weights.slice();
  #version = 0;
  /** Data of the calls that trained. */
  readonly trained: Datum[][] = [];

  async sample(requests: readonly SampleRequest[]): Promise<Sampled[]> {
    return requests.map(({ input, maxTokens, seed }) => {
      const random = new Random(seed);
      const ids = idsOf({ input });
      const [tokens, logprobs]: [number[], number[]] = [[], []];
      while (tokens.length < maxTokens) {
        const row = logprobsAfter(this.#published, ids);
        let rest = random.next();
        const token = Math.max(
          0,
          row.findIndex((logprob) => (rest -= Math.exp(logprob)) < 0),
        );
        ids.push(token);
        tokens.push(token);
        logprobs.push(row[token]!);
      }
      return { tokens, logprobs, end: 'length', policyVersion: this.#version };
    });
  }

  async forward(data: readonly Datum[]): Promise<{ logprobs: number[][]; policyVersion: number }> {
    const logprobs = data.map((datum) => {
      const ids = idsOf(datum);
      return ids.slice(1).map((id, k) => logprobsAfter(this.#weights, ids.slice(0, k + 1))[id]!);
    });
    return { logprobs, policyVersion: this.#version };
  }

  async forwardBackward(data: readonly Datum[], loss: Loss) {
    this.trained.push([...data]);
    const { logprobs } = await this.forward(data);
    for (const [i, datum] of data.entries()) {
      const ids = idsOf(datum);
      for (const [k, weight] of datum.weights.entries()) {
        const scale = weight * slope(datum, k, { logprob: logprobs[i]![k]!, loss });
        const before = ids.slice(0, k + 1);
        for (const [token, logprob] of logprobsAfter(this.#weights, before).entries())
          this.#gradient[rowAfter(before) + token]! -= scale * ((token === ids[k + 1] ? 1 : 0) - Math.exp(logprob));
      }
    }
    return { logprobs, metrics: {} };
  }

  async optimStep({ learningRate }: { learningRate: number }): Promise<{ gradientNorm: number }> {
    for (const [i, each] of this.#gradient.entries()) this.#weights[i]! -= learningRate * each;
    const gradientNorm = Math.hypot(...this.#gradient);
    this.#gradient.fill(0);
    this.#version++;
    return { gradientNorm };
  }

  async publish(): Promise<{ policyVersion: number }> {
    this.#published = this.#weights.slice();
    return { policyVersion: this.#version };
  }

  async save(name: string): Promise<SavedWeights> {
    this.#saved.set(name, this.#weights.slice());
    return { path: name, policyVersion: this.#version };
  }

  async load(name: string): Promise<void> {
    const saved = this.#saved.get(name);
    if (!saved) throw new GyreError('missing', `nothing is saved as ${name}`, { field: 'path' });
    this.#weights.set(saved);
    this.#gradient.fill(0);
  }

  /** Names of the saved weights. */
  get saved(): string[] {
    return [...this.#saved.keys()];
  }

  async discard(name: string): Promise<void> {
    this.#saved.delete(name);
  }

  async close(): Promise<void> {}
}

/** Returns the slope of the gain in log p. */
function slope(datum: Datum, k: number, { logprob, loss }: { logprob: number; loss: Loss }): number {
  if (!('clipLow' in loss)) return 1;
  const advantage = datum.advantages?.[k] ?? 0;
  const ratio = Math.exp(logprob - (datum.logprobs?.[k] ?? 0));
  const isClipped = advantage > 0 ? ratio > 1 + loss.clipHigh : ratio < 1 - loss.clipLow;
  return isClipped ? 0 : ratio * advantage;
}

const rowAfter = (ids: readonly number[]): number => (ids[0]! * vocabularySize + ids.at(-1)!) * vocabularySize;

function logprobsAfter(weights: Float64Array, ids: readonly number[]): number[] {
  const row = [...weights.subarray(rowAfter(ids), rowAfter(ids) + vocabularySize)];
  const normaliser = Math.log(row.reduce((sum, each) => sum + Math.exp(each), 0));
  return row.map((each) => each - normaliser);
}

function idsOf({ input }: Pick<Datum, 'input'>): number[] {
  return input.flatMap((piece) => ('tokens' in piece ? piece.tokens : []));
}
