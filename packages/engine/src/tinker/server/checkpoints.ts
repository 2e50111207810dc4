import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HttpError } from './httpError.js';

export interface SavedCheckpoint {
  readonly modelId: string;
  readonly name: string;
  readonly time: Date;
  readonly bytes?: number | undefined;
}

export interface CheckpointOptions {
  /**
   * Folder of the files that clients save. Weights of earlier servers are listed, and can be deleted. Default: see
   * `checkpoint`.
   */
  readonly folder?: string | undefined;
  /**
   * Maps a name of letters, digits and `. _ -` to the engine's, such as a path. Default: the name itself. Such weights
   * are listed until the server ends.
   */
  readonly checkpoint?: ((name: string) => string) | undefined;
  /** Deletes weights by the engine's name for them, if they exist. Default: clients can delete only files of `folder`. */
  readonly discard?: ((checkpoint: string) => Promise<void>) | undefined;
}

const suffix = '.safetensors';
/** The second form is of models that are created from weights. */
const trainedIn = /^(?:(model_[\da-f]+)|([\da-f-]{36})-train-(\d+))\.(.+)$/;

/** Names saved weights to the engine, and lists them. */
export class Checkpoints {
  readonly #folder: string | undefined;
  readonly #place: (name: string) => string;
  readonly #discard: ((checkpoint: string) => Promise<void>) | undefined;
  readonly #saved = new Map<string, SavedCheckpoint>();

  constructor({ folder, checkpoint = (name) => name, discard }: CheckpointOptions) {
    this.#folder = folder;
    this.#place = folder === undefined ? checkpoint : (name) => join(folder, `${name}${suffix}`);
    this.#discard = folder === undefined ? discard : (file) => rm(file, { force: true });
  }

  /** Names the weights that each model starts from. */
  get initial(): string {
    return this.#place('initial');
  }

  placeOf(modelId: string, name: string): string {
    return this.#place(keyOf(modelId, name));
  }

  add(modelId: string, name: string): void {
    this.#saved.set(keyOf(modelId, name), { modelId, name, time: new Date() });
  }

  /** Lists the newest first. */
  async list(): Promise<SavedCheckpoint[]> {
    const saved = this.#folder === undefined ? [...this.#saved.values()] : await listFolder(this.#folder);
    return saved.sort((a, b) => b.time.getTime() - a.time.getTime());
  }

  /** @throws HttpError 404 for weights that are not listed, or that `discard` could not have; 405 without both. */
  async remove(modelId: string, name: string): Promise<void> {
    if (!this.#discard) throw new HttpError(405, 'this server does not delete weights', 'checkpoint_id');
    if (!(await this.#mayExist(modelId, name))) {
      throw new HttpError(404, `there are no weights tinker://${modelId}/weights/${name}`, 'checkpoint_id');
    }
    await this.#discard(this.placeOf(modelId, name));
    this.#saved.delete(keyOf(modelId, name));
  }

  async #mayExist(modelId: string, name: string): Promise<boolean> {
    // `discard` knows weights of earlier servers too.
    if (this.#folder === undefined) return /^[\w:-]+$/.test(modelId) && /^\w[\w.-]*$/.test(name);
    return (await this.list()).some((saved) => saved.modelId === modelId && saved.name === name);
  }
}

/** A colon is not allowed in the file names of every system. */
const keyOf = (modelId: string, name: string) => `${modelId.replaceAll(':', '-')}.${name}`;

async function listFolder(folder: string): Promise<SavedCheckpoint[]> {
  const files = await readdir(folder);
  const listed = files.map(async (file): Promise<SavedCheckpoint | undefined> => {
    const match = file.endsWith(suffix) ? trainedIn.exec(file.slice(0, -suffix.length)) : null;
    if (!match) return undefined;
    const [, modelId = `${match[2]}:train:${match[3]}`, , , name = ''] = match;
    // A file may be deleted meanwhile.
    const status = await stat(join(folder, file)).catch(() => undefined);
    return status && { modelId, name, time: status.mtime, bytes: status.size };
  });
  return (await Promise.all(listed)).filter((checkpoint) => checkpoint !== undefined);
}
