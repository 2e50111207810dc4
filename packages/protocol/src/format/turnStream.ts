import type { AgentAction } from '../action/sdkCall.js';
import type { TurnPrefix } from './turn.js';

export interface TurnReader<Result> {
  parse(source: string): Result;
  beginning(source: string): TurnPrefix;
  /** Matches text that can complete something. */
  readonly closing: RegExp;
}

export interface TurnDelta {
  readonly thought?: string;
  readonly actions: readonly AgentAction[];
}

/** `push` returns early what `end` returns in full; a turn may still prove malformed at its end. */
export class TurnStream<Result> {
  readonly #reader: TurnReader<Result>;

  #text = '';
  #toldThought = false;
  #toldActions = 0;

  constructor(reader: TurnReader<Result>) {
    this.#reader = reader;
  }

  push(piece: string): TurnDelta {
    this.#text += piece;
    if (!this.#reader.closing.test(piece)) return { actions: [] };
    const { thought, actions } = this.#reader.beginning(this.#text);
    const isNew = thought !== undefined && !this.#toldThought;
    this.#toldThought ||= isNew;
    const fresh = actions.slice(this.#toldActions);
    this.#toldActions = Math.max(this.#toldActions, actions.length);
    return { ...(isNew && { thought }), actions: fresh };
  }

  end(): Result {
    return this.#reader.parse(this.#text);
  }
}
