import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import { TinkerConnection, type TinkerServerOptions } from './connection.js';
import { Future, parsed } from './future.js';
import { TinkerModel } from './model.js';
import { sampleRequest, sequencesOf, type TinkerSampleRequest } from './sampleRequest.js';
import type { WireSequence } from './wireResults.js';

export interface TinkerClientOptions extends TinkerServerOptions {
  /**
   * Whether `asample` keeps pictures. Default: false, and they are refused: SkyRL drops them without an error where
   * trainer and sampler do not share their GPUs. True for `serveTinker`, and for SkyRL with `colocate_all`.
   */
  readonly samplesPictures?: boolean | undefined;
  /** Default 10,000: servers delete the models of a session after 300 s without. */
  readonly heartbeatMs?: number | undefined;
  /** Remembers the client's models, so that those of a process that was killed are unloaded by `open`. */
  readonly record?: ModelRecord | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Outlives a process. Servers with room for one model refuse another until that one is unloaded. */
export interface ModelRecord {
  /** Returns the ids of models that were not unloaded. */
  ids(): Promise<readonly string[]>;
  add(id: string): Promise<void>;
  remove(id: string): Promise<void>;
}

export interface ModelOptions {
  readonly baseModel: string;
  /** Rank of the LoRA adapter. Some servers train all weights at 0. */
  readonly rank: number;
  /** Draws the adapter's first weights. */
  readonly seed?: number | undefined;
  /** An extension of SkyRL. */
  readonly role?: 'policy' | 'critic' | undefined;
  readonly signal?: AbortSignal | undefined;
}

const Session = z.object({ session_id: z.string().min(1) });
const Capabilities = z.object({
  supported_models: z.array(z.object({ model_name: z.string(), max_context_length: z.int().nullish() })),
});
const Created = z.object({ model_id: z.string().min(1) });
const Checkpoints = z.object({ checkpoints: z.array(z.object({ tinker_path: z.string() })) });
const sampled = 'sampler_weights';
/** Statuses of servers without a route. */
const cannot: readonly number[] = [405, 501];

/**
 * A session at a server of Tinker's API: Thinking Machines' service, SkyRL, or `serveTinker`. Calls that a server
 * identifies by number are repeated after a lost connection; `create_model` and `asample` are not.
 *
 * Every call throws a GyreError: `bad_input` for a refusal, with the server's words and field; `infra` for a server
 * that fails, with the part `model_server`. An aborted call stops waiting; the server carries it out nevertheless.
 */
export class TinkerClient {
  readonly #connection: TinkerConnection;
  readonly #options: TinkerClientOptions;
  readonly #session: string;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #closing = new AbortController();
  #models = 0;

  private constructor(connection: TinkerConnection, session: string, options: TinkerClientOptions) {
    this.#connection = connection;
    this.#session = session;
    this.#options = options;
    this.#heartbeat = setInterval(() => void this.#beat(), options.heartbeatMs ?? 10_000).unref();
  }

  static async open(options: TinkerClientOptions): Promise<TinkerClient> {
    const connection = new TinkerConnection(options);
    const body = { tags: [], user_metadata: {}, sdk_version: '0.25.0' };
    const path = 'create_session';
    const answer = await connection.send({ path, body, isRepeatable: true, signal: options.signal });
    const client = new TinkerClient(connection, parsed(Session, answer, { connection, path }).session_id, options);
    for (const id of (await options.record?.ids()) ?? []) {
      // A server that lets a session unload its own models alone deletes them after 300 s.
      await client
        .#model(id)
        .unload(options.signal)
        .catch(() => undefined);
    }
    return client;
  }

  get url(): string {
    return this.#connection.url;
  }

  /** Lists the base models, with their longest context in tokens. */
  async capabilities(signal?: AbortSignal): Promise<{ model: string; maxContext: number | undefined }[]> {
    const call = { method: 'GET' as const, path: 'get_server_capabilities', isRepeatable: true };
    const answer = await this.#connection.send({ ...call, signal: this.#until(signal) });
    const { supported_models: models } = parsed(Capabilities, answer, {
      connection: this.#connection,
      path: call.path,
    });
    return models.map(({ model_name: model, max_context_length: length }) => ({
      model,
      maxContext: length ?? undefined,
    }));
  }

