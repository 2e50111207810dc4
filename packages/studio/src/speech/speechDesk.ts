import { type Lake, type SpokenTurn, spokenTurns } from '@gyre/lake';
import { type AudioClip, type Episode, GyreError, type SpeechEntry } from '@gyre/protocol';
import { recordedEpisode } from '../recorded/recordedTask.js';
import { Recordings } from './recordings.js';
import type { Transcriber } from './transcriber.js';
import { joinWebm, readWebm } from './webm.js';

const lookMs = 2_000;

export interface SpeechOfTurn extends SpokenTurn {
  readonly state: 'recorded' | 'transcribing' | 'failed' | 'transcribed';
  /** Why it failed. */
  readonly problem?: { readonly message: string; readonly fix?: string | undefined };
}

export interface EpisodeSpeech {
  readonly recordings: readonly Extract<SpeechEntry, { type: 'recording' }>[];
  readonly turns: readonly SpeechOfTurn[];
}

type Attempt = { readonly state: 'transcribing' } | { readonly state: 'failed'; readonly error: GyreError };

/** Keeps what people say at the episodes of one lake, and transcribes it turn by turn. */
export class SpeechDesk {
  readonly recordings: Recordings;
  readonly #lake: Lake;
  readonly #transcriber: Transcriber | undefined;
  readonly #closed = new AbortController();
  /** By episode, turn and clips. */
  readonly #attempts = new Map<string, Attempt>();
  /** Episodes whose next turn may have been spoken of. */
  readonly #open = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  #last: Promise<void> = Promise.resolve();
  #looking = false;

  constructor(directory: string, lake: Lake, transcriber: Transcriber | undefined) {
    this.#lake = lake;
    this.#transcriber = transcriber;
    this.recordings = new Recordings(directory, lake);
    this.#timer = setInterval(() => void this.#look(), lookMs).unref();
  }

  /** Has the episode's turns transcribed as they come. */
  follow(episode: string): void {
    this.#open.add(episode);
    void this.#look();
  }

  async speech(id: string): Promise<EpisodeSpeech> {
    const { episode, entries } = await this.#read(id);
    return {
      recordings: entries.filter((entry) => entry.type === 'recording'),
      turns: spokenTurns(episode, entries).map((turn): SpeechOfTurn => {
        const attempt = turn.transcript === undefined ? this.#attempts.get(keyOf(id, turn)) : undefined;
        const state = turn.transcript === undefined ? (attempt?.state ?? 'recorded') : 'transcribed';
        if (attempt?.state !== 'failed') return { ...turn, state };
        const { message, detail } = attempt.error;
        return { ...turn, state, problem: { message, fix: detail.fix } };
      }),
    };
  }

  /**
   * Transcribes turns that have no transcript; `again` those that failed too.
   *
   * @throws GyreError `missing` without a server for it
   */
  async transcribe(id: string, { again = false } = {}): Promise<void> {
    if (!this.#transcriber) {
      throw new GyreError('missing', 'there is no server that transcribes', {
        field: '--transcribe',
        fix: 'start gyre studio with --transcribe URL; the recordings are kept',
      });
    }
    const { episode, entries } = await this.#read(id);
    const waiting = spokenTurns(episode, entries).filter((turn) => {
      const attempt = this.#attempts.get(keyOf(id, turn));
      return (
        turn.transcript === undefined && turn.clips.length > 0 && (!attempt || (again && attempt.state === 'failed'))
      );
    });
    for (const turn of waiting) this.#attempts.set(keyOf(id, turn), { state: 'transcribing' });
    for (const turn of waiting) await this.#transcribeTurn(id, turn, this.#transcriber);
  }

  /** Replaces a person's words at a turn; the transcript stays. */
  async write(id: string, turn: number, text: string, by: string): Promise<void> {
    const { episode } = await this.#read(id);
    const known = episode.turns[turn];
    const turnAt = known?.at;
    if (known?.by === undefined || turnAt === undefined) {
      throw new GyreError('bad_input', `turn ${turn + 1} is not a turn of a person whose time is known`, {
        ...{ field: 'turn', fix: 'choose a turn that a person played in the studio' },
      });
    }
    const now = new Date().toISOString();
    await this.#lake.putSpeech({ type: 'wording', episode: id, turn, turnAt, at: now, by, text: text.trim() });
  }

  /** Returns a part of a recording, or all of it bit by bit. */
  async clip(hash: string, part?: Pick<AudioClip, 'fromMs' | 'toMs'>): Promise<Uint8Array> {
    if (!part) return this.#lake.audio(hash);
    const cut = await this.#join([{ ...part, hash }]);
    if (cut) return cut;
    throw new GyreError('bad_input', `the recording has no sound from ${part.fromMs} to ${part.toMs} ms`, {
      ...{ field: 'fromMs', fix: 'choose a part within its duration' },
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closed.abort();
    await this.#last.catch(() => undefined);
  }

  async #transcribeTurn(id: string, turn: SpokenTurn, transcriber: Transcriber): Promise<void> {
    const key = keyOf(id, turn);
    try {
      const sound = await this.#join(turn.clips);
      const transcript = sound ? await transcriber.transcribe(sound, this.#closed.signal) : '';
      const { turnAt, clips } = turn;
      await this.#lake.putSpeech({
        ...{ type: 'transcript', episode: id, turn: turn.turn, turnAt, at: new Date().toISOString() },
        ...{ clips: [...clips], transcript, model: transcriber.model },
      });
      this.#attempts.delete(key);
    } catch (error) {
      if (!(error instanceof GyreError)) throw error;
      this.#attempts.set(key, { state: 'failed', error });
    }
  }

  async #join(clips: readonly AudioClip[]): Promise<Uint8Array | undefined> {
    return joinWebm(
      await Promise.all(
        clips.map(async ({ hash, ...part }) => ({ ...part, audio: readWebm(await this.#lake.audio(hash)) })),
      ),
    );
  }

  async #read(id: string): Promise<{ episode: Episode; entries: readonly SpeechEntry[] }> {
    const episode =
      (await this.#lake.running()).find((each) => each.id === id) ?? (await recordedEpisode(this.#lake, id));
    return { episode, entries: (await this.#lake.speech()).get(id) ?? [] };
  }

  async #look(): Promise<void> {
    if (this.#looking || this.#closed.signal.aborted) return;
    this.#looking = true;
    this.#last = this.#lookOnce().finally(() => {
      this.#looking = false;
    });
    // It looks again; what fails now may be another process's write.
    await this.#last.catch((error: unknown) => process.emitWarning(`speech: ${String(error)}`, 'GyreSpeech'));
  }

  async #lookOnce(): Promise<void> {
    for (const episode of await this.recordings.endIdle()) this.#open.add(episode);
    if (this.#open.size === 0 || !this.#transcriber) return;
    const running = new Set((await this.#lake.running()).map(({ id }) => id));
    for (const id of [...this.#open]) {
      // What ends meanwhile is looked at once more.
      if (!running.has(id)) this.#open.delete(id);
      await this.transcribe(id);
    }
  }
}

const keyOf = (episode: string, { turnAt, clips }: SpokenTurn): string =>
  JSON.stringify([episode, turnAt, clips.map(({ hash, fromMs, toMs }) => [hash, fromMs, toMs])]);
