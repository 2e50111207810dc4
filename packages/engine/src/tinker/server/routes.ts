import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import type { Engine } from '../../engine.js';
import { decodeRequest } from '../wire.js';
import { type CheckpointOptions, Checkpoints } from './checkpoints.js';
import { type FutureLimits, Futures, type Outcome } from './futures.js';
import { checked, HttpError } from './httpError.js';
import { jsonOf, mediaType } from './requestBody.js';
import * as requests from './requests.js';
import { type Resource, resourcesOf } from './resources.js';
import { ServedModel, startOf } from './servedModel.js';
import { Sessions } from './sessions.js';
import { TrainingRuns } from './trainingRuns.js';

export interface ServiceOptions extends CheckpointOptions {
  readonly engine: Engine;
  /** Base model that clients name. Default: that of the engine. */
  readonly name?: string | undefined;
  /** Time without a heartbeat after which another session may take the model. Default 60,000. */
  readonly sessionTimeoutMs?: number | undefined;
  /** Time that a request for a result is held before 408. Default 40,000. */
  readonly holdMs?: number | undefined;
  readonly limits?: FutureLimits | undefined;
  /** Receives errors of the engine that are no fault of a request. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

type Route = (request: IncomingMessage, body: Buffer) => Outcome | Promise<Outcome>;

interface Numbered {
  readonly path: string;
  readonly modelId: string;
  readonly seqId: number | null | undefined;
  readonly body: Buffer;
}

/** A model that a client asks for. */
interface NewModel extends Pick<z.infer<typeof requests.CreateModel>, 'session_id' | 'user_metadata'> {
  readonly modelId: string;
}

interface Creation {
  readonly body: Buffer;
  readonly result: object;
  /** Default: the first weights of the engine. */
  readonly start?: ReturnType<typeof startOf>;
}

/** Answers the calls of Tinker's API over one engine. */
export class TinkerService {
  readonly #options: ServiceOptions;
  readonly #name: string;
  readonly #sessions: Sessions;
  readonly #futures: Futures;
  readonly #model: ServedModel;
  readonly #runs: TrainingRuns;
  readonly #resources: readonly Resource[];
  readonly #timeoutMs: number;
  #owner = '';

  constructor(options: ServiceOptions) {
    this.#options = options;
    const { engine, name, sessionTimeoutMs = 60_000, onFault = () => undefined } = options;
    this.#name = name ?? engine.traits.model;
    this.#timeoutMs = sessionTimeoutMs;
    this.#sessions = new Sessions(sessionTimeoutMs);
    this.#futures = new Futures({ ...options.limits, onFault });
    const checkpoints = new Checkpoints(options);
    this.#model = new ServedModel({ engine, checkpoints });
    this.#runs = new TrainingRuns({ model: this.#model, checkpoints, name: this.#name });
    this.#resources = resourcesOf({
      ...{ name: this.#name, model: this.#model, runs: this.#runs, sessions: this.#sessions },
      finish: (session) => this.#finish(session),
    });
  }

