import { AgentAction, shownText, Turn } from '@gyre/protocol';
import { z } from 'zod';

/** Folder of the control sockets, in the lake that their episodes are played into. */
export const socketFolder = 'live';

/** An episode that its process lets others control. */
export const LiveState = z.strictObject({
  id: z.string(),
  state: z.enum(['running', 'paused', 'taken']),
  /** It waits, so that the policy does nothing. After `pause` or `take` it first ends its turn. */
  waiting: z.boolean(),
  /** Name of the person who has it. */
  by: z.string().optional(),
  /** The person who asks has it. */
  mine: z.boolean(),
  /** Nobody but a person plays it. */
  played: z.boolean(),
  /** It measures a policy, and cannot be taken over. */
  measured: z.boolean(),
});
export type LiveState = z.infer<typeof LiveState>;

export const ControlVerb = z.enum(['pause', 'resume', 'step', 'stop', 'take', 'act', 'give']);
export type ControlVerb = z.infer<typeof ControlVerb>;

/** One page of one person. */
export const Viewer = z.string().regex(/^[\w-]{8,64}$/, 'it is not 8 to 64 letters, digits, - or _');

export const ControlRequest = z.strictObject({
  viewer: Viewer,
  /** Name of the person. */
  by: z.string().trim().min(1).max(60).transform(shownText),
  /** For `act`. */
  actions: z.array(AgentAction).min(1).max(16).optional(),
  /** For `give`: told to the policy with its next turn. */
  note: z.string().max(2_000).optional(),
});
export type ControlRequest = z.infer<typeof ControlRequest>;

export const ControlReply = z.strictObject({
  state: LiveState.optional(),
  /** Turn of `act`; `done` if it ended the episode. */
  turn: Turn.optional(),
  done: z.boolean().optional(),
});
export type ControlReply = z.infer<typeof ControlReply>;
