import { randomBytes } from 'node:crypto';
import { GyreError } from '@gyre/protocol';
import type { z } from 'zod';
import type { Engine, Piece, Sampled } from '../../engine.js';
import type { ForwardBackwardRequest, WireChunk } from '../wire.js';
import { encodeOutput, encodeSequences } from '../wireResults.js';
import type { Checkpoints } from './checkpoints.js';
import { HttpError } from './httpError.js';
import { readDatum, readLoss, readPiece } from './readDatum.js';
import type { LoadWeights, OptimStep, Sample, SaveWeights, SaveWeightsForSampler } from './requests.js';

interface ServedModelOptions {
  readonly engine: Engine;
  readonly checkpoints: Checkpoints;
}

/** Saved weights that a new model starts from. */
interface Start {
  readonly modelId: string;
  readonly name: string;
  readonly optimiser: boolean;
}

/** Trains the engine's only model, one request at a time in their order. */
export class ServedModel {
  readonly #options: ServedModelOptions;
  /** Times of publication, by path. */
  readonly #published = new Map<string, Date>();
  /** Paths by sampling session; undefined for weights without a name. */
  readonly #samplers = new Map<string, string | undefined>();
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

  /** Reserves the engine, and starts from its first weights or from saved ones. */
  create(modelId: string, start?: Start): () => Promise<void> {
    this.#id = modelId;
    this.#isUsed = start !== undefined;
    const { engine, checkpoints } = this.#options;
    const work = async () => {
      if (!this.#hasInitial) await engine.save(checkpoints.initial);
      else if (!start) await engine.load(checkpoints.initial, { optimiser: true });
      this.#hasInitial = true;
      if (start) await this.#load(start);
    };
    return () =>
      this.#inOrder(work).catch((error: unknown) => {
        if (this.#id === modelId) this.#id = undefined;
        throw error;
      });
  }

