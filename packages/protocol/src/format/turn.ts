import type { AgentAction } from '../action/sdkCall.js';

export interface TurnMessage {
  readonly thought?: string | undefined;
  readonly actions: readonly AgentAction[];
}

export interface ReadTurn {
  readonly ok: true;
  readonly thought?: string;
  readonly actions: AgentAction[];
  /** Tells how deviations were read. */
  readonly notices?: string[];
}

/** Offsets are in UTF-16 code units. */
export type TurnResult = ReadTurn | { ok: false; error: { message: string; offset: number } };

/** The complete part of a streaming turn. */
export interface TurnPrefix {
  readonly thought?: string;
  readonly actions: readonly AgentAction[];
}

/** Left by servers. */
const endTokens = /(?:\s*(?:<\|(?:im_end|endoftext|eot_id|end)\|>|\[EOS\]|<\/s>|<end_of_turn>|<eos>))+\s*$/;

export function withoutEndTokens(source: string): string {
  return source.replace(endTokens, '');
}

/** Such as `think`, `thinkt`, `gui_think`, `think_never_used_51bce0c785ca`, `seed:think`. */
export const thinkTag = /<([\w:]*think\w*)>/i;
export const thinkEnd = /<\/[\w:]*think\w*>/i;

export function truncationNote(message: string, offset: number): string {
  return `the rest of the turn was left out: ${message} (at character ${offset})`;
}

export function readTurn(thought: string | undefined, actions: AgentAction[], notices: readonly string[]): ReadTurn {
  const uniqueNotices = [...new Set(notices)];
  return {
    ok: true,
    ...(thought !== undefined && { thought }),
    actions,
    ...(uniqueNotices.length > 0 && { notices: uniqueNotices }),
  };
}
