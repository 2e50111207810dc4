import { GyreError } from '@gyre/protocol';
import type { Datum, Engine, EngineTraits, Loss, SampleRequest, Sampled, SavedWeights } from '../engine.js';
import { extractAdapter } from './adapterArchive.js';
import type { ModelOptions, TinkerClient } from './client.js';
import type { AdamOptions, TinkerModel } from './model.js';
import { type Sampler, TinkerSampler } from './sampler.js';
import { lossConfig, tinkerDatum } from './tinkerData.js';
import { unexpected } from './serverFault.js';

export interface TinkerEngineOptions {
  /** Closed with the engine. */
  readonly client: TinkerClient;
  readonly model: Omit<ModelOptions, 'signal'>;
  /** Default: `TinkerSampler`, for text. */
  readonly sampler?: Sampler | undefined;
  /** Identifies the tokenizer; see `EngineTraits`. */
  readonly vocabulary: string;
  /** Default: all but `cispo`, whose thresholds SkyRL's FSDP server refuses. */
  readonly losses?: readonly Loss['name'][] | undefined;
  /** Whether the model sees pictures. Default false: they are refused, since servers for text drop them silently. */
  readonly pictures?: boolean | undefined;
  /** Target token of a picture's positions, such as `<|image_pad|>`. Default 0. */
  readonly pictureToken?: number | undefined;
  readonly adam?: Omit<AdamOptions, 'learningRate' | 'signal'> | undefined;
  /** Version of the first weights. Default 0. */
  readonly policyVersion?: number | undefined;
}

/**
 * Trains on a server of Tinker's API that sums `weights * loss` over tokens: SkyRL on FSDP or Megatron, Thinking
 * Machines' service, `serveTinker`. (SkyRL on JAX takes means instead.) A version is a number of optimiser steps and of
 * loads.
 */
export class TinkerEngine implements Engine {
  readonly traits: EngineTraits;
  readonly #options: TinkerEngineOptions;
  readonly #sampler: Sampler;
  readonly #saved = new Map<string, string>();
  #model: TinkerModel;
  #isUsed = false;
  #version: number;
  #published: number | undefined;
  /** Paths of the published weights that the server stores, newest last. */
  readonly #publications: string[] = [];
  /** Servers join waiting requests into one batch under the first one's loss: each awaits the one before. */
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(options: TinkerEngineOptions, model: TinkerModel) {
    this.traits = {
      model: options.model.baseModel,
      vocabulary: options.vocabulary,
      losses: options.losses ?? ['cross_entropy', 'importance_sampling', 'ppo'],
      pictures: options.pictures ?? false,
    };
    this.#options = options;
    this.#sampler = options.sampler ?? new TinkerSampler(options.client);
    this.#version = options.policyVersion ?? 0;
    this.#model = model;
  }

  /** Creates the model. */
  static async open(options: TinkerEngineOptions): Promise<TinkerEngine> {
    return new TinkerEngine(options, await options.client.createModel(options.model));
  }

  get url(): string {
    return this.#options.client.url;
  }

  /** Rank of the LoRA adapter; 0 if all weights are trained. */
  get rank(): number {
    return this.#options.model.rank;
  }

