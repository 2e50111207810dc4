import { GyreError } from '@gyre/protocol';
import type { SampleRequest, Sampled } from '../engine.js';
import type { TinkerClient } from './client.js';

export interface PublishedWeights {
  /** Names the weights at the Tinker server, such as `tinker://model_1/gyre-7`. */
  readonly path: string;
  readonly modelId: string;
  readonly policyVersion: number;
}

/** Samples from published weights: a Tinker server, or the inference server behind it. */
export interface Sampler {
  /** Later requests sample from these weights. */
  use(weights: PublishedWeights): Promise<void>;
  sample(requests: readonly SampleRequest[]): Promise<Sampled[]>;
}

/** Samples by `asample`: text, and pictures where the client's server keeps them. */
export class TinkerSampler implements Sampler {
  readonly #client: TinkerClient;
  #weights: PublishedWeights | undefined;

  constructor(client: TinkerClient) {
    this.#client = client;
  }

  use(weights: PublishedWeights): Promise<void> {
    this.#weights = weights;
    return Promise.resolve();
  }

  /** @throws GyreError `bad_input` before the first publication. */
  sample(requests: readonly SampleRequest[]): Promise<Sampled[]> {
    const weights = this.#weights;
    if (weights === undefined) {
      throw new GyreError('bad_input', 'no weights are published', { field: 'sampler', fix: 'call publish() first' });
    }
    const { path: modelPath, policyVersion } = weights;
    return Promise.all(
      requests.map(async (request) => {
        const { tokens, logprobs, end } = await this.#client.sample({ ...request, modelPath });
        return { tokens: [...tokens], logprobs: [...logprobs], end, policyVersion };
      }),
    );
  }
}
