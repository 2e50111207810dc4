import { copyFile, cp, readFile, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Engine, TinkerEngine } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import { isPassing, writeWhole } from '../flywheel/journal.js';

/** Names weights that a server stores. */
const Checkpoint = z.strictObject({
  version: z.literal(1),
  model: z.string().min(1),
  path: z.string().min(1),
  policyVersion: z.int().nonnegative(),
  /** URL of the server. */
  server: z.string().optional(),
  /** Folder of the pulled LoRA adapter, beside the file. */
  adapter: z
    .string()
    .regex(/^[^/\\]+\.adapter$/)
    .optional(),
});
type Checkpoint = z.infer<typeof Checkpoint>;

export type ServedEngine = Engine & Pick<TinkerEngine, 'url' | 'rank' | 'pull' | 'discard'>;

type Notice = 'pull' | 'deletion';

interface CheckpointsParts {
  readonly engine: ServedEngine;
  /** Holds the run: weights that another file in it names are never deleted. */
  readonly folder: string;
  /** Pulls the LoRA adapter of each checkpoint that the journal does not replace. */
  readonly pulls: boolean;
  readonly notify: (notice: string) => void;
}

const unsafe = /[^\w-]+/g;
const largestNamingFile = 64 * 2 ** 20;

/** Saves weights and optimiser at a server, and their names in files of a run. */
export class ServedCheckpoints {
  readonly #parts: CheckpointsParts;
  /** Files of this process. */
  readonly #saved = new Map<string, string>();
  readonly #notices = new Set<Notice>();
  #saves = 0;

  constructor(parts: CheckpointsParts) {
    this.#parts = parts;
  }

  /** Replaces the file. Deletes the weights that this process saved under it before. */
  async save(file: string): Promise<void> {
    const { engine, pulls } = this.#parts;
    // Never reuses a name: a crash before the file is replaced must not change what it names.
    const name = `${basename(file).replace(unsafe, '-')}-${Date.now().toString(36)}-${this.#saves++}`;
    const { path, policyVersion } = await engine.save(name);
    const adapter = pulls && !isPassing(file) ? await this.#pull(file) : undefined;
    const { model } = engine.traits;
    const checkpoint: Checkpoint = { version: 1, model, path, policyVersion, server: engine.url, adapter };
    await writeWhole(file, JSON.stringify(checkpoint, null, 2));
    const replaced = this.#saved.get(file);
    this.#saved.set(file, path);
    if (replaced !== undefined) await this.#delete(replaced, file);
  }

  /**
   * Loads weights into a new model at the server.
   *
   * @param source a file of `save`, or a path `tinker://...`
   * @throws GyreError `bad_input` for another model's file, and for weights that the server lacks; `corrupt`; those of
   *   the engine
   */
  async load(source: string, options?: { optimiser?: boolean }): Promise<void> {
    const { engine } = this.#parts;
    if (source.startsWith('tinker://')) {
      return engine.load(source, options).catch((error: unknown) => {
        throw notLoaded(error, { path: source, server: engine.url });
      });
    }
    const checkpoint = await readCheckpoint(source);
    const { model, path, policyVersion } = checkpoint;
    if (model !== engine.traits.model) {
      throw new GyreError('bad_input', `${source} holds weights of ${model}, not of ${engine.traits.model}`, {
        field: 'model',
        fix: `train ${model}, or start from other weights`,
      });
    }
    await engine.load(path, { ...options, policyVersion }).catch((error: unknown) => {
      throw notLoaded(error, { path, server: engine.url, file: source, stored: checkpoint });
    });
  }

  /**
   * Deletes the weights that a file names, unless another file of the run names them. The file stays; a missing one is
   * no error.
   *
   * @returns whether the file may be removed: false after a failure that may pass
   */
  async discard(file: string): Promise<boolean> {
    const checkpoint = await readCheckpoint(file).catch((error: unknown) => {
      if (error instanceof GyreError) return undefined;
      throw error;
    });
    return checkpoint === undefined || this.#delete(checkpoint.path, file);
  }

