import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import type { Engine, Sampled } from '../../engine.js';
import type { ForwardBackwardRequest } from '../wire.js';
import { encodeOutput, encodeSequences } from '../wireResults.js';
import { HttpError } from './httpError.js';
import { readDatum, readLoss, readPiece } from './readDatum.js';
import type { LoadWeights, OptimStep, Sample, SaveWeights, SaveWeightsForSampler } from './requests.js';

export interface ServedModelOptions {
  readonly engine: Engine;
  /** Maps a name of letters, digits and . _ - to the engine's, such as a path. */
  readonly checkpoint: (name: string) => string;
  /** Deletes a checkpoint by the engine's name. */
  readonly discard: ((checkpoint: string) => Promise<void>) | undefined;
}

/** Names the checkpoint of the weights that each model starts from. */
const initial = 'initial';

/** Trains the engine's only model, one request at a time in their order. */
export class ServedModel {
  readonly #options: ServedModelOptions;
  /** Paths and sampling sessions of published weights. */
  readonly #published = new Set<string>();
  #id: string | undefined;
  #isUsed = false;
  #hasInitial = false;
  #order: Promise<unknown> = Promise.resolve();

  constructor(options: ServedModelOptions) {
    this.#options = options;
  }

  get id(): string | undefined {
    return this.#id;
  }

