import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { FolderLock } from '@gyre/lake';
import { GyreError } from '@gyre/protocol';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { servedIdentity } from '../served/servedSettings.js';

/** JSON. */
export interface StageOutcome {
  readonly turns: number;
}

export interface FinishedStage<T extends StageOutcome> {
  readonly outcome: T;
  readonly minutes: number;
}

export interface WeightsHolder {
  /** Default `safetensors`. */
  readonly extension?: 'safetensors' | 'json';
  save(path: string): Promise<void>;
  load(path: string): Promise<unknown>;
  /**
   * Deletes what a file names elsewhere, before the file is removed: a crash between the two leaves a file to discard
   * again, and nothing that no file names. Returns false to keep the file until the next time.
   */
  discard?(path: string): Promise<boolean>;
}

/** Returns whether the journal removes a file of weights when it has newer ones. */
export const isPassing = (path: string): boolean => /\.passing\.(?:safetensors|json)/.test(basename(path));

type Ownership = Pick<FolderLock, 'token' | 'expect' | 'lost'>;

const Entry = z.strictObject({
  stage: z.string().min(1),
  minutes: z.number().nonnegative(),
  weights: z.string().min(1).optional(),
  outcome: z.looseObject({ turns: z.int().nonnegative() }),
});
const State = z.strictObject({ version: z.literal(1), run: z.unknown(), stages: z.array(Entry) });
type Entry = z.infer<typeof Entry>;

/**
 * Records finished stages in `state.json`, with results and latest weights. A resumed run requests the same stages:
 * finished ones are answered from here; the interrupted one restarts from the weights before it.
 */
export class Journal {
  readonly #dir: string;
  readonly #run: unknown;
  readonly #stages: Entry[];
  readonly #weights: WeightsHolder;
  readonly #signal: AbortSignal | undefined;
  readonly #lock: Ownership | undefined;
  readonly #now: () => number;

  /** Sums over the stages requested so far. */
  readonly spent = { minutes: 0, turns: 0 };
  #position = 0;
  #loaded = true;

  private constructor(
    dir: string,
    run: unknown,
    stages: Entry[],
    weights: WeightsHolder,
    signal: AbortSignal | undefined,
    lock: Ownership | undefined,
    now: () => number,
  ) {
    this.#dir = dir;
    this.#run = run;
    this.#stages = stages;
    this.#weights = weights;
    this.#signal = signal;
    this.#lock = lock;
    this.#now = now;
  }

  /**
   * @param terms.run identity of the run, as JSON
   * @param terms.resume whether the folder must or must not hold a run
   * @param terms.lock excludes a second owner
   * @throws GyreError `bad_input` if the folder holds another run, or one where none may be; `corrupt`; `storage`
   */
  static async open(
    dir: string,
    terms: {
      run: Readonly<Record<string, unknown>>;
      resume: boolean;
      weights: WeightsHolder;
      signal?: AbortSignal | undefined;
      lock?: Ownership;
      now?: () => number;
    },
  ): Promise<Journal> {
    const { weights, lock, now = () => performance.now() } = terms;
    const signals = [terms.signal, lock?.lost].filter((each) => each !== undefined);
    const signal = signals.length > 0 ? AbortSignal.any(signals) : undefined;
    const stages = await Journal.check(dir, terms);
    const journal = new Journal(dir, plain(terms.run), stages, weights, signal, lock, now);
    journal.#loaded = stages.length === 0;
    return journal;
  }

  static async check(
    dir: string,
    terms: { run: Readonly<Record<string, unknown>>; resume: boolean },
  ): Promise<Entry[]> {
    const path = join(dir, 'state.json');
    const text = await readFile(path, 'utf8').catch(() => undefined);
    return text === undefined ? [] : read(path, text, plain(terms.run), terms.resume);
  }

  has(stage: string): boolean {
    return this.#stages.some((entry) => entry.stage === stage);
  }

