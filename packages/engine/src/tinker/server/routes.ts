import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Engine } from '../../engine.js';
import { decodeRequest } from '../wire.js';
import { type FutureLimits, Futures, type Outcome } from './futures.js';
import { checked, HttpError } from './httpError.js';
import { jsonOf, mediaType } from './requestBody.js';
import * as requests from './requests.js';
import { ServedModel } from './servedModel.js';
import { Sessions } from './sessions.js';

export interface ServiceOptions {
  readonly engine: Engine;
  /** Base model that clients name. Default: that of the engine. */
  readonly name?: string | undefined;
  /** Maps a name of letters, digits and `. _ -` to the engine's, such as a path. Default: the name itself. */
  readonly checkpoint?: ((name: string) => string) | undefined;
  /** Deletes a checkpoint by the engine's name for it; none is missed. Default: clients cannot delete. */
  readonly discard?: ((checkpoint: string) => Promise<void>) | undefined;
  /** Time without a heartbeat after which another session may take the model. Default 300,000. */
  readonly sessionTimeoutMs?: number | undefined;
  /** Time that a request for a result is held before 408. Default 40,000. */
  readonly holdMs?: number | undefined;
  readonly limits?: FutureLimits | undefined;
  /** Receives errors of the engine that are no fault of a request. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

export interface CheckpointCall {
  readonly modelId: string;
  readonly kind?: 'weights' | 'sampler_weights';
  readonly name: string;
  readonly isArchive?: string;
}

type Route = (request: IncomingMessage, body: Buffer) => Outcome | Promise<Outcome>;

interface Numbered {
  readonly path: string;
  readonly modelId: string;
  readonly seqId: number | null | undefined;
  readonly body: Buffer;
}

/** Answers the calls of Tinker's API over one engine. */
export class TinkerService {
  readonly #options: ServiceOptions;
  readonly #name: string;
  readonly #sessions: Sessions;
  readonly #futures: Futures;
  readonly #model: ServedModel;
  #owner: string | undefined;

  constructor(options: ServiceOptions) {
    this.#options = options;
    const { engine, name, checkpoint = (name: string) => name, discard, onFault = () => undefined } = options;
    this.#name = name ?? engine.traits.model;
    this.#sessions = new Sessions(options.sessionTimeoutMs ?? 300_000);
    this.#futures = new Futures({ ...options.limits, onFault });
    this.#model = new ServedModel({ engine, checkpoint, discard });
  }

