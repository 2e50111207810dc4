import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { FolderLock } from '@gyre/lake';
import { GyreError } from '@gyre/protocol';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';

/** What every stage says of itself, beside what it found. */
export interface StageOutcome {
  /** Turns that were played. */
  readonly turns: number;
}

/** A stage that is over: what it found, and what it cost. */
export interface Finished<T extends StageOutcome> {
  readonly outcome: T;
  readonly minutes: number;
}

/** Where the weights are that the stages change. */
export interface WeightsHolder {
  save(path: string): Promise<void>;
  load(path: string): Promise<unknown>;
}

/** That the run is this process's alone. */
type Ownership = Pick<FolderLock, 'token' | 'expect' | 'lost'>;

const Entry = z.strictObject({
  stage: z.string().min(1),
  minutes: z.number().nonnegative(),
  /** File of the weights that it left, where it learns. */
  weights: z.string().min(1).optional(),
  outcome: z.looseObject({ turns: z.int().nonnegative() }),
});
const State = z.strictObject({ version: z.literal(1), run: z.unknown(), stages: z.array(Entry) });
type Entry = z.infer<typeof Entry>;

/**
 * What a run has done: the stages that are over, with what they found, in `state.json`, which is replaced whole after each; and the
 * weights that the last of them left. A run that was killed asks for the same stages again: those that are over answer from here, the
 * one that was under way begins anew from the weights before it.
 */
export class Journal {
  /** Of the stages that were asked for so far: the same in a run that was resumed. */
  readonly spent = { minutes: 0, turns: 0 };
  private asked = 0;
  /** Whether the holder has the weights of the last stage. */
  private loaded = true;

  private constructor(
    private readonly dir: string,
    private readonly run: unknown,
    private readonly stages: Entry[],
    private readonly weights: WeightsHolder,
    private readonly signal: AbortSignal | undefined,
    private readonly lock: Ownership | undefined,
    private readonly now: () => number,
  ) {}

  /**
   * @param terms.run what the run is, as JSON: a journal of another run is refused.
   * @param terms.resume whether the folder may hold a run; without it must not.
   * @param terms.lock of the run's folder: without it nothing keeps a second owner away.
   * @param terms.now in ms.
   * @throws GyreError `bad_input` for a folder that holds another run, or one although it must not; `corrupt`; `storage`.
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
    journal.loaded = stages.length === 0;
    return journal;
  }

  /** The stages that are over in a folder; none of a new one. @throws GyreError as `open` does, before anything is begun. */
  static async check(
    dir: string,
    terms: { run: Readonly<Record<string, unknown>>; resume: boolean },
  ): Promise<Entry[]> {
    const path = join(dir, 'state.json');
    const text = await readFile(path, 'utf8').catch(() => undefined);
    return text === undefined ? [] : read(path, text, plain(terms.run), terms.resume);
  }

  /** Whether a stage is over. */
  has(stage: string): boolean {
    return this.stages.some((entry) => entry.stage === stage);
  }

  /** The file of the weights that a stage left. @throws GyreError `bad_input` for one that is not over, or does not learn. */
  weightsOf(stage: string): string {
    const file = this.stages.find((entry) => entry.stage === stage)?.weights;
    if (file !== undefined) return join(this.dir, file);
    throw new GyreError('bad_input', `stage "${stage}" has left no weights`, { field: 'stage' });
  }

  /**
   * What a stage finds: from the journal where it is over, else by carrying it out.
   * @param terms.learns its weights are kept from then on. @param terms.keeps and are never removed.
   * @throws GyreError `bad_input` where the journal has other stages than are asked for; `held` where another process has taken the run
   *   over; what the stage throws; the reason of the signal.
   */
  async stage<T extends StageOutcome>(
    name: string,
    carryOut: () => Promise<T>,
    { learns = false, keeps = false }: { learns?: boolean; keeps?: boolean } = {},
  ): Promise<Finished<T>> {
    const known = this.stages[this.asked];
    if (known && known.stage !== name) {
      throw new GyreError('bad_input', `the journal has "${known.stage}" where "${name}" comes`, {
        field: join(this.dir, 'state.json'),
        fix: 'resume it with the settings that it was begun with',
      });
    }
    const entry = known ?? (await this.carriedOut(name, carryOut, learns, keeps));
    this.asked++;
    this.spent.minutes += entry.minutes;
    this.spent.turns += entry.outcome.turns;
    return { outcome: entry.outcome as unknown as T, minutes: entry.minutes };
  }

