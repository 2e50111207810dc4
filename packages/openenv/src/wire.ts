import { Action, ContentHash, Size, Split, Surface, turnFormatNames, Verdict } from '@gyre/protocol';
import { z } from 'zod';

export const openenvModes = ['simulation', 'production'] as const;
export type OpenenvMode = (typeof openenvModes)[number];

/** Parameters of `reset`. As in OpenEnv, unknown keys are ignored and null means absent. */
export const Reset = z.object({
  /** Without a family, consecutive seeds cycle through families, then through the tasks of each. */
  seed: z.int().min(0).max(999_999_999).nullish(),
  episode_id: z.string().max(255).nullish(),
  /** `FAMILY/SPLIT/SEED`, instead of the fields below. */
  task: z.string().nullish(),
  family: z.string().nullish(),
  /** Default: `train`. */
  split: Split.nullish(),
  /** Screen in px, for families with several. */
  size: Size.nullish(),
});
export type Reset = z.infer<typeof Reset>;

/** A turn in a model's text format. */
export const PrintedTurn = z.strictObject({
  text: z.string().max(2 ** 16),
  /** Default: `t5` if the text has its tags, else `doubao`. */
  format: z.enum(turnFormatNames).optional(),
});
export type PrintedTurn = z.infer<typeof PrintedTurn>;

export const StepAction = z.union([Action, PrintedTurn]);
export type StepAction = Action | PrintedTurn;

const End = z.enum(['finished', 'out_of_budget', 'agent_fault']);

export const Observation = z.strictObject({
  instruction: z.string(),
  /** PNG in base64, without a `data:` prefix. */
  screenshot: z.string(),
  screenshot_sha256: ContentHash,
  /** Screen, in px. */
  size: Size,
  surfaces: z.array(Surface),
  step: z.int(),
  step_budget: z.int(),
  /** Why the last turn was refused. */
  last_action_error: z.string().nullable(),
  /** Null until the episode ends. */
  end: End.nullable(),
  verdict: Verdict.nullable(),
  /** Notices report what screenshots may not show: failed loads, downloads, parsing. */
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

export interface Result {
  readonly observation: Observation;
  /** Null after `reset`. */
  readonly reward: number | null;
  readonly done: boolean;
}

export const StepRequest = Reset.extend({ action: z.unknown() });

export const Message = z.object({ type: z.string(), data: z.unknown().optional() });

/** Python clients send unset fields as null, and OpenEnv's `metadata`. */
export function readStep(message: unknown): StepAction {
  if (typeof message !== 'object' || message === null) return Action.parse(message);
  const set = Object.fromEntries(
    Object.entries(message).filter(([name, value]) => value !== null && name !== 'metadata'),
  );
  return 'type' in set ? Action.parse(set) : PrintedTurn.parse(set);
}

export const schemas = {
  action: z.toJSONSchema(StepAction),
  observation: z.toJSONSchema(Observation),
  state: z.toJSONSchema(State),
};
