import type { AgentAction } from '../action/sdkCall.js';
import type { Beginning } from './turn.js';

/** How a turn is read: to its end, and as far as it is there. */
export interface TurnReader<Result> {
  parse(source: string): Result;
  beginning(source: string): Beginning;
  /** What a piece of text must hold for something to be whole by it. */
  readonly closing: RegExp;
}

/** What became whole by a piece of text. */
export interface TurnDelta {
  /** The whole thought, once. */
  readonly thought?: string;
  readonly actions: readonly AgentAction[];
}

/**
 * Reads a turn while a model prints it. What `push` gives is as `end` gives it, sooner; a turn that proves malformed later was
 * told in part by then, and `end` says what is wrong.
 */
export class TurnStream<Result> {
  #text = '';
  #toldThought = false;
  #toldActions = 0;

  constructor(private readonly reader: TurnReader<Result>) {}

  push(piece: string): TurnDelta {
    this.#text += piece;
    if (!this.reader.closing.test(piece)) return { actions: [] };
    const { thought, actions } = this.reader.beginning(this.#text);
    const isNew = thought !== undefined && !this.#toldThought;
    this.#toldThought ||= isNew;
    const fresh = actions.slice(this.#toldActions);
    this.#toldActions = Math.max(this.#toldActions, actions.length);
    return { ...(isNew && { thought }), actions: fresh };
  }

  end(): Result {
    return this.reader.parse(this.#text);
  }
}