  async createModel({ baseModel, rank, seed, role, signal }: ModelOptions): Promise<TinkerModel> {
    const body = {
      ...{ session_id: this.#session, model_seq_id: this.#models++, base_model: baseModel },
      lora_config: { rank, seed },
      model_role: role,
    };
    const waiting = this.#until(signal);
    const path = 'create_model';
    const connection = this.#connection;
    const answer = await connection.send({ path, body, isRepeatable: false, signal: waiting });
    // SkyRL tells the id at once, the SDK reads it from the result.
    const early = ('json' in answer && Created.safeParse(answer.json).data) || undefined;
    if (early) await this.#options.record?.add(early.model_id);
    const json = await Future.from(answer, { connection, path }).json(waiting);
    const { model_id: id } = early ?? parsed(Created, { status: 200, json }, { connection, path });
    if (!early) await this.#options.record?.add(id);
    return this.#model(id);
  }

  #model(id: string): TinkerModel {
    const { record } = this.#options;
    return new TinkerModel({
      ...{ connection: this.#connection, id, until: (signal) => this.#until(signal) },
      onUnload: async () => record?.remove(id),
    });
  }

  /**
   * Downloads weights saved for the sampler: for a LoRA model, a tar archive of its adapter.
   *
   * @param path of the weights
   * @throws GyreError `bad_input` for a server without archives, such as `serveTinker`; `infra`
   */
  async archive(path: string, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const { run, kind, name } = savedWeights(path);
    // SkyRL's route takes the bare name, as its paths have it; Tinker's service has both with the kind.
    const checkpoint = kind === undefined ? name : `${kind}/${name}`;
    return this.#connection.download(`${run}/${checkpoint}/archive`, this.#until(signal));
  }

  /**
   * Deletes saved weights at the server.
   *
   * @returns false if the server still has them, since it deletes none
   * @throws GyreError `bad_input` for a path of another form or a refusal; `infra`
   */
  async deleteWeights(path: string, signal?: AbortSignal): Promise<boolean> {
    const { run, kind = sampled, name } = savedWeights(path);
    const call = { isRepeatable: true, expects: [...cannot, 404], signal: this.#until(signal) };
    const { status } = await this.#connection.send({ ...call, method: 'DELETE', path: `${run}/${kind}/${name}` });
    if (cannot.includes(status)) return false;
    if (status !== 404) return true;
    // Missing weights and a missing route have the same status.
    const list = await this.#connection.send({ ...call, method: 'GET', path: run });
    const stored = Checkpoints.safeParse('json' in list ? list.json : undefined).data?.checkpoints;
    const isSame = (known: string) => known === path || known.endsWith(`/${kind}/${name}`);
    return stored !== undefined && !stored.some(({ tinker_path: known }) => isSame(known));
  }

  /** Samples from weights saved for the sampler. Never retried: a server cannot tell a repeated request from a new one. */
  async sample(request: TinkerSampleRequest): Promise<WireSequence> {
    const { samplesPictures = false } = this.#options;
    const path = 'asample';
    const waiting = this.#until(request.signal);
    const connection = this.#connection;
    const body = sampleRequest(request, { samplesPictures });
    const answer = await connection.send({ path, body, isRepeatable: false, signal: waiting });
    return sequencesOf(await Future.from(answer, { connection, path }).bytes(waiting), connection.url);
  }

  /** Ends the heartbeat and rejects the calls under way. The server deletes the session's models later. */
  close(): void {
    clearInterval(this.#heartbeat);
    this.#closing.abort(new Error('the Tinker client is closed'));
  }

  /** Later calls report a lost session. */
  async #beat(): Promise<void> {
    const call = { path: 'session_heartbeat', body: { session_id: this.#session }, isRepeatable: true };
    await this.#connection.send({ ...call, signal: this.#closing.signal }).catch(() => undefined);
  }

  #until(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal;
  }
}

/**
 * Reads `tinker://MODEL/weights/NAME`, `tinker://MODEL/sampler_weights/NAME` or SkyRL's short form of the latter,
 * `tinker://MODEL/NAME`.
 *
 * @throws GyreError `bad_input` for another form
 */
function savedWeights(path: string): { run: string; kind: string | undefined; name: string } {
  const [, modelId, kind, name] =
    /^tinker:\/\/(\w[\w.:-]*)\/(?:(weights|sampler_weights)\/)?(\w[\w.-]*)$/.exec(path) ?? [];
  if (modelId !== undefined) return { run: `training_runs/${modelId}/checkpoints`, kind, name: name! };
  throw new GyreError('bad_input', `${path} names no weights`, {
    field: 'path',
    fix: 'use a path such as tinker://MODEL/weights/NAME',
  });
}