  readonly gets: Readonly<Record<string, Route>> = {
    healthz: () => ({ status: 'ok' }),
    samplers: ({ url = '' }) => {
      const id = url.split(/[/?]/)[4] ?? '';
      this.#model.requireSampler(id);
      return { sampler_id: id, base_model: this.#name };
    },
    get_server_capabilities: () => ({ supported_models: [{ model_name: this.#name }] }),
  };

  readonly posts: Readonly<Record<string, Route>> = {
    // The SDK begins with these two.
    'client/config': () => ({}),
    'client/dynamic_config': () => ({}),
    get_info: (...sent) => {
      const { model_id: modelId } = checked(requests.ModelReference, jsonOf(...sent));
      this.#model.require(modelId);
      const data = { model_name: this.#name };
      return { type: 'get_info', model_id: modelId, model_name: this.#name, is_lora: false, model_data: data };
    },
    telemetry: () => ({ status: 'accepted' }),
    create_session: () => ({ type: 'create_session', session_id: this.#sessions.create() }),
    session_heartbeat: (...sent) => {
      this.#sessions.beat(checked(requests.Heartbeat, jsonOf(...sent)).session_id);
      return { type: 'session_heartbeat' };
    },
    create_model: (...sent) => this.#create(checked(requests.CreateModel, jsonOf(...sent))),
    unload_model: (...sent) => {
      const { model_id: modelId } = checked(requests.ModelReference, jsonOf(...sent));
      this.#model.require(modelId);
      this.#unload(modelId);
      return this.#promise(this.#futures.start(undefined, async () => ({ type: 'unload_model', model_id: modelId })));
    },
    forward_backward: (request, body) => {
      if (mediaType(request) !== 'application/x-protobuf') {
        throw new HttpError(415, 'send a ForwardBackwardRequest as application/x-protobuf', 'content-type');
      }
      const sent = decodeRequest(body);
      const number = { path: 'forward_backward', modelId: sent.modelId, seqId: sent.seqId, body };
      return this.#numbered(number, () => this.#model.forwardBackward(sent));
    },
    optim_step: (...sent) => this.#json('optim_step', requests.OptimStep, sent, (step) => this.#model.optimStep(step)),
    save_weights: (...sent) =>
      this.#json('save_weights', requests.SaveWeights, sent, (save) => this.#model.saveWeights(save)),
    load_weights: (...sent) =>
      this.#json('load_weights', requests.LoadWeights, sent, (load) => this.#model.loadWeights(load)),
    save_weights_for_sampler: (...sent) =>
      this.#json('save_weights_for_sampler', requests.SaveWeightsForSampler, sent, (save) => this.#model.publish(save)),
    create_sampling_session: (...sent) => {
      const { session_id: session, model_path: path } = checked(requests.CreateSamplingSession, jsonOf(...sent));
      this.#sessions.beat(session);
      return { type: 'create_sampling_session', sampling_session_id: this.#model.createSamplingSession(path) };
    },
    asample: (...sent) => {
      const request = checked(requests.Sample, jsonOf(...sent));
      const promise = this.#futures.start(undefined, this.#model.sample(request));
      // SDK 0.38 names the samples of a request before they exist.
      const ids = Array.from({ length: request.num_samples }, (_, i) => `${promise}_${i}`);
      return { ...this.#promise(promise), sample_sequence_ids: ids };
    },
    retrieve_future: (...sent) => {
      const { request_id: requestId } = checked(requests.RetrieveFuture, jsonOf(...sent));
      return this.#futures.retrieve(requestId, this.#options.holdMs ?? 40_000);
    },
  };

  /** Deletes saved weights, of earlier models too. */
  async checkpoint(method: string, { modelId, kind, name, isArchive }: CheckpointCall): Promise<object> {
    if (method === 'GET' && isArchive !== undefined) {
      throw new HttpError(501, 'this server trains all weights: there is no adapter to archive');
    }
    if (method !== 'DELETE' || isArchive !== undefined) throw new HttpError(405, 'checkpoints are only deleted here');
    if (kind === undefined) throw new HttpError(400, 'name weights/NAME or sampler_weights/NAME', 'checkpoint_id');
    // Published weights are not stored.
    if (kind === 'weights') await this.#model.discard(modelId, name);
    return {};
  }

  /** Resolves when no request runs. */
  idle(): Promise<void> {
    return this.#futures.idle();
  }

  #create({ session_id: session, base_model: base }: { session_id: string; base_model: string }): object {
    this.#sessions.beat(session);
    if (base !== this.#name) throw new HttpError(404, `base_model: this server has ${this.#name}`, 'base_model');
    const { id } = this.#model;
    if (id !== undefined && this.#owner !== undefined && !this.#sessions.isAlive(this.#owner)) this.#unload(id);
    const { modelId, work } = this.#model.create();
    this.#owner = session;
    return { ...this.#promise(this.#futures.start(undefined, work)), model_id: modelId };
  }

  #unload(modelId: string): void {
    this.#model.unload();
    this.#futures.forget(modelId);
  }

  #json<T extends { model_id: string; seq_id?: number | null | undefined }>(
    path: string,
    shape: Parameters<typeof checked<T>>[0],
    [request, body]: Parameters<Route>,
    begin: (fields: T) => () => Promise<Outcome>,
  ): object {
    const fields = checked(shape, jsonOf(request, body));
    return this.#numbered({ path, modelId: fields.model_id, seqId: fields.seq_id, body }, () => begin(fields));
  }

  /** Begins a request unless it was sent before. */
  #numbered({ path, modelId, seqId, body }: Numbered, begin: () => () => Promise<Outcome>): object {
    this.#model.require(modelId);
    const digest = createHash('sha256').update(`${path}\n`).update(body).digest('hex');
    const number = seqId ? { modelId, seqId, digest } : undefined;
    return this.#promise(this.#futures.repeated(number) ?? this.#futures.start(number, begin()));
  }

  #promise(requestId: string): object {
    return { request_id: requestId, future_id: requestId, status: 'pending' };
  }
}
