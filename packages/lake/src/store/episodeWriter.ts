import { existsSync } from 'node:fs';
import type * as promises from 'node:fs/promises';
import { type Episode, EpisodeEnd, type EpisodeStart, GyreError, Observation, Turn, Verdict } from '@gyre/protocol';
import type { z } from 'zod';
import PQueue from 'p-queue';
import { type FileSystem, removeFile, storageError } from './fileSystem.js';
import { encodeLine } from './writeAhead.js';

/** Calls run in order. */
export interface EpisodeWriter {
  /**
   * Resolves when the turn survives a crash (with `durable`, power loss). Turns are numbered from 0.
   * @throws GyreError `bad_input` for an invalid or misnumbered turn; `storage`, after which it may be retried
   */
  append(turn: Turn): Promise<void>;
  /** Replaces the last turn's observation by a later one, as durably as an append. */
  see(observation: Observation): Promise<void>;
  /**
   * Retracts all but the first `count` turns, as durably as an append.
   * @throws GyreError `bad_input` if there are fewer; `storage`
   */
  retract(count: number): Promise<void>;
  /**
   * Ends the episode, as durably as an append. It reaches Parquet with its batch, at `flush` or `close`.
   * @throws GyreError `bad_input` for a verdict on a cut or failed episode; `storage`
   */
  finish(end: EpisodeEnd, verdict?: Verdict): Promise<Episode>;
}

type FileHandle = Awaited<ReturnType<typeof promises.open>>;

interface WriterTerms {
  readonly fs: FileSystem;
  readonly name: () => Promise<string>;
  readonly syncNames: (() => Promise<void>) | undefined;
  readonly onFinish: (episode: Episode) => Promise<void>;
}

type Line = Parameters<typeof encodeLine>[0];

export class WriteAheadEpisode implements EpisodeWriter {
  readonly #start: EpisodeStart;
  readonly #terms: WriterTerms;

  readonly #turns: Turn[] = [];
  #state: 'open' | 'finished' = 'open';
  #file: { readonly path: string; readonly handle: FileHandle } | undefined;
  /** Abandoned until another file holds its contents. */
  #abandoned: string | undefined;
  /** Ends after the last complete line. */
  #length = 0;
  readonly #queue = new PQueue({ concurrency: 1 });

  private constructor(start: EpisodeStart, terms: WriterTerms) {
    this.#start = start;
    this.#terms = terms;
  }

  static async begin(start: EpisodeStart, terms: WriterTerms): Promise<WriteAheadEpisode> {
    const writer = new WriteAheadEpisode(start, terms);
    await writer.#write({ start });
    return writer;
  }

  /** Size as JSON. */
  get bytes(): number {
    return this.#length;
  }

  /** The episode as if it were cut now. */
  get soFar(): Episode {
    return { ...this.#start, turns: [...this.#turns], end: { state: 'cut' } };
  }

  async putAway(): Promise<void> {
    if (this.#file) await removeFile(this.#terms.fs, this.#file.path);
  }

  append(turn: Turn): Promise<void> {
    return this.#inOrder(async () => {
      this.#expectOpen();
      const checked = check(Turn, turn, 'turn');
      if (checked.index !== this.#turns.length) {
        throw new GyreError('bad_input', `turn.index is ${checked.index}, not ${this.#turns.length}`, {
          field: 'turn.index',
          fix: 'number turns from 0, without gaps',
        });
      }
      await this.#write({ turn: checked });
      this.#turns.push(checked);
    });
  }

