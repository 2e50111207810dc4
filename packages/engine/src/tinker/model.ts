import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import type { TinkerAnswer, TinkerConnection } from './connection.js';
import { Future, parsed } from './future.js';
import { unexpected } from './serverFault.js';
import { encodeRequest, type WireDatum } from './wire.js';
import { decodeOutput, type ForwardBackwardOutput } from './wireResults.js';

export interface LossRequest {
  readonly data: readonly WireDatum[];
  readonly loss: string;
  readonly lossConfig?: ReadonlyMap<string, number>;
  readonly signal?: AbortSignal | undefined;
}

export interface AdamOptions {
  readonly learningRate: number;
  /** Default 0.9. SkyRL's FSDP server takes the learning rate alone. */
  readonly beta1?: number | undefined;
  /** Default 0.95. */
  readonly beta2?: number | undefined;
  /** Default 1e-8. */
  readonly epsilon?: number | undefined;
  /** Default 0. */
  readonly weightDecay?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface ModelHandle {
  readonly connection: TinkerConnection;
  readonly id: string;
  /** Joins a call's signal with that of the client. */
  readonly until: (signal: AbortSignal | undefined) => AbortSignal;
  readonly onUnload: () => Promise<void>;
}

const Saved = z.object({ path: z.string().min(1) });
const Stepped = z.object({ metrics: z.record(z.string(), z.number().nullable()).nullish() });

/**
 * A model under training. Requests are numbered and sent in the order of the calls, so that the server can recognise a
 * repeated one; their results are awaited concurrently.
 */
export class TinkerModel {
  readonly #handle: ModelHandle;
  #sequence = 0;
  #sent: Promise<unknown> = Promise.resolve();

  constructor(handle: ModelHandle) {
    this.#handle = handle;
  }

  get id(): string {
    return this.#handle.id;
  }

  /** Returns log-probabilities without gradients. */
  forward(request: LossRequest): Promise<ForwardBackwardOutput> {
    return this.#loss(request, true);
  }

  /** Accumulates gradients until `optimStep`. */
  forwardBackward(request: LossRequest): Promise<ForwardBackwardOutput> {
    return this.#loss(request, false);
  }

  /** Returns metrics; `skyrl.ai/grad_norm` where the server reports it. */
  async optimStep(options: AdamOptions): Promise<Readonly<Record<string, number>>> {
    const { learningRate, beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8, weightDecay = 0, signal } = options;
    const adam = { learning_rate: learningRate, beta1, beta2, eps: epsilon, weight_decay: weightDecay };
    const { metrics } = await this.#json('optim_step', { adam_params: adam }, Stepped, signal);
    return Object.fromEntries(
      Object.entries(metrics ?? {}).filter((entry): entry is [string, number] => entry[1] !== null),
    );
  }

  /** Returns the path for `loadWeights`. */
  async saveWeights(name: string, signal?: AbortSignal): Promise<string> {
    return (await this.#json('save_weights', { path: name }, Saved, signal)).path;
  }

  /** Returns the path to sample from. */
  async saveWeightsForSampler(name: string, signal?: AbortSignal): Promise<string> {
    return (await this.#json('save_weights_for_sampler', { path: name }, Saved, signal)).path;
  }

  /** @throws GyreError `bad_input` unless it is the model's first request, as servers require. */
  async loadWeights(
    path: string,
    { optimiser = true, signal }: { optimiser?: boolean; signal?: AbortSignal | undefined } = {},
  ): Promise<void> {
    if (this.#sequence > 0) {
      throw new GyreError('bad_input', 'weights can be loaded only by the first request of a model', {
        field: 'path',
        fix: 'create a model and load them at once',
      });
    }
    await this.#json('load_weights', { path, optimizer: optimiser }, z.unknown(), signal);
  }

  /** A model that is unknown is unloaded: the answer to an earlier try may have been lost. */
  async unload(signal?: AbortSignal): Promise<void> {
    const { connection, id, until, onUnload } = this.#handle;
    const waiting = until(signal);
    const call = { path: 'unload_model', body: { model_id: id }, isRepeatable: true, expects: [404] };
    const answer = await connection.send({ ...call, signal: waiting });
    if (answer.status !== 404 && Future.isPromised(answer)) {
      await Future.from(answer, { connection, path: call.path }).json(waiting);
    }
    await onUnload();
  }

  async #loss({ data, loss, lossConfig = new Map(), signal }: LossRequest, forwardOnly: boolean) {
    const path = 'forward_backward';
    const request = { modelId: this.id, data, loss, lossConfig, forwardOnly };
    const body = (seqId: number) => encodeRequest({ ...request, seqId });
    const future = await this.#submit(path, body, signal);
    const bytes = await future.bytes(this.#handle.until(signal));
    try {
      return decodeOutput(bytes);
    } catch (error) {
      throw unexpected(this.#handle.connection.url, path, (error as Error).message);
    }
  }

  async #json<T>(path: string, fields: object, shape: z.ZodType<T>, signal: AbortSignal | undefined): Promise<T> {
    const future = await this.#submit(path, (seqId) => ({ ...fields, model_id: this.id, seq_id: seqId }), signal);
    const json = await future.json(this.#handle.until(signal));
    return parsed(shape, { status: 200, json }, { connection: this.#handle.connection, path });
  }

  /** Numbers a request when those before it were delivered. */
  #submit(
    path: string,
    body: (seqId: number) => object | Uint8Array,
    signal: AbortSignal | undefined,
  ): Promise<Future> {
    const { connection, until } = this.#handle;
    const send = async (): Promise<TinkerAnswer> => {
      signal?.throwIfAborted();
      const numbered = body(this.#sequence + 1);
      this.#sequence++;
      return connection.send({ path, body: numbered, isRepeatable: true, signal: until(signal) });
    };
    const answer = this.#sent.then(send);
    this.#sent = answer.catch(() => undefined);
    return answer.then((promised) => Future.from(promised, { connection, path }));
  }
}
