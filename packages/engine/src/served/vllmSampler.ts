import { GyreError } from '@gyre/protocol';
import type { SampleRequest, Sampled } from '../engine.js';
import type { PublishedWeights, Sampler } from '../tinker/sampler.js';
import type { VllmServer } from './vllmServer.js';

export interface VllmSamplerOptions {
  readonly server: VllmServer;
  /**
   * Returns the directory of a LoRA adapter that vLLM can read; each version is loaded under a name of its own. Default:
   * the trainer loads its adapter into vLLM under the model's id, as SkyRL does.
   */
  readonly adapterPath?: ((weights: PublishedWeights) => Promise<string>) | undefined;
  /** Never sampled, in addition to the tokenizer's vision tokens. */
  readonly forbidden?: readonly number[] | undefined;
}

interface ServedWeights {
  readonly model: string;
  readonly policyVersion: number;
  /** Under way. */
  requests: number;
}

/** The lowest bias that vLLM takes. */
const never = -100;

/**
 * Samples by tokens from the vLLM behind a Tinker server, with pictures. Requests under way finish on the adapter that
 * they began with, if each version has its own; SkyRL replaces the adapter under them. Log-probabilities are vLLM's raw
 * ones (its default), at temperature 1 and without the ban on vision tokens.
 */
export class VllmSampler implements Sampler {
  readonly #options: VllmSamplerOptions;
  #weights: ServedWeights | undefined;

  constructor(options: VllmSamplerOptions) {
    this.#options = options;
  }

  /** @throws GyreError `bad_input` if vLLM does not load adapters at run time. */
  async use(weights: PublishedWeights): Promise<void> {
    const { server, adapterPath } = this.#options;
    const { modelId, policyVersion } = weights;
    // vLLM's prefix cache tells adapters apart by name: never reuse one.
    const model = adapterPath ? `${modelId}-gyre-${policyVersion}` : modelId;
    const previous = this.#weights;
    if (adapterPath && model !== previous?.model) await server.loadAdapter(model, await adapterPath(weights));
    this.#weights = { model, policyVersion, requests: 0 };
    if (previous && previous.model !== model && previous.requests === 0) await this.#unload(previous);
  }

  /**
   * @throws GyreError `bad_input` before `use` or for a refusal, `infra` if every try fails
   */
  async sample(requests: readonly SampleRequest[]): Promise<Sampled[]> {
    const weights = this.#weights;
    if (weights === undefined) {
      throw new GyreError('bad_input', 'no weights are published', { field: 'sampler', fix: 'call publish() first' });
    }
    return Promise.all(requests.map((request) => this.#counted(request, weights)));
  }

  async #counted(request: SampleRequest, weights: ServedWeights): Promise<Sampled> {
    weights.requests++;
    try {
      return await this.#sampled(request, weights);
    } finally {
      weights.requests--;
      if (weights.requests === 0 && weights.model !== this.#weights?.model) await this.#unload(weights);
    }
  }

  async #sampled(
    { input, maxTokens, stop = [], temperature, topP = 1, seed, signal }: SampleRequest,
    { model, policyVersion }: ServedWeights,
  ): Promise<Sampled> {
    signal?.throwIfAborted();
    const { server, forbidden = [] } = this.#options;
    const { pictures } = server;
    const banned = [...(await server.visionTokens()), ...forbidden];
    const sampling = {
      ...{ max_tokens: maxTokens, temperature, top_p: topP, seed },
      ...(stop.length > 0 && { stop_token_ids: stop }),
      ...(banned.length > 0 && { logit_bias: Object.fromEntries(banned.map((token) => [token, never])) }),
    };
    const answer = await server.generate({
      ...{ model, sampling, signal },
      prompt: () => pictures.prompt(input),
      forget: () => pictures.forget(input),
    });
    const { tokens, logprobs, end } = answer;
    if (end !== 'stop' && end !== 'length') throw server.unexpected(`it ended by "${end ?? 'nothing'}"`);
    if (!logprobs) throw server.unexpected('it has no log-probabilities');
    return { tokens: [...tokens], logprobs: [...logprobs], end, policyVersion };
  }

  /** Ignores failures: vLLM evicts unused adapters itself. */
  async #unload({ model }: ServedWeights): Promise<void> {
    const { server, adapterPath } = this.#options;
    if (adapterPath) await server.unloadAdapter(model).catch(() => undefined);
  }
}