  /** @throws GyreError `bad_input` for an unfinished stage or one without training */
  weightsOf(stage: string): string {
    const file = this.#stages.find((entry) => entry.stage === stage)?.weights;
    if (file !== undefined) return join(this.#dir, file);
    throw new GyreError('bad_input', `stage "${stage}" has no weights`, { field: 'stage' });
  }

  /**
   * Returns the stage's recorded result, or runs it.
   * @param terms.learns stores its weights
   * @param terms.keeps never removes them
   * @throws GyreError `bad_input` if the journal has another stage here; `held` if another process took the run over
   */
  async stage<T extends StageOutcome>(
    name: string,
    carryOut: () => Promise<T>,
    { learns = false, keeps = false }: { learns?: boolean; keeps?: boolean } = {},
  ): Promise<FinishedStage<T>> {
    const known = this.#stages[this.#position];
    if (known && known.stage !== name) {
      throw new GyreError('bad_input', `the journal has stage "${known.stage}" where "${name}" was expected`, {
        field: join(this.#dir, 'state.json'),
        fix: 'resume the run with its original settings',
      });
    }
    const entry = known ?? (await this.#carriedOut(name, carryOut, learns, keeps));
    this.#position++;
    this.spent.minutes += entry.minutes;
    this.spent.turns += entry.outcome.turns;
    return { outcome: entry.outcome as unknown as T, minutes: entry.minutes };
  }

  async load(): Promise<void> {
    const last = this.#stages.findLast(({ weights }) => weights !== undefined);
    if (!this.#loaded && last?.weights !== undefined) await this.#weights.load(join(this.#dir, last.weights));
    this.#loaded = true;
  }

  async #carriedOut(
    name: string,
    carryOut: () => Promise<StageOutcome>,
    learns: boolean,
    keeps: boolean,
  ): Promise<Entry> {
    this.#signal?.throwIfAborted();
    await this.load();
    const started = this.#now();
    const outcome = await carryOut();
    // An aborted stage may return early.
    this.#signal?.throwIfAborted();
    const minutes = (this.#now() - started) / 60_000;
    const weights = learns ? join('weights', this.#fileOf(name, keeps)) : undefined;
    await mkdir(join(this.#dir, 'weights'), { recursive: true });
    await this.#lock?.expect();
    if (weights !== undefined) await this.#weights.save(join(this.#dir, weights));
    // Parsed from JSON, so that fresh and resumed results are equal.
    const entry = Entry.parse(plain({ stage: name, minutes, ...(weights !== undefined && { weights }), outcome }));
    const stages = [...this.#stages, entry];
    // Ownership may be lost while saving.
    await this.#lock?.expect();
    await writeWhole(join(this.#dir, 'state.json'), JSON.stringify({ version: 1, run: this.#run, stages }));
    await this.#lock?.expect();
    this.#stages.push(entry);
    if (weights !== undefined) await this.#prune(basename(weights));
    return entry;
  }

  /** Names weights by owner, so that a replaced owner overwrites nothing. */
  #fileOf(stage: string, keeps: boolean): string {
    const token = this.#lock?.token ?? 1;
    return `${stage.replaceAll(' ', '-')}${token > 1 ? `.${token}` : ''}${keeps ? '' : '.passing'}.${this.#weights.extension ?? 'safetensors'}`;
  }

  /** Spares weights of later owners. */
  async #prune(newest: string): Promise<void> {
    const token = this.#lock?.token ?? 1;
    for (const name of await readdir(join(this.#dir, 'weights'))) {
      if (!isPassing(name) || name.startsWith(newest)) continue;
      const [, owner = 1] = /\.(\d+)\.passing\./.exec(name) ?? [];
      if (Number(owner) > token) continue;
      const path = join(this.#dir, 'weights', name);
      if ((await this.#weights.discard?.(path)) !== false) await rm(path, { force: true });
    }
  }
}

function read(path: string, text: string, run: unknown, resume: boolean): Entry[] {
  if (!resume) {
    throw new GyreError('bad_input', `${dirname(path)} already contains a run`, {
      field: 'directory',
      fix: 'resume it with --resume, or choose another directory',
    });
  }
  let parsed: z.infer<typeof State>;
  try {
    parsed = State.parse(JSON.parse(text));
  } catch (cause) {
    throw new GyreError('corrupt', `${path} is damaged`, {
      field: path,
      fix: 'restore it from a backup, or start a new run in another directory',
      cause,
    });
  }
  const [before, now] = [identityOf(parsed.run), identityOf(run)];
  const difference = Object.keys(now).find((key) => !isDeepStrictEqual(before[key], now[key]));
  if (difference !== undefined) {
    const value = before[difference] === undefined ? undefined : JSON.stringify(before[difference]);
    const original =
      value === undefined ? 'omit it' : value.length < 100 ? `use ${value}` : 'use the value in its settings.json';
    throw new GyreError('bad_input', `the run in ${dirname(path)} was started with another value of ${difference}`, {
      field: difference,
      fix: `${original}, or start a new run in another directory`,
    });
  }
  return parsed.stages;
}

/** Leaves out where the servers of a policy are: they may have moved. */
function identityOf(run: unknown): Readonly<Record<string, unknown>> {
  const { served, ...fields } = run as Readonly<Record<string, unknown>>;
  return { ...fields, ...(served !== undefined && { served: plain(servedIdentity(served)) }) };
}

/** Drops undefined and converts NaN to null, as JSON does. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

export async function writeWhole(path: string, text: string): Promise<void> {
  try {
    await writeFileAtomic(path, text);
  } catch (cause) {
    throw new GyreError('storage', `cannot write ${path}`, {
      field: path,
      fix: 'free disk space, then resume the run',
      cause,
    });
  }
}
