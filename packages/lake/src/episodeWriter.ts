import type * as promises from 'node:fs/promises';
import { type Episode, EpisodeEnd, type EpisodeStart, GyreError, Observation, Turn, Verdict } from '@gyre/protocol';
import type { z } from 'zod';
import { storageError } from './fileSystem.js';
import { encodeLine } from './writeAhead.js';

/** Takes down one episode while it happens. Calls are carried out in the order they were made. */
export interface EpisodeWriter {
  /**
   * Resolves when the turn is safe from the death of this process (with `durable`, from power loss too). Turns are
   * numbered from 0 without gaps.
   * @throws GyreError `bad_input` for a turn that does not fit its schema or is out of order; `storage` for a disk that
   *   cannot take it: nothing of it is then kept and it may be appended again.
   */
  append(turn: Turn): Promise<void>;
  /**
   * Says what the screen showed after the last turn, where that is known only later: it takes the place of the turn's
   * observation. Safe as an appended turn is.
   * @throws GyreError `bad_input` for an observation that does not fit its schema or where there is no turn; `storage`.
   */
  see(observation: Observation): Promise<void>;
  /**
   * Ends the episode; safe as an appended turn is. It is in Parquet with the batch, at `flush` or `close`.
   * @throws GyreError `bad_input` for a verdict on an episode that was cut or broken by infrastructure; `storage` where
   *   the end cannot be written, or where it is but the batch that it completes cannot: the batch then waits.
   */
  finish(end: EpisodeEnd, verdict?: Verdict): Promise<Episode>;
}

type FileHandle = Awaited<ReturnType<typeof promises.open>>;

export class WriteAheadEpisode implements EpisodeWriter {
  private readonly turns: Turn[] = [];
  private state: 'open' | 'finished' | 'broken' = 'open';
  /** Bytes of the file up to the end of its last whole line. */
  length = 0;
  private last: Promise<unknown> = Promise.resolve();

  private constructor(
    readonly path: string,
    private readonly start: EpisodeStart,
    private readonly handle: FileHandle,
    private readonly durable: boolean,
    private readonly onFinish: (episode: Episode) => Promise<void>,
  ) {}

  static async begin(
    path: string,
    start: EpisodeStart,
    handle: FileHandle,
    durable: boolean,
    onFinish: (episode: Episode) => Promise<void>,
  ): Promise<WriteAheadEpisode> {
    const writer = new WriteAheadEpisode(path, start, handle, durable, onFinish);
    await writer.write({ start });
    return writer;
  }

  append(turn: Turn): Promise<void> {
    return this.inOrder(async () => {
      this.expectOpen();
      const checked = check(Turn, turn, 'turn');
      if (checked.index !== this.turns.length) {
        throw new GyreError('bad_input', `turn.index is ${checked.index} where ${this.turns.length} comes next`, {
          field: 'turn.index',
          fix: 'number the turns of an episode from 0, without gaps',
        });
      }
      await this.write({ turn: checked });
      this.turns.push(checked);
    });
  }

  see(observation: Observation): Promise<void> {
    return this.inOrder(async () => {
      this.expectOpen();
      const seen = check(Observation, observation, 'observation');
      const last = this.turns.at(-1);
      if (!last) {
        throw new GyreError('bad_input', 'no turn has been appended whose screen this could be', {
          field: 'observation',
          fix: "give the first screen with the episode's start",
        });
      }
      await this.write({ seen });
      this.turns[last.index] = { ...last, observation: seen };
    });
  }

  finish(end: EpisodeEnd, verdict?: Verdict): Promise<Episode> {
    return this.inOrder(async () => {
      this.expectOpen();
      const ended = check(EpisodeEnd, end, 'end');
      const judged = verdict && check(Verdict, verdict, 'verdict');
      if (judged && (ended.state === 'cut' || ended.state === 'infra_error')) {
        throw new GyreError('bad_input', `an episode that ended as ${ended.state} has no verdict`, {
          field: 'verdict',
          fix: 'leave it out: such an episode is neither a success nor a failure',
        });
      }
      const outcome = { end: ended, ...(judged && { verdict: judged }) };
      await this.write(outcome);
      this.state = 'finished';
      await this.handle.close();
      const episode: Episode = { ...this.start, turns: this.turns, ...outcome };
      await this.onFinish(episode);
      return episode;
    });
  }

  /** Ends the episode as cut if nothing else has ended it. */
  async cut(): Promise<void> {
    await this.last;
    if (this.state === 'open') await this.finish({ state: 'cut' });
  }

  private inOrder<T>(step: () => Promise<T>): Promise<T> {
    const done = this.last.then(step);
    this.last = done.catch(() => undefined);
    return done;
  }

  private async write(line: Parameters<typeof encodeLine>[0]): Promise<void> {
    const bytes = encode(line);
    try {
      await this.handle.appendFile(bytes);
      if (this.durable) await this.handle.datasync();
      this.length += bytes.length;
    } catch (error) {
      // Part of the line may be there. Without it the file is whole again and takes further lines.
      await this.handle.truncate(this.length).catch(() => {
        this.state = 'broken';
        return this.handle.close();
      });
      throw storageError(error, this.path);
    }
  }

  private expectOpen(): void {
    if (this.state === 'open') return;
    const reason = this.state === 'finished' ? 'has ended' : 'lies on a disk that failed';
    throw new GyreError('bad_input', `episode ${this.start.id} ${reason}`, {
      field: 'episode',
      fix: 'begin a new episode',
    });
  }
}

/** @throws GyreError `bad_input` that names the field. */
export function check<T>(schema: z.ZodType<T>, value: unknown, name: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const field = [name, ...(issue?.path ?? [])].join('.');
  throw new GyreError('bad_input', `${field}: ${issue?.message}`, { field, fix: `give ${name} as its schema says` });
}

function encode(line: Parameters<typeof encodeLine>[0]): Buffer {
  try {
    return encodeLine(line);
  } catch (error) {
    throw new GyreError('bad_input', `it cannot be written as JSON: ${error instanceof Error ? error.message : ''}`, {
      field: 'verdict.evidence',
      fix: 'give evidence that JSON can hold',
      cause: error,
    });
  }
}
