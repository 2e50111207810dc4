import { Action, ContentHash, Size, Split, Surface, turnFormatNames, Verdict } from '@gyre/protocol';
import { z } from 'zod';

export const openenvModes = ['simulation', 'production'] as const;
export type OpenenvMode = (typeof openenvModes)[number];

/** What `reset` may say. As OpenEnv has it, what is not known is left aside; null is as if it were not there. */
export const Reset = z.object({
  /** Of the task. Without a family it chooses that, too: seeds go through the families, and then on to their next tasks. */
  seed: z.int().min(0).max(999_999_999).nullish(),
  episode_id: z.string().max(255).nullish(),
  /** A whole task, `FAMILY/SPLIT/SEED`, instead of what follows. */
  task: z.string().nullish(),
  family: z.string().nullish(),
  /** Default `train`. */
  split: Split.nullish(),
  /** Of the screen in px, where the family has several. */
  size: Size.nullish(),
});
export type Reset = z.infer<typeof Reset>;

/** A turn as a model has printed it. */
export const PrintedTurn = z.strictObject({
  text: z.string().max(2 ** 16),
  /** Default: `t5` where the text has its tags, else `doubao`. */
  format: z.enum(turnFormatNames).optional(),
});
export type PrintedTurn = z.infer<typeof PrintedTurn>;

/** What `step` takes: a canonical action, or a turn as a model has printed it. */
export const StepAction = z.union([Action, PrintedTurn]);
export type StepAction = Action | PrintedTurn;

/** How an episode has ended. */
export const End = z.enum(['finished', 'out_of_budget', 'agent_fault']);

export const Observation = z.strictObject({
  instruction: z.string(),
  /** The screen as a PNG in base64, without a `data:` before it. */
  screenshot: z.string(),
  screenshot_sha256: ContentHash,
  /** Of the screen, in px. */
  size: Size,
  surfaces: z.array(Surface),
  /** Steps that were taken, and the most that may be. */
  step: z.int(),
  step_budget: z.int(),
  /** Why the last action was refused, wholly or from some action of it on; null where it was not. */
  last_action_error: z.string().nullable(),
  /** Null until the episode is over. */
  end: End.nullable(),
  /** The verifier's; null until the episode is over. */
  verdict: Verdict.nullable(),
  /** Notices tell what the screenshot need not show: failed loads, downloads, how a printed turn was read. */
  metadata: z.strictObject({ notices: z.array(z.string()) }),
});
export type Observation = z.infer<typeof Observation>;

export const State = z.strictObject({
  /** Null before the first reset. */
  episode_id: z.string().nullable(),
  step_count: z.int(),
  /** `FAMILY/SPLIT/SEED`; null before the first reset. */
  task: z.string().nullable(),
  done: z.boolean(),
});
export type State = z.infer<typeof State>;

/** What `reset` and `step` are answered with. */
export interface Result {
  readonly observation: Observation;
  /** Null after `reset`. */
  readonly reward: number | null;
  readonly done: boolean;
}

/** The body of POST /step: what `reset` takes stands beside the action. */
export const StepRequest = Reset.extend({ action: z.unknown() });

/** A message of a client. */
export const Message = z.object({ type: z.string(), data: z.unknown().optional() });

/** Reads a step. Python clients send all fields of their action, those that are not set as null, and OpenEnv's own `metadata`. */
export function readStep(given: unknown): StepAction {
  if (typeof given !== 'object' || given === null) return Action.parse(given);
  const set = Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== null && name !== 'metadata'),
  );
  return 'type' in set ? Action.parse(set) : PrintedTurn.parse(set);
}

/** What clients may read of the shapes, as JSON Schemas. */
export const schemas = {
  action: z.toJSONSchema(StepAction),
  observation: z.toJSONSchema(Observation),
  state: z.toJSONSchema(State),
};