  see(observation: Observation): Promise<void> {
    return this.#inOrder(async () => {
      this.#expectOpen();
      const seen = check(Observation, observation, 'observation');
      const last = this.#turns.at(-1);
      if (!last) {
        throw new GyreError('bad_input', 'no turn was appended before this observation', {
          field: 'observation',
          fix: "pass the first observation with the episode's start",
        });
      }
      await this.#write({ seen });
      this.#turns[last.index] = { ...last, observation: seen };
    });
  }

  retract(count: number): Promise<void> {
    return this.#inOrder(async () => {
      this.#expectOpen();
      if (!Number.isInteger(count) || count < 0 || count > this.#turns.length) {
        throw new GyreError('bad_input', `cannot keep ${count} of ${this.#turns.length} turns`, {
          field: 'count',
          fix: `keep 0 to ${this.#turns.length} turns`,
        });
      }
      await this.#write({ kept: count });
      this.#turns.length = count;
    });
  }

  finish(end: EpisodeEnd, verdict?: Verdict): Promise<Episode> {
    return this.#inOrder(async () => {
      this.#expectOpen();
      const ended = check(EpisodeEnd, end, 'end');
      const judged = verdict && check(Verdict, verdict, 'verdict');
      if (judged && (ended.state === 'cut' || ended.state === 'infra_error')) {
        throw new GyreError('bad_input', `an episode that ended as ${ended.state} cannot have a verdict`, {
          field: 'verdict',
          fix: 'omit it: such an episode is neither a success nor a failure',
        });
      }
      const outcome = { end: ended, ...(judged && { verdict: judged }) };
      await this.#write(outcome);
      try {
        await this.#file?.handle.close();
      } catch {
        // Some file systems report a failed write only now.
        await this.#giveUp();
        await this.#moveTo([...this.#lines(), outcome]);
        await this.#file?.handle.close().catch(() => undefined);
      }
      this.#state = 'finished';
      const episode: Episode = { ...this.#start, turns: this.#turns, ...outcome };
      await this.#terms.onFinish(episode);
      return episode;
    });
  }

  async cut(): Promise<void> {
    await this.#queue.onIdle();
    if (this.#state === 'open') await this.finish({ state: 'cut' });
  }

  #inOrder<T>(step: () => Promise<T>): Promise<T> {
    return this.#queue.add(step);
  }

  async #write(line: Line): Promise<void> {
    const bytes = encode(line);
    const file = this.#file;
    if (!file) return this.#moveTo([...this.#lines(), line]);
    try {
      await file.handle.appendFile(bytes);
      if (this.#terms.syncNames) await file.handle.datasync();
    } catch (error) {
      await file.handle.truncate(this.#length).catch(() => this.#giveUp());
      throw storageError(error, file.path);
    }
    this.#length += bytes.length;
    // A process that took this one for dead has renamed the file.
    if (existsSync(file.path)) return;
    await this.#giveUp();
    await this.#moveTo([...this.#lines(), line]);
  }

  #lines(): Line[] {
    if (this.#length === 0) return [];
    return [{ start: this.#start }, ...this.#turns.map((turn) => ({ turn }))];
  }

  /** Abandons a file that was taken over or failed. */
  async #giveUp(): Promise<void> {
    this.#abandoned = this.#file?.path ?? this.#abandoned;
    await this.#file?.handle.close().catch(() => undefined);
    this.#file = undefined;
  }

  async #moveTo(lines: readonly Line[]): Promise<void> {
    const { fs, name, syncNames } = this.#terms;
    const path = await name();
    const bytes = Buffer.concat(lines.map(encode));
    let handle: FileHandle | undefined;
    try {
      handle = await fs.open(path, 'ax');
      await handle.appendFile(bytes);
      if (syncNames) {
        await handle.datasync();
        await syncNames();
      }
    } catch (error) {
      await handle?.close().catch(() => undefined);
      await removeFile(fs, path);
      throw storageError(error, path);
    }
    this.#file = { path, handle };
    this.#length = bytes.length;
    if (this.#abandoned !== undefined) await removeFile(fs, this.#abandoned);
    this.#abandoned = undefined;
  }

  #expectOpen(): void {
    if (this.#state === 'open') return;
    throw new GyreError('bad_input', `episode ${this.#start.id} has ended`, {
      field: 'episode',
      fix: 'start a new episode',
    });
  }
}

export function check<T>(schema: z.ZodType<T>, value: unknown, name: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const field = [name, ...issue.path].join('.');
  throw new GyreError('bad_input', `${field}: ${issue.message}`, { field, fix: `match the schema of ${name}` });
}

function encode(line: Line): Buffer {
  try {
    return encodeLine(line);
  } catch (error) {
    throw new GyreError(
      'bad_input',
      `cannot convert the record to JSON: ${error instanceof Error ? error.message : ''}`,
      {
        field: 'verdict.evidence',
        fix: 'use evidence that JSON can represent',
        cause: error,
      },
    );
  }
}
