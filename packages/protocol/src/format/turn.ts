import type { AgentAction } from '../action/sdkCall.js';

/** What a policy says in one turn. */
export interface TurnMessage {
  readonly thought?: string | undefined;
  readonly actions: readonly AgentAction[];
}

/** A turn that was read. */
export interface ReadTurn {
  readonly ok: true;
  readonly thought?: string;
  readonly actions: AgentAction[];
  /** What the reader took the text for where it strays from the format; absent where it does not. */
  readonly notices?: string[];
}

/** A turn that was read, or what is wrong with it and where, in UTF-16 code units from the start. */
export type TurnResult = ReadTurn | { ok: false; error: { message: string; at: number } };

/** What is whole of a turn that is not at its end. */
export interface Beginning {
  readonly thought?: string;
  readonly actions: readonly AgentAction[];
}

/** Tokens of chat templates that servers leave at the end of a text. */
const endTokens = /(?:\s*(?:<\|(?:im_end|endoftext|eot_id|end)\|>|\[EOS\]|<\/s>|<end_of_turn>|<eos>))+\s*$/;

/** Returns a text without the tokens by which a chat template ends it. */
export function withoutEndTokens(source: string): string {
  return source.replace(endTokens, '');
}

/** A tag around a thought: `think`, `thinkt`, `gui_think`, `think_never_used_51bce0c785ca`, `seed:think`. */
export const thinkTag = /<([\w:]*think\w*)>/i;
export const thinkEnd = /<\/[\w:]*think\w*>/i;

/** Says that the end of a turn was not read, and why. */
export function leftOut(message: string, at: number): string {
  return `the rest of the turn was left out: ${message} (at character ${at})`;
}

/** A turn with what was noticed in it, each once. */
export function readTurn(thought: string | undefined, actions: AgentAction[], notices: readonly string[]): ReadTurn {
  const said = [...new Set(notices)];
  return {
    ok: true,
    ...(thought !== undefined && { thought }),
    actions,
    ...(said.length > 0 && { notices: said }),
  };
}