  /** Lets the holder have what the last stage left, where another process carried it out. */
  async load(): Promise<void> {
    const last = this.stages.findLast(({ weights }) => weights !== undefined);
    if (!this.loaded && last?.weights !== undefined) await this.weights.load(join(this.dir, last.weights));
    this.loaded = true;
  }

  private async carriedOut(
    name: string,
    carryOut: () => Promise<StageOutcome>,
    learns: boolean,
    keeps: boolean,
  ): Promise<Entry> {
    this.signal?.throwIfAborted();
    await this.load();
    const started = this.now();
    const outcome = await carryOut();
    // A stage that is told to stop may return early: it is not over then.
    this.signal?.throwIfAborted();
    const minutes = (this.now() - started) / 60_000;
    const weights = learns ? join('weights', this.fileOf(name, keeps)) : undefined;
    await mkdir(join(this.dir, 'weights'), { recursive: true });
    await this.lock?.expect();
    if (weights !== undefined) await this.weights.save(join(this.dir, weights));
    // Read back as it will be after a kill, so that nothing depends on whether there was one.
    const entry = Entry.parse(plain({ stage: name, minutes, ...(weights !== undefined && { weights }), outcome }));
    const stages = [...this.stages, entry];
    // Saving takes a while: a process that was stopped in it may not be the owner any more.
    await this.lock?.expect();
    await writeWhole(join(this.dir, 'state.json'), JSON.stringify({ version: 1, run: this.run, stages }));
    await this.lock?.expect();
    this.stages.push(entry);
    if (weights !== undefined) await this.prune(basename(weights));
    return entry;
  }

  /** Later owners write other files, so that an owner that does not know yet that it was replaced overwrites nothing. */
  private fileOf(stage: string, keeps: boolean): string {
    const token = this.lock?.token ?? 1;
    return `${stage.replaceAll(' ', '-')}${token > 1 ? `.${token}` : ''}${keeps ? '' : '.passing'}.safetensors`;
  }

  /** Weights that only led to later ones are not needed once these are there. Those of later owners are left alone. */
  private async prune(newest: string): Promise<void> {
    const token = this.lock?.token ?? 1;
    for (const name of await readdir(join(this.dir, 'weights'))) {
      const of = /(?:\.(\d+))?\.passing\.safetensors/.exec(name);
      if (!of || name.startsWith(newest) || Number(of[1] ?? 1) > token) continue;
      await rm(join(this.dir, 'weights', name), { force: true });
    }
  }
}

function read(path: string, text: string, run: unknown, resume: boolean): Entry[] {
  if (!resume) {
    throw new GyreError('bad_input', `${dirname(path)} holds a run already`, {
      field: 'directory',
      fix: 'go on with it by --resume, or name another directory',
    });
  }
  let parsed: z.infer<typeof State>;
  try {
    parsed = State.parse(JSON.parse(text));
  } catch (cause) {
    throw new GyreError('corrupt', `${path} is not what was written`, {
      field: path,
      fix: 'copy it back from a backup, or begin anew in another directory',
      cause,
    });
  }
  const before = parsed.run as Readonly<Record<string, unknown>>;
  const now = run as Readonly<Record<string, unknown>>;
  const other = Object.keys(now).find((key) => JSON.stringify(before[key]) !== JSON.stringify(now[key]));
  if (other !== undefined) {
    const was = JSON.stringify(before[other]) ?? 'nothing';
    throw new GyreError('bad_input', `the run in ${dirname(path)} was begun with another setting of ${other}`, {
      field: other,
      fix: `${was.length < 100 ? `give ${was} as then` : 'give what its settings.json says'}, or begin anew in another directory`,
    });
  }
  return parsed.stages;
}

/** As JSON has it: without undefined, and with null for what is no number. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Replaces a file atomically: a kill or a loss of power leaves the old file or the new one. */
export async function writeWhole(path: string, text: string): Promise<void> {
  try {
    await writeFileAtomic(path, text);
  } catch (cause) {
    throw new GyreError('storage', `${path} could not be written`, {
      field: path,
      fix: 'free some space on this disk and resume the run',
      cause,
    });
  }
}