  async sample(requests: readonly SampleRequest[]): Promise<Sampled[]> {
    if (this.#published === undefined) await this.publish();
    return this.#sampler.sample(requests);
  }

  async forward(data: readonly Datum[]): Promise<{ logprobs: number[][]; policyVersion: number }> {
    if (data.length === 0) return { logprobs: [], policyVersion: this.#version };
    return this.#train(async () => {
      const wireData = this.#wireData(data, 'cross_entropy');
      const { outputs } = await this.#model.forward({ data: wireData, loss: 'cross_entropy' });
      return { logprobs: this.#logprobs(data, outputs.get('logprobs')), policyVersion: this.#version };
    });
  }

  /** @throws GyreError `bad_input` for a loss that is not in `traits`. */
  async forwardBackward(
    data: readonly Datum[],
    loss: Loss,
  ): Promise<{ logprobs: number[][]; metrics: Record<string, number> }> {
    if (!this.traits.losses.includes(loss.name)) {
      throw new GyreError('bad_input', `this engine does not support the loss ${loss.name}`, {
        field: 'loss',
        fix: `use ${this.traits.losses.join(', ')}`,
      });
    }
    if (data.length === 0) return { logprobs: [], metrics: {} };
    return this.#train(async () => {
      const request = { data: this.#wireData(data, loss.name), loss: loss.name, lossConfig: lossConfig(loss) };
      const { outputs, metrics } = await this.#model.forwardBackward(request);
      return { logprobs: this.#logprobs(data, outputs.get('logprobs')), metrics: Object.fromEntries(metrics) };
    });
  }

  async optimStep({ learningRate }: { learningRate: number }): Promise<{ gradientNorm?: number }> {
    return this.#train(async () => {
      const { 'skyrl.ai/grad_norm': gradientNorm } = await this.#model.optimStep({
        ...this.#options.adam,
        learningRate,
      });
      this.#version++;
      return gradientNorm === undefined ? {} : { gradientNorm };
    });
  }

  /** Saves the weights for the sampler as `gyre-VERSION`, once a version. */
  publish(): Promise<{ policyVersion: number }> {
    return this.#inOrder(() => this.#publish());
  }

  /** Saves weights and optimiser at the server. */
  save(name: string): Promise<SavedWeights> {
    return this.#inOrder(async () => {
      this.#isUsed = true;
      const path = await this.#model.saveWeights(name);
      this.#saved.set(name, path);
      return { path, policyVersion: this.#version };
    });
  }

  /**
   * Publishes the weights, and stores their LoRA adapter in a local folder, in PEFT's format.
   *
   * @throws GyreError `bad_input` for a server without archives; `corrupt` for an archive without a LoRA adapter;
   *   `infra`; `storage`
   */
  async pull(folder: string): Promise<void> {
    const path = await this.#inOrder(async () => {
      await this.#publish();
      return this.#publications.at(-1)!;
    });
    await extractAdapter(await this.#options.client.archive(path), folder);
  }

  /** Deletes saved weights at the server. Returns false if it deletes none. */
  discard(path: string): Promise<boolean> {
    return this.#inOrder(() => this.#options.client.deleteWeights(path));
  }

  /**
   * Loads weights saved by this engine, or those of a path `tinker://...`. Servers load only into a new model: one that
   * was used is replaced.
   *
   * After a failure the engine has the weights of the base model.
   *
   * @throws GyreError `bad_input` for an unknown name.
   */
  async load(
    name: string,
    { optimiser = true, policyVersion }: { optimiser?: boolean; policyVersion?: number } = {},
  ): Promise<void> {
    await this.#queue;
    const path = this.#saved.get(name) ?? (name.startsWith('tinker://') ? name : undefined);
    if (path === undefined) {
      throw new GyreError('bad_input', `no weights were saved as ${name}`, {
        field: 'name',
        fix: 'use a saved name, or the path that another run printed: tinker://MODEL/weights/NAME',
      });
    }
    await this.#inOrder(async () => {
      const { client, model } = this.#options;
      if (this.#isUsed) {
        await this.#model.unload();
        this.#model = await client.createModel(model);
        this.#version++;
      }
      this.#isUsed = true;
      this.#published = undefined;
      await this.#model.loadWeights(path, { optimiser });
      // Published versions name their weights: never reuse one in this process.
      this.#version = Math.max(this.#version, policyVersion ?? 0);
    });
  }

  /** Unloads the model and closes the client. */
  async close(): Promise<void> {
    await this.#queue;
    await this.#model.unload().catch(() => undefined);
    this.#options.client.close();
  }

  async #publish(): Promise<{ policyVersion: number }> {
    const policyVersion = this.#version;
    if (this.#published === policyVersion) return { policyVersion };
    this.#isUsed = true;
    const { id: modelId } = this.#model;
    const path = await this.#model.saveWeightsForSampler(`gyre-${policyVersion}`);
    await this.#sampler.use({ path, modelId, policyVersion });
    this.#published = policyVersion;
    this.#publications.push(path);
    await this.#prunePublications();
    return { policyVersion };
  }

  /** Keeps the newest weights and those before, from which requests under way may still sample. */
  async #prunePublications(): Promise<void> {
    while (this.#publications.length > 2) {
      const path = this.#publications.shift()!;
      // Costs only space at the server.
      if (this.#publications.includes(path)) continue;
      await this.#options.client.deleteWeights(path).catch((error: unknown) => {
        if (!(error instanceof GyreError)) throw error;
      });
    }
  }

  /** Publishes the first weights before: until then SkyRL renders pictures by a server whose settings differ. */
  #train<T>(work: () => Promise<T>): Promise<T> {
    return this.#inOrder(async () => {
      if (this.#published === undefined) await this.#publish();
      return work();
    });
  }

  #wireData(data: readonly Datum[], loss: Loss['name']) {
    const { pictureToken = 0, pictures = false } = this.#options;
    if (!pictures && data.some(({ input }) => input.some((piece) => 'picture' in piece))) {
      throw new GyreError('bad_input', 'the model does not see pictures', {
        field: 'input',
        fix: 'train a vision-language model, and open the engine with pictures: true',
      });
    }
    return data.map((datum) => tinkerDatum(datum, { loss, pictureToken }));
  }

  /** @throws GyreError `infra` unless each datum has a list of its length. */
  #logprobs(data: readonly Datum[], logprobs: readonly (readonly number[])[] = []): number[][] {
    const fits =
      logprobs.length === data.length && data.every(({ weights }, i) => weights.length === logprobs[i]?.length);
    if (fits) return logprobs.map((list) => [...list]);
    throw unexpected(this.#options.client.url, 'forward_backward', 'a datum lacks log-probabilities for its tokens');
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }
}
