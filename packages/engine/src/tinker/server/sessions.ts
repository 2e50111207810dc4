import { randomUUID } from 'node:crypto';
import { HttpError } from './httpError.js';

/** Clients that send heartbeats. */
export class Sessions {
  readonly #lastBeats = new Map<string, number>();
  readonly #timeoutMs: number;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  create(): string {
    for (const id of this.#lastBeats.keys()) if (!this.isAlive(id)) this.#lastBeats.delete(id);
    const id = randomUUID();
    this.#lastBeats.set(id, performance.now());
    return id;
  }

  /** @throws HttpError 404 for a session that is unknown or has timed out. */
  beat(id: string): void {
    if (!this.isAlive(id)) throw new HttpError(404, `session_id: there is no session ${id}`, 'session_id');
    this.#lastBeats.set(id, performance.now());
  }

  isAlive(id: string): boolean {
    const lastBeat = this.#lastBeats.get(id);
    return lastBeat !== undefined && performance.now() - lastBeat < this.#timeoutMs;
  }
}
