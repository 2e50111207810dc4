import type { Checkpoints, SavedCheckpoint } from './checkpoints.js';
import { HttpError } from './httpError.js';
import type { ServedModel } from './servedModel.js';
import type { Metadata } from './sessions.js';

interface Run {
  readonly session: string;
  readonly metadata: Metadata | undefined;
  lastRequest: Date;
}

interface RunOptions {
  readonly model: ServedModel;
  readonly checkpoints: Checkpoints;
  /** Name of the base model. */
  readonly name: string;
}

/** Describes models and their weights as Tinker's REST API does. A run is a model, unloaded or not. */
export class TrainingRuns {
  readonly #options: RunOptions;
  readonly #runs = new Map<string, Run>();

  constructor(options: RunOptions) {
    this.#options = options;
  }

  add(modelId: string, run: { readonly session: string; readonly metadata: Metadata | undefined }): void {
    this.#runs.set(modelId, { ...run, lastRequest: new Date() });
  }

  /** Forgets a model that could not be created. */
  drop(modelId: string): void {
    this.#runs.delete(modelId);
  }

  touch(modelId: string): void {
    const run = this.#runs.get(modelId);
    if (run) run.lastRequest = new Date();
  }

  idsOf(session: string): string[] {
    return [...this.#runs].filter(([, run]) => run.session === session).map(([id]) => id);
  }

  async list(): Promise<object[]> {
    const saved = await this.#options.checkpoints.list();
    const ids = new Set([...this.#runs.keys(), ...saved.map(({ modelId }) => modelId)]);
    return [...ids].map((id) => this.#describe(id, saved));
  }

  /** @throws HttpError 404 for a model that was neither created since the start nor saved. */
  async get(modelId: string): Promise<object> {
    const saved = await this.#options.checkpoints.list();
    const isKnown = this.#runs.has(modelId) || saved.some((checkpoint) => checkpoint.modelId === modelId);
    if (isKnown) return this.#describe(modelId, saved);
    throw new HttpError(404, `training_run_id: there is no training run ${modelId}`, 'training_run_id');
  }

  /** Lists the checkpoints of one model, or of all. */
  async checkpoints(modelId?: string): Promise<object[]> {
    if (modelId !== undefined) await this.get(modelId);
    const saved = await this.#options.checkpoints.list();
    const listed = [...this.#published(), ...saved.map(trainingCheckpoint)];
    return modelId === undefined
      ? listed
      : listed.filter(({ tinker_path: path }) => path.startsWith(`tinker://${modelId}/`));
  }

  /** @param checkpointId `weights/NAME` or `sampler_weights/NAME` */
  async remove(modelId: string, checkpointId: string): Promise<void> {
    const [kind, name = ''] = checkpointId.split('/');
    if (kind === 'sampler_weights') this.#options.model.retract(`tinker://${modelId}/${checkpointId}`);
    else await this.#options.checkpoints.remove(modelId, name);
  }

  /** @throws HttpError 404 for weights that are not listed. */
  async weightsInfo(path: string): Promise<object> {
    const listed = [...this.#published(), ...(await this.#options.checkpoints.list()).map(trainingCheckpoint)];
    if (listed.some(({ tinker_path: each }) => each === path)) return { ...this.#base, lora_rank: null };
    throw new HttpError(404, `tinker_path: there are no weights ${path}`, 'tinker_path');
  }

  get #base() {
    return { base_model: this.#options.name, is_lora: false };
  }

  #describe(modelId: string, saved: readonly SavedCheckpoint[]): object {
    const run = this.#runs.get(modelId);
    const last = saved.find((checkpoint) => checkpoint.modelId === modelId);
    const sampler = this.#published().find(({ tinker_path: path }) => path.startsWith(`tinker://${modelId}/`));
    return {
      ...{ training_run_id: modelId, ...this.#base, model_owner: 'local', lora_rank: null },
      last_request_time: (run?.lastRequest ?? last?.time ?? new Date(0)).toISOString(),
      last_checkpoint: last ? trainingCheckpoint(last) : null,
      last_sampler_checkpoint: sampler ?? null,
      user_metadata: run?.metadata ?? null,
    };
  }

  #published() {
    return this.#options.model.published.map(({ path, time }) => ({
      ...{ checkpoint_id: path.split('/').slice(3).join('/'), checkpoint_type: 'sampler' },
      ...{ time: time.toISOString(), tinker_path: path, public: false },
    }));
  }
}

const trainingCheckpoint = ({ modelId, name, time, bytes }: SavedCheckpoint) => ({
  ...{ checkpoint_id: `weights/${name}`, checkpoint_type: 'training', time: time.toISOString() },
  ...{ tinker_path: `tinker://${modelId}/weights/${name}`, size_bytes: bytes ?? null, public: false },
});