  async #delete(path: string, file: string): Promise<boolean> {
    const { engine, folder } = this.#parts;
    if (await isNamed(path, { folder: resolve(folder), except: resolve(file) })) return true;
    try {
      if (await engine.discard(path)) return true;
      this.#notify(
        'deletion',
        `${engine.url} deletes no weights: those of past iterations, such as ${path}, stay there`,
      );
      return true;
    } catch (error) {
      if (!(error instanceof GyreError)) throw error;
      this.#notify('deletion', `weights of past iterations stay at the server: ${error.message}`);
      return error.code !== 'infra';
    }
  }

  /** Returns the folder's name. A failure is a notice: the weights are saved. */
  async #pull(file: string): Promise<string | undefined> {
    const { engine } = this.#parts;
    if (engine.rank === 0) {
      this.#notify('pull', 'no LoRA adapter is pulled: with rank 0, the server trains all weights');
      return undefined;
    }
    const folder = adapterFolder(file);
    try {
      await engine.pull(folder);
      return basename(folder);
    } catch (error) {
      if (!(error instanceof GyreError)) throw error;
      this.#notify('pull', `the weights have no copy here, only at the server: ${error.message}`);
      return undefined;
    }
  }

  /** Reports each kind once. */
  #notify(kind: Notice, notice: string): void {
    if (this.#notices.has(kind)) return;
    this.#notices.add(kind);
    this.#parts.notify(notice);
  }
}

/**
 * Returns the folder of the LoRA adapter that was pulled with a checkpoint.
 *
 * @throws GyreError `bad_input` for an unreadable file; `corrupt`
 */
export async function adapterOf(file: string): Promise<string | undefined> {
  const { adapter } = await readCheckpoint(file);
  return adapter === undefined ? undefined : join(dirname(file), adapter);
}

/** Copies a checkpoint, native or served, with its pulled adapter. */
export async function copyCheckpoint(file: string, target: string): Promise<void> {
  if (!file.endsWith('.json')) return copyFile(file, target);
  const checkpoint = await readCheckpoint(file);
  const { adapter } = checkpoint;
  const folder = adapterFolder(target);
  if (adapter !== undefined) await cp(join(dirname(file), adapter), folder, { recursive: true });
  const copy: Checkpoint = { ...checkpoint, ...(adapter !== undefined && { adapter: basename(folder) }) };
  await writeWhole(target, JSON.stringify(copy, null, 2));
}

const adapterFolder = (file: string): string => `${file.replace(/\.json$/, '')}.adapter`;

async function isNamed(path: string, { folder, except }: { folder: string; except: string }): Promise<boolean> {
  const quoted = JSON.stringify(path);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const place = join(folder, entry.name);
    if (entry.isDirectory()) {
      const holdsFiles = entry.name !== 'lake' && !entry.name.startsWith('.') && !entry.name.endsWith('.adapter');
      if (holdsFiles && (await isNamed(path, { folder: place, except }))) return true;
    } else if (/\.json(\.critic)?$/.test(entry.name) && place !== except && (await mentions(place, quoted)))
      return true;
  }
  return false;
}

/** Returns true for a file that cannot be read. */
async function mentions(file: string, text: string): Promise<boolean> {
  try {
    return (await stat(file)).size > largestNamingFile || (await readFile(file, 'utf8')).includes(text);
  } catch {
    return true;
  }
}

interface Missing {
  readonly path: string;
  /** URL of the server that was asked for them. */
  readonly server: string;
  readonly file?: string;
  readonly stored?: Checkpoint;
}

function notLoaded(error: unknown, { path, server, file, stored }: Missing): unknown {
  if (!(error instanceof GyreError)) return error;
  const named = file === undefined ? path : `${path}, which ${file} names,`;
  const { detail } = error;
  const origin = stored?.server === undefined ? 'that stores it' : `that stores it (saved at ${stored.server})`;
  const keeps = 'SkyRL keeps weights in --database-url and --checkpoints-base, gyre serve tinker in --output';
  const start = `start the server ${origin}, with its database and folder: ${keeps}`;
  const copy =
    stored?.adapter === undefined ? '' : `. Its LoRA adapter is also in ${join(dirname(file!), stored.adapter)}`;
  return GyreError.revive(error.code, `the server at ${server} did not load ${named} (${error.message})`, {
    ...detail,
    field: file ?? path,
    cause: error,
    fix: error.code === 'infra' ? `${detail.fix ?? 'check the server'}, or ${start}${copy}` : `${start}${copy}`,
  });
}

async function readCheckpoint(file: string): Promise<Checkpoint> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new GyreError('bad_input', `cannot read ${file}`, {
      field: file,
      fix: 'name a checkpoint of a served policy (.json), or tinker://MODEL/weights/NAME',
      cause,
    });
  });
  try {
    return Checkpoint.parse(JSON.parse(text));
  } catch (cause) {
    throw new GyreError('corrupt', `${file} names no weights of a served policy`, {
      field: file,
      fix: 'name a checkpoint that training on a server wrote, or tinker://MODEL/weights/NAME',
      cause,
    });
  }
}