  /** @throws HttpError 404 for an unknown route. */
  route(method: string, path: string): Route {
    if (method === 'POST' && Object.hasOwn(this.#posts, path)) return this.#posts[path]!;
    for (const [taken, pattern, answer] of this.#resources) {
      const match = taken === method && pattern.exec(path);
      if (match) return (request, body) => answer(match.slice(1).map(decoded), { request, body });
    }
    const fix = path === 'forward' ? ': send forward passes to POST forward_backward' : '';
    throw new HttpError(404, `this server has no ${method} /api/v1/${path}${fix}`);
  }

  readonly #posts: Readonly<Record<string, Route>> = {
    // The SDK begins with these two.
    'client/config': () => ({ create_model_via_load_weights: true }),
    'client/dynamic_config': () => ({}),
    get_info: (...sent) => {
      const { model_id: modelId } = checked(requests.ModelReference, jsonOf(...sent));
      this.#model.require(modelId);
      const data = { model_name: this.#name };
      return { type: 'get_info', model_id: modelId, model_name: this.#name, is_lora: false, model_data: data };
    },
    weights_info: (...sent) => this.#runs.weightsInfo(checked(requests.WeightsInfo, jsonOf(...sent)).tinker_path),
    telemetry: () => ({ status: 'accepted' }),
    create_session: (...sent) => {
      const { user_metadata: metadata } = checked(requests.CreateSession, jsonOf(...sent));
      return { type: 'create_session', session_id: this.#sessions.create(metadata ?? undefined) };
    },
    session_heartbeat: (...sent) => {
      this.#sessions.beat(checked(requests.Heartbeat, jsonOf(...sent)).session_id);
      return { type: 'session_heartbeat' };
    },
    create_model: (request, body) => {
      const fields = checked(requests.CreateModel, jsonOf(request, body));
      this.#requireBase(fields.base_model);
      const modelId = modelIdOf(fields);
      const result = { type: 'create_model', model_id: modelId };
      return { ...this.#create({ ...fields, modelId }, { body, result }), model_id: modelId };
    },
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
    load_weights: (request, body) => {
      const { session_id: session } = checked(requests.LoadKind, jsonOf(request, body));
      if (typeof session === 'string') return this.#loadNew(request, body);
      return this.#json('load_weights', requests.LoadWeights, [request, body], (load) => this.#model.loadWeights(load));
    },
    save_weights_for_sampler: (...sent) =>
      this.#json('save_weights_for_sampler', requests.SaveWeightsForSampler, sent, (save) =>
        this.#model.publish(save, samplerIdOf(this.#owner, save.sampling_session_seq_id ?? 0)),
      ),
    create_sampling_session: (...sent) => {
      const fields = checked(requests.CreateSamplingSession, jsonOf(...sent));
      this.#sessions.beat(fields.session_id);
      const id = samplerIdOf(fields.session_id, fields.sampling_session_seq_id);
      this.#model.openSampler(id, fields.model_path);
      return { type: 'create_sampling_session', sampling_session_id: id };
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

  /** Resolves when no request runs. */
  idle(): Promise<void> {
    return this.#futures.idle();
  }

  #loadNew(request: IncomingMessage, body: Buffer): object {
    const fields = checked(requests.LoadNewModel, jsonOf(request, body));
    this.#requireBase(fields.base_model ?? this.#name);
    const { path, optimizer } = fields;
    // The SDK derives the id as well.
    const modelId = `${fields.session_id}:train:${fields.model_seq_id}`;
    const result = { type: 'load_weights', path, model_id: modelId };
    return this.#create({ ...fields, modelId }, { body, result, start: startOf(path, optimizer) });
  }

  #requireBase(base: string): void {
    if (base !== this.#name) throw new HttpError(404, `base_model: this server has ${this.#name}`, 'base_model');
  }

  /** Creates a model unless the same request was sent before. */
  #create(fields: NewModel, { body, result, start }: Creation): object {
    const { modelId, session_id: session, user_metadata: metadata } = fields;
    this.#sessions.beat(session);
    // The SDK numbers a model's further requests from 1.
    const number = { modelId, seqId: 0, digest: digestOf('create_model', body) };
    const repeated = this.#futures.repeated(number);
    if (repeated !== undefined) return this.#promise(repeated);
    this.#vacate();
    const work = this.#model.create(modelId, start);
    this.#owner = session;
    this.#runs.add(modelId, { session, metadata: metadata ?? undefined });
    const created = async () => {
      await work().catch((error: unknown) => {
        this.#runs.drop(modelId);
        throw error;
      });
      return result;
    };
    try {
      return this.#promise(this.#futures.start(number, created));
    } catch (error) {
      this.#runs.drop(modelId);
      this.#model.unload();
      throw error;
    }
  }

  /** @throws HttpError 400 while another model exists. The SDK would repeat a request answered by 409 for minutes. */
  #vacate(): void {
    const { id } = this.#model;
    if (id === undefined) return;
    const silentMs = this.#sessions.silentMs(this.#owner);
    if (silentMs >= this.#timeoutMs) {
      this.#unload(id);
      return;
    }
    const heard = `its session sent a heartbeat ${Math.round(silentMs / 1_000)} s ago`;
    const fix = `unload it, close its client, or wait until ${this.#timeoutMs / 1_000} s have passed without heartbeats`;
    throw new HttpError(
      400,
      `base_model: this server holds one model at a time, now ${id} (${heard}): ${fix}`,
      'base_model',
    );
  }

  #finish(session: string): void {
    this.#sessions.finish(session);
    const { id } = this.#model;
    if (id !== undefined && this.#owner === session) this.#unload(id);
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
    this.#runs.touch(modelId);
    const number = seqId ? { modelId, seqId, digest: digestOf(path, body) } : undefined;
    return this.#promise(this.#futures.repeated(number) ?? this.#futures.start(number, begin()));
  }

  #promise(requestId: string): object {
    return { request_id: requestId, future_id: requestId, status: 'pending' };
  }
}

/** Gives the same id to a repeated request, in the form of SkyRL. */
const modelIdOf = (fields: { readonly session_id: string; readonly model_seq_id: number }) =>
  `model_${digestOf(fields.session_id, Buffer.from(String(fields.model_seq_id))).slice(0, 12)}`;
const samplerIdOf = (session: string, number: number) => `${session}:sample:${number}`;
const digestOf = (path: string, body: Buffer) => createHash('sha256').update(`${path}\n`).update(body).digest('hex');

/** @throws HttpError 400 for a malformed part of a URL. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new HttpError(400, `the URL has the malformed part ${part}`);
  }
}
