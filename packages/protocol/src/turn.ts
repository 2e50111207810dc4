import type { AgentAction } from './sdkCall.js';

/** What a policy says in one turn. */
export interface TurnMessage {
  readonly thought?: string | undefined;
  readonly actions: readonly AgentAction[];
}

/** A turn that was read, or what is wrong with it and where, in UTF-16 code units from the start. */
export type TurnResult =
  { ok: true; thought?: string; actions: AgentAction[] } | { ok: false; error: { message: string; at: number } };

/** What is whole of a turn that is not at its end. */
export interface Beginning {
  readonly thought?: string;
  readonly actions: readonly AgentAction[];
}