  unload(): void {
    this.#id = undefined;
    this.#published.clear();
    this.#samplers.clear();
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
    const { engine, checkpoints } = this.#options;
    return () =>
      this.#inOrder(async () => {
        await engine.save(checkpoints.placeOf(modelId, path));
        checkpoints.add(modelId, path);
        return { type: 'save_weights', path: `tinker://${modelId}/weights/${path}` };
      });
  }

  /** @throws HttpError 400 unless it is the model's first request. */
  loadWeights({ path, optimizer }: z.infer<typeof LoadWeights>): () => Promise<object> {
    if (this.#isUsed) {
      const fix = 'create another model from them';
      throw new HttpError(400, `path: weights are loaded only by the first request of a model: ${fix}`, 'path');
    }
    this.#isUsed = true;
    const start = startOf(path, optimizer);
    return () =>
      this.#inOrder(async () => {
        await this.#load(start);
        return { type: 'load_weights', path };
      });
  }

  /** @param sampler id of the sampling session that weights without a name get. */
  publish(
    { model_id: modelId, path: name }: z.infer<typeof SaveWeightsForSampler>,
    sampler: string,
  ): () => Promise<object> {
    this.#isUsed = true;
    return () =>
      this.#inOrder(async () => {
        await this.#options.engine.publish();
        const type = 'save_weights_for_sampler';
        if (typeof name !== 'string') {
          this.#samplers.set(sampler, undefined);
          return { type, sampling_session_id: sampler };
        }
        const path = `tinker://${modelId}/sampler_weights/${name}`;
        this.#published.set(path, new Date());
        return { type, path };
      });
  }

  /** Lists what `publish` gave a path, newest first. */
  get published(): readonly { readonly path: string; readonly time: Date }[] {
    return [...this.#published].map(([path, time]) => ({ path, time })).reverse();
  }

  /** @throws HttpError 404 for a path that was not published. */
  retract(path: string): void {
    if (!this.#published.delete(path)) throw new HttpError(404, `there are no weights ${path}`, 'checkpoint_id');
    for (const [id, sampled] of this.#samplers) if (sampled === path) this.#samplers.delete(id);
  }

  /** @throws HttpError 404 for a path that was not published. */
  openSampler(id: string, path: string): void {
    if (!this.#published.has(path)) throw noWeights('model_path', path);
    this.#samplers.set(id, path);
  }

  /**
   * Returns the path of a sampling session, if its weights have one.
   *
   * @throws HttpError 404 for a sampling session that does not exist.
   */
  samplerPath(id: string): string | undefined {
    if (!this.#samplers.has(id)) {
      throw new HttpError(404, `sampling_session_id: there is no sampling session ${id}`, 'sampling_session_id');
    }
    return this.#samplers.get(id);
  }

  get samplerIds(): string[] {
    return [...this.#samplers.keys()];
  }

  /** Samples at once, since the engine has one set of published weights, the newest. */
  sample(sample: Sample): () => Promise<Uint8Array> {
    const { model_path: path, sampling_session_id: session, prompt, num_samples: count } = sample;
    if (typeof session === 'string') this.samplerPath(session);
    else if (typeof path !== 'string' || !this.#published.has(path)) throw noWeights('model_path', path ?? '');
    const input = prompt.chunks.map((chunk, i) => readPiece(wireChunk(chunk), `prompt.chunks.${i}`));
    const { max_tokens: maxTokens, stop, temperature, top_p: topP, seed } = sample.sampling_params;
    const first = seed ?? randomBytes(4).readUInt32LE();
    const requests = Array.from({ length: count }, (_, i) => ({
      ...{ input, maxTokens, temperature, topP, seed: (first + i) >>> 0 },
      ...(stop && { stop }),
    }));
    const { engine } = this.#options;
    if (sample.prompt_logprobs !== true) {
      return async () => encodeSequences((await engine.sample(requests)).map(sequenceOf));
    }
    return () =>
      this.#inOrder(async () => {
        const sampled = await engine.sample(requests);
        return encodeSequences(sampled.map(sequenceOf), await this.#promptLogprobs(input, sampled));
      });
  }

  /** @throws HttpError 400 if the sampled weights are not those under training, which alone can be asked. */
  async #promptLogprobs(input: readonly Piece[], sampled: readonly Sampled[]): Promise<number[]> {
    const length = input.reduce((sum, piece) => sum + ('tokens' in piece ? piece.tokens.length : piece.length), 0);
    const weights = new Array<number>(length - 1).fill(0);
    const { logprobs, policyVersion } = await this.#options.engine.forward([{ input, weights }]);
    if (sampled.some((each) => each.policyVersion !== policyVersion)) {
      const message = 'the published weights are older than those under training: publish again';
      throw new HttpError(400, `prompt_logprobs: ${message}`, 'prompt_logprobs');
    }
    return [NaN, ...(logprobs[0] ?? [])];
  }

  async #load({ modelId, name, optimiser }: Start): Promise<void> {
    const { engine, checkpoints } = this.#options;
    await engine.load(checkpoints.placeOf(modelId, name), { optimiser }).catch((error: unknown) => {
      if (!(error instanceof GyreError) || error.code !== 'missing') throw error;
      throw new HttpError(404, `path: there are no saved weights tinker://${modelId}/weights/${name}`, 'path');
    });
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#order.then(work);
    this.#order = result.catch(() => undefined);
    return result;
  }
}

/** Reads `tinker://MODEL/weights/NAME`. */
export function startOf(path: string, optimiser: boolean): Start {
  const [, , modelId = '', , name = ''] = path.split('/');
  return { modelId, name, optimiser };
}

const noWeights = (field: string, path: string) =>
  new HttpError(404, `${field}: there are no published weights "${path}": call save_weights_for_sampler first`, field);

function wireChunk(chunk: Sample['prompt']['chunks'][number]): WireChunk {
  if (chunk.type === 'encoded_text') return chunk;
  const { data, format, expected_tokens: expectedTokens } = chunk;
  return { image: Buffer.from(data, 'base64'), format, expectedTokens: expectedTokens ?? undefined };
}

const sequenceOf = ({ end, tokens, logprobs }: Sampled) => ({ end, tokens, logprobs });

function outputOf(logprobs: readonly number[][], metrics: Readonly<Record<string, number>>): Uint8Array {
  const { 'total_loss:sum': loss } = metrics;
  // SkyRL's name and that of the SDK.
  const named = { ...metrics, ...(loss !== undefined && { 'loss:sum': loss }) };
  return encodeOutput({ outputs: new Map([['logprobs', logprobs]]), metrics: new Map(Object.entries(named)) });
}