  /** @throws HttpError 404 for a model that does not exist (any more). */
  require(modelId: string): void {
    if (modelId !== this.#id) throw new HttpError(404, `model_id: there is no model ${modelId}`, 'model_id');
  }

  /**
   * Reserves the engine, and starts from its first weights.
   *
   * @throws HttpError 409 while another model exists.
   */
  create(): { modelId: string; work: () => Promise<object> } {
    if (this.#id !== undefined) {
      throw new HttpError(409, `this server holds one model at a time: unload ${this.#id} first`, 'base_model');
    }
    const modelId = `model_${randomBytes(4).toString('hex')}`;
    this.#id = modelId;
    this.#isUsed = false;
    const { engine, checkpoint } = this.#options;
    const work = async () => {
      if (this.#hasInitial) await engine.load(checkpoint(initial), { optimiser: true });
      else await engine.save(checkpoint(initial));
      this.#hasInitial = true;
      return { type: 'create_model', model_id: modelId };
    };
    return {
      modelId,
      work: () =>
        this.#inOrder(work).catch((error: unknown) => {
          if (this.#id === modelId) this.#id = undefined;
          throw error;
        }),
    };
  }

  unload(): void {
    this.#id = undefined;
    this.#published.clear();
  }

  forwardBackward(request: ForwardBackwardRequest): () => Promise<Uint8Array> {
    this.#isUsed = true;
    const { engine } = this.#options;
    const data = request.data.map((datum, i) => readDatum(datum, `data.${i}`));
    if (data.length === 0) throw new HttpError(400, 'data: there is no datum', 'data');
    const loss = readLoss(request, engine.traits.losses);
    const missing = (['logprobs', 'advantages'] as const).find((name) => data.some((datum) => !datum[name]));
    if (!request.forwardOnly && loss.name !== 'cross_entropy' && missing) {
      throw new HttpError(400, `${missing}: ${loss.name} needs them in each datum`, missing);
    }
    return () =>
      this.#inOrder(async () => {
        if (request.forwardOnly) return outputOf((await engine.forward(data)).logprobs, {});
        const { logprobs, metrics } = await engine.forwardBackward(data, loss);
        return outputOf(logprobs, metrics);
      });
  }

  optimStep({ adam_params: { learning_rate: learningRate } }: z.infer<typeof OptimStep>): () => Promise<object> {
    this.#isUsed = true;
    return () =>
      this.#inOrder(async () => {
        const { gradientNorm } = await this.#options.engine.optimStep({ learningRate });
        return { metrics: gradientNorm === undefined ? {} : { 'skyrl.ai/grad_norm': gradientNorm } };
      });
  }

  saveWeights({ model_id: modelId, path }: z.infer<typeof SaveWeights>): () => Promise<object> {
    this.#isUsed = true;
    return () =>
      this.#inOrder(async () => {
        await this.#options.engine.save(this.#options.checkpoint(`${modelId}.${path}`));
        return { type: 'save_weights', path: `tinker://${modelId}/weights/${path}` };
      });
  }

  /** @throws HttpError 501 where nothing is deleted. */
  discard(modelId: string, name: string): Promise<void> {
    const { checkpoint, discard } = this.#options;
    if (!discard) throw new HttpError(501, 'this server deletes no weights');
    return this.#inOrder(() => discard(checkpoint(`${modelId}.${name}`)));
  }

  /** @throws HttpError 400 unless it is the model's first request. */
  loadWeights({ path, optimizer }: z.infer<typeof LoadWeights>): () => Promise<object> {
    if (this.#isUsed) throw new HttpError(400, 'load_weights must be the first request of a model', 'path');
    const [, , from = '', , name = ''] = path.split('/');
    const checkpoint = `${from}.${name}`;
    this.#isUsed = true;
    return () =>
      this.#inOrder(async () => {
        await this.#options.engine.load(this.#options.checkpoint(checkpoint), { optimiser: optimizer });
        return { type: 'load_weights', path };
      });
  }

  publish({ model_id: modelId, path: name }: z.infer<typeof SaveWeightsForSampler>): () => Promise<object> {
    this.#isUsed = true;
    return () =>
      this.#inOrder(async () => {
        await this.#options.engine.publish();
        const type = 'save_weights_for_sampler';
        if (typeof name !== 'string') return { type, sampling_session_id: this.#openSession() };
        const path = `tinker://${modelId}/${name}`;
        this.#published.add(path);
        return { type, path };
      });
  }

  /** @throws HttpError 404 for a path that was not published. */
  createSamplingSession(path: string): string {
    if (!this.#published.has(path)) throw new HttpError(404, `model_path: there are no weights ${path}`, 'model_path');
    return this.#openSession();
  }

  /** @throws HttpError 404 for a sampling session that does not exist. */
  requireSampler(id: string): void {
    if (!this.#published.has(id)) throw new HttpError(404, `there is no sampling session ${id}`, 'sampling_session_id');
  }

  #openSession(): string {
    const id = `sampler_${randomBytes(4).toString('hex')}`;
    this.#published.add(id);
    return id;
  }

  /** Samples at once: the engine has one set of published weights, the newest. */
  sample(sample: Sample): () => Promise<Uint8Array> {
    const { model_path: path, sampling_session_id: session, prompt, num_samples: count } = sample;
    const weights = session ?? path ?? '';
    if (!this.#published.has(weights)) {
      const field = typeof session === 'string' ? 'sampling_session_id' : 'model_path';
      throw new HttpError(404, `${field}: there are no weights "${weights}": publish them first`, field);
    }
    const input = prompt.chunks.map((chunk, i) =>
      readPiece(
        chunk.type === 'encoded_text'
          ? chunk
          : {
              image: Buffer.from(chunk.data, 'base64'),
              format: chunk.format,
              expectedTokens: chunk.expected_tokens ?? undefined,
            },
        `prompt.chunks.${i}`,
      ),
    );
    const { max_tokens: maxTokens, stop, temperature, top_p: topP, seed } = sample.sampling_params;
    const first = seed ?? randomBytes(4).readUInt32LE();
    const requests = Array.from({ length: count }, (_, i) => ({
      ...{ input, maxTokens, temperature, topP, seed: (first + i) >>> 0 },
      ...(stop && { stop }),
    }));
    return async () => encodeSequences((await this.#options.engine.sample(requests)).map(sequenceOf));
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#order.then(work);
    this.#order = result.catch(() => undefined);
    return result;
  }
}

const sequenceOf = ({ end, tokens, logprobs }: Sampled) => ({ end, tokens, logprobs });

function outputOf(logprobs: readonly number[][], metrics: Readonly<Record<string, number>>): Uint8Array {
  const { 'total_loss:sum': loss } = metrics;
  // SkyRL's name and that of the SDK.
  const named = { ...metrics, ...(loss !== undefined && { 'loss:sum': loss }) };
  return encodeOutput({ outputs: new Map([['logprobs', logprobs]]), metrics: new Map(Object.entries(named)) });
}
