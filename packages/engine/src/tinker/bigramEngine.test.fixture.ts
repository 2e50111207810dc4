import { GyreError } from '@gyre/protocol';
import type { Datum, Engine, Loss, Piece, SampleRequest, Sampled, SavedWeights } from '../engine.js';
import { tokenIds } from '../pieces.js';
import { Random } from '../random.js';

const size = 12;

/** Stands for pictures. */
export const bigramPicture = 11;

/** Learns the next token from the one before, with the exact gradient. All pictures look the same. */
export class BigramEngine implements Engine {
  readonly traits = {
    ...{ model: 'bigram', vocabulary: 'twelve', pictures: true },
    losses: ['cross_entropy', 'importance_sampling'] as Loss['name'][],
  };
  readonly #saved = new Map<string, Float64Array>();
  readonly #weights = new Float64Array(size * size);
  readonly #gradient = new Float64Array(size * size);
  #published = this.#weights.slice();
  #version = 0;
  #publishedVersion = 0;
  /** Calls that trained, in their order. */
  readonly calls: string[] = [];

  async sample(requests: readonly SampleRequest[]): Promise<Sampled[]> {
    return requests.map(({ input, maxTokens, stop = [], seed, temperature }) => {
      const random = new Random(seed);
      const [tokens, logprobs]: [number[], number[]] = [[], []];
      let last = idsOf(input).at(-1)!;
      while (tokens.length < maxTokens && !stop.includes(tokens.at(-1)!)) {
        const row = rowOf(this.#published, last);
        const shares = row.map((logprob) => (temperature === 0 ? 0 : Math.exp(logprob / temperature)));
        let rest = random.next() * shares.reduce((sum, share) => sum + share, 0);
        const drawn = shares.findIndex((share) => (rest -= share) < 0);
        last = temperature === 0 ? row.indexOf(Math.max(...row)) : drawn;
        tokens.push(last);
        logprobs.push(row[last]!);
      }
      const end = stop.includes(last) ? 'stop' : 'length';
      return { tokens, logprobs, end, policyVersion: this.#publishedVersion };
    });
  }

  async forward(data: readonly Datum[]): Promise<{ logprobs: number[][]; policyVersion: number }> {
    return { logprobs: data.map((datum) => this.#logprobs(datum)), policyVersion: this.#version };
  }

  async forwardBackward(data: readonly Datum[], { name }: Loss) {
    this.calls.push(name);
    const logprobs = data.map((datum) => this.#logprobs(datum));
    let total = 0;
    for (const [i, datum] of data.entries()) {
      const ids = idsOf(datum.input);
      for (const [k, weight] of datum.weights.entries()) {
        const logprob = logprobs[i]![k]!;
        const ratio = Math.exp(logprob - (datum.logprobs?.[k] ?? 0)) * (datum.advantages?.[k] ?? 0);
        const scale = weight * (name === 'cross_entropy' ? 1 : ratio);
        total -= name === 'cross_entropy' ? weight * logprob : scale;
        for (const [token, each] of rowOf(this.#weights, ids[k]!).entries())
          this.#gradient[ids[k]! * size + token]! -= scale * ((token === ids[k + 1] ? 1 : 0) - Math.exp(each));
      }
    }
    return { logprobs, metrics: { 'total_loss:sum': total } };
  }

  async optimStep({ learningRate }: { learningRate: number }): Promise<{ gradientNorm: number }> {
    this.calls.push(`step ${learningRate}`);
    for (const [i, slope] of this.#gradient.entries()) this.#weights[i]! -= learningRate * slope;
    const gradientNorm = Math.hypot(...this.#gradient);
    this.#gradient.fill(0);
    this.#version++;
    return { gradientNorm };
  }

  async publish(): Promise<{ policyVersion: number }> {
    this.#published = this.#weights.slice();
    this.#publishedVersion = this.#version;
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

  async close(): Promise<void> {}

  #logprobs({ input }: Datum): number[] {
    const ids = idsOf(input);
    return ids.slice(1).map((id, k) => rowOf(this.#weights, ids[k]!)[id]!);
  }
}

function rowOf(weights: Float64Array, token: number): number[] {
  const row = [...weights.subarray(token * size, (token + 1) * size)];
  const normaliser = Math.log(row.reduce((sum, each) => sum + Math.exp(each), 0));
  return row.map((each) => each - normaliser);
}

function idsOf(input: readonly Piece[]): number[] {
  const ids = tokenIds(input, bigramPicture);
  if (ids.every((id) => id >= 0 && id < size)) return ids;
  throw new GyreError('bad_input', 'a token is unknown', { field: 'input', fix: `use ids below ${size}` });
}
