import { type Verdict } from '@gyre/protocol';
import { ApiError } from '../policy/endpoint/chatApi.js';
import { type CapturedCall, CapturedEpisode, type CaptureOptions } from './capturedEpisode.js';
import { type Message, answerMarks } from './chatRequest.js';

export interface CapturesOptions extends CaptureOptions {
  /** In ms without calls. */
  readonly idleMs: number;
  readonly onEnd?: ((name: string, episode: CapturedEpisode) => void) | undefined;
}

export class Captures {
  readonly #options: CapturesOptions;
  readonly #open = new Map<string, CaptureSession>();
  readonly #marked = new Map<string, CaptureSession>();
  readonly counts = { episodes: 0, turns: 0 };

  constructor(options: CapturesOptions) {
    this.#options = options;
  }

  /** Finds a call's session by name, else by the conversation it continues, else opens one. Pair with `leave`. */
  enter(name: string | undefined, messages: readonly Message[]): CaptureSession {
    const known =
      name === undefined
        ? answerMarks(messages)
            .map((mark) => this.#marked.get(mark))
            .findLast((session) => session !== undefined)
        : this.#open.get(name);
    const session = known ?? this.#begin(name);
    session.calls++;
    clearTimeout(session.idle);
    return session;
  }

  leave(session: CaptureSession): void {
    session.calls--;
    if (session.calls > 0 || this.#open.get(session.name) !== session) return;
    if (session.episode.turns === 0) return this.#forget(session);
    session.idle = setTimeout(() => {
      // The lake cuts episodes that it failed to store.
      this.end(session.name).catch(() => undefined);
    }, this.#options.idleMs);
    session.idle.unref();
  }

  /** Resolves once the answer is durable. */
  async keep(session: CaptureSession, messages: readonly Message[], call: CapturedCall): Promise<void> {
    if (this.#open.get(session.name) !== session) {
      throw new ApiError(409, `the session ${session.name} ended before the answer was stored`, {
        code: 'session_ended',
      });
    }
    await session.episode.keep(call);
    this.counts.turns++;
    if (session.episode.turns === 1) this.counts.episodes++;
    const mark = answerMarks([...messages, call.answer.message]).at(-1);
    if (mark === undefined || this.#open.get(session.name) !== session) return;
    session.marks.add(mark);
    this.#marked.set(mark, session);
  }

  /** @throws ApiError 404 if no such session is open. */
  async end(name: string, verdict?: Verdict): Promise<CapturedEpisode> {
    const session = this.#open.get(name);
    if (!session || session.episode.turns === 0) {
      throw new ApiError(404, `no session "${name}" is open`, { code: 'no_session' });
    }
    this.#forget(session);
    await session.episode.end({ state: 'finished' }, verdict);
    this.#options.onEnd?.(name, session.episode);
    return session.episode;
  }

  /** Leaves open episodes to the lake, which cuts them. */
  close(): void {
    for (const session of this.#open.values()) clearTimeout(session.idle);
  }

  #begin(name: string | undefined): CaptureSession {
    const episode = new CapturedEpisode(this.#options);
    const session = new CaptureSession(name ?? episode.id, episode);
    this.#open.set(session.name, session);
    return session;
  }

  #forget(session: CaptureSession): void {
    clearTimeout(session.idle);
    this.#open.delete(session.name);
    for (const mark of session.marks) if (this.#marked.get(mark) === session) this.#marked.delete(mark);
  }
}

export class CaptureSession {
  calls = 0;
  idle: ReturnType<typeof setTimeout> | undefined;
  readonly marks = new Set<string>();

  constructor(
    readonly name: string,
    readonly episode: CapturedEpisode,
  ) {}
}
