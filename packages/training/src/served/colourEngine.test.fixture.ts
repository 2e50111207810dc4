import {
  type Datum,
  type Engine,
  type Loss,
  type Piece,
  Random,
  type SampleRequest,
  type Sampled,
  type SavedWeights,
  tokenIds,
} from '@gyre/engine';
import sharp from 'sharp';

const [size, contexts, colours] = [1_100, 4, 3];
const pad = 1_002;

export interface ColourOptions {
  /** Scales the pixels, as if they were not normalised. */
  readonly pixelScale?: number;
  readonly seesPictures?: boolean;
  readonly learns?: boolean;
}

interface Weights {
  /** `[contexts + colours, size]` */
  readonly output: Float64Array;
  /** The vision module: one scale for each colour. */
  readonly vision: Float64Array;
}

/**
 * Predicts tokens from the token before and from the colour of the last picture, with the exact gradient. Its vision
 * module learns with the rest.
 */
export class ColourEngine implements Engine {
  readonly traits = {
    ...{ model: 'colour', vocabulary: 'bytes', pictures: true },
    losses: ['cross_entropy', 'importance_sampling'] as Loss['name'][],
  };
  readonly #options: Required<ColourOptions>;
  readonly #weights: Weights;
  readonly #gradient = weightsOf(() => 0, 0);
  readonly #saved = new Map<string, Weights>();
  readonly #colours = new Map<string, Promise<number[]>>();
  #published: Weights;
  #version = 0;

  constructor({ pixelScale = 1, seesPictures = true, learns = true }: ColourOptions = {}) {
    this.#options = { pixelScale, seesPictures, learns };
    const random = new Random(7);
    this.#weights = weightsOf(() => random.next() - 0.5, 1);
    this.#published = copyOf(this.#weights);
  }

  async sample(requests: readonly SampleRequest[]): Promise<Sampled[]> {
    return Promise.all(requests.map((request) => this.#sample(request, this.#published)));
  }

  /** Samples from the published weights without what the vision module has learnt. */
  async sampleWithoutVision(request: SampleRequest): Promise<Sampled> {
    return this.#sample(request, { ...this.#published, vision: new Float64Array(colours).fill(1) });
  }

  async forward(data: readonly Datum[]): Promise<{ logprobs: number[][]; policyVersion: number }> {
    const logprobs = await Promise.all(
      data.map(async ({ input }) => {
        const ids = tokenIds(input, pad);
        const colour = await this.#colourOf(input);
        return ids.slice(1).map((id, k) => logprobsAfter(this.#weights, ids[k]!, colour)[id]!);
      }),
    );
    return { logprobs, policyVersion: this.#version };
  }

  async forwardBackward(data: readonly Datum[]) {
    const { logprobs } = await this.forward(data);
    for (const { input, weights } of data) {
      const ids = tokenIds(input, pad);
      const colour = await this.#colourOf(input);
      for (const [k, weight] of weights.entries()) {
        if (weight !== 0) this.#learn({ last: ids[k]!, next: ids[k + 1]!, colour, weight });
      }
    }
    return { logprobs, metrics: {} };
  }

  async optimStep({ learningRate }: { learningRate: number }): Promise<{ gradientNorm: number }> {
    const gradientNorm = Math.hypot(...this.#gradient.output);
    const rate = this.#options.learns ? learningRate * 20_000 : 0;
    for (const part of ['output', 'vision'] as const) {
      const gradient = this.#gradient[part];
      for (const [i, slope] of gradient.entries()) this.#weights[part][i]! -= rate * slope;
      gradient.fill(0);
    }
    this.#version++;
    return { gradientNorm };
  }

  async publish(): Promise<{ policyVersion: number }> {
    this.#published = copyOf(this.#weights);
    return { policyVersion: this.#version };
  }

  async save(name: string): Promise<SavedWeights> {
    this.#saved.set(name, copyOf(this.#weights));
    return { path: name, policyVersion: this.#version };
  }

  async load(name: string): Promise<void> {
    this.#weights.output.set(this.#saved.get(name)!.output);
    this.#weights.vision.set(this.#saved.get(name)!.vision);
  }

  async close(): Promise<void> {}

  async #sample({ input, maxTokens, seed, temperature }: SampleRequest, weights: Weights): Promise<Sampled> {
    const random = new Random(seed);
    const colour = await this.#colourOf(input);
    let last = tokenIds(input, pad).at(-1)!;
    const [tokens, logprobs]: [number[], number[]] = [[], []];
    while (tokens.length < maxTokens) {
      const row = logprobsAfter(weights, last, colour);
      let rest = random.next();
      const drawn = row.findIndex((logprob) => (rest -= Math.exp(logprob)) < 0);
      last = temperature === 0 ? row.indexOf(Math.max(...row)) : Math.max(0, drawn);
      tokens.push(last);
      logprobs.push(row[last]!);
    }
    return { tokens, logprobs, end: 'length', policyVersion: this.#version };
  }

  #learn({ last, next, colour, weight }: { last: number; next: number; colour: readonly number[]; weight: number }) {
    const { output, vision } = this.#weights;
    for (const [token, logprob] of logprobsAfter(this.#weights, last, colour).entries()) {
      const slope = -weight * ((token === next ? 1 : 0) - Math.exp(logprob));
      this.#gradient.output[(last % contexts) * size + token]! += slope;
      for (const [i, share] of colour.entries()) {
        const row = (contexts + i) * size + token;
        this.#gradient.output[row]! += slope * vision[i]! * share;
        this.#gradient.vision[i]! += slope * output[row]! * share;
      }
    }
  }

  async #colourOf(input: readonly Piece[]): Promise<number[]> {
    const { pixelScale, seesPictures } = this.#options;
    const picture = input.flatMap((piece) => ('picture' in piece ? [piece.picture] : [])).at(-1);
    if (!picture || !seesPictures) return new Array<number>(colours).fill(0);
    const known = this.#colours.get(picture.hash) ?? meanColour(picture.png);
    this.#colours.set(picture.hash, known);
    return (await known).map((mean) => mean * pixelScale);
  }
}

async function meanColour(png: Uint8Array): Promise<number[]> {
  const { channels } = await sharp(png).stats();
  return channels.slice(0, colours).map(({ mean }) => mean / 255);
}

function weightsOf(draw: () => number, scale: number): Weights {
  return {
    output: Float64Array.from({ length: (contexts + colours) * size }, draw),
    vision: new Float64Array(colours).fill(scale),
  };
}

const copyOf = ({ output, vision }: Weights): Weights => ({ output: output.slice(), vision: vision.slice() });

function logprobsAfter({ output, vision }: Weights, last: number, colour: readonly number[]): number[] {
  const row = [...output.subarray((last % contexts) * size, ((last % contexts) + 1) * size)];
  for (const [i, share] of colour.entries()) {
    if (share === 0) continue;
    for (let token = 0; token < size; token++)
      row[token]! += share * vision[i]! * output[(contexts + i) * size + token]!;
  }
  const normaliser = Math.log(row.reduce((sum, logit) => sum + Math.exp(logit), 0));
  return row.map((logit) => logit - normaliser);
}
