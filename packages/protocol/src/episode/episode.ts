import { z } from 'zod';
import { Part } from '../error.js';
import { Size } from '../action/point.js';
import { AgentAction } from '../action/sdkCall.js';
import { PixelBox } from '../space/pixelBox.js';
import { Reading } from './reading.js';
import { Task } from './task.js';

/** SHA-256 of encoded bytes, the screenshot's name in the lake. */
export const ContentHash = z.string().regex(/^[0-9a-f]{64}$/);
export type ContentHash = z.infer<typeof ContentHash>;

/** Programs branch on the kind; the text is for the policy and people. */
export const ResultKind = z.enum([
  // An SDK call returned.
  'output',
  // By the session or tool; the rest of the turn was skipped.
  'refused',
  // No valid action; the rest of the turn was skipped.
  'malformed',
  // From the loop or session: nothing changes, a page did not load, a person took part.
  'notice',
  // The actions broke the page or machine, in fresh sessions too; it ended the episode.
  'fault',
]);
export type ResultKind = z.infer<typeof ResultKind>;

/** Bare text is an output or, in older lakes, a refusal. */
export const ActionResult = z.preprocess(
  (value) => (typeof value === 'string' ? { kind: kindOfText(value), text: value } : value),
  z.strictObject({ kind: ResultKind, text: z.string() }),
);
export type ActionResult = z.infer<typeof ActionResult>;

/** For older lakes only. */
function kindOfText(text: string): ResultKind {
  if (text.startsWith('refused ')) return 'refused';
  return text.startsWith('malformed action') ? 'malformed' : 'output';
}

export const Observation = z.strictObject({
  screenshot: ContentHash,
  size: Size,
  results: z.array(ActionResult).optional(),
});
export type Observation = z.infer<typeof Observation>;

/** One pass: a schema per element would dominate a turn's cost. */
function numbers(fits: (value: unknown) => boolean, expected: string) {
  return z
    .custom<number[]>(Array.isArray, { error: 'Invalid input: expected array' })
    .superRefine((values, context) => {
      const wrong = values.findIndex((value) => !fits(value));
      if (wrong >= 0)
        context.addIssue({ code: 'custom', path: [wrong], message: `Invalid input: expected ${expected}` });
    });
}

const tokenIds = numbers((id) => Number.isSafeInteger(id) && (id as number) >= 0, 'a non-negative integer');
const logProbabilities = numbers((value) => Number.isFinite(value), 'a finite number');

/**
 * If the turns cannot reproduce the prompt: the first `kept` tokens of the previous prompt and answer, then `tokens`.
 * Avoids storing growing prompts repeatedly.
 */
export const PromptTokens = z.strictObject({
  kept: z.int().nonnegative(),
  tokens: tokenIds,
});
export type PromptTokens = z.infer<typeof PromptTokens>;

/** Tokens as sampled, never retokenized from text. */
export const Sample = z.strictObject({
  tokens: tokenIds,
  /** Natural logs, under the sampling policy. */
  logprobs: logProbabilities,
  /** Optimizer steps taken. */
  policyVersion: z.int().nonnegative(),
  /** Absent in older lakes. */
  model: z.string().min(1).optional(),
  /** Tokenizer hash. Absent in older lakes, or if unreported. */
  vocabulary: z.string().min(1).optional(),
  /** Absent if built from the turns, or unreported. */
  prompt: PromptTokens.optional(),
});
export type Sample = z.infer<typeof Sample>;

/** A turn of the oracle from the state in which another policy acted: a label for training. */
export const Advice = z.strictObject({
  /** Empty once the task is over. */
  actions: z.array(AgentAction),
  /** The box of the element at each point of these actions, in order. */
  targets: z.array(PixelBox.nullable()).optional(),
});
export type Advice = z.infer<typeof Advice>;

/** A turn that a policy proposed to a person. */
export const Candidate = z.strictObject({
  thought: z.string().optional(),
  actions: z.array(AgentAction),
  /** Sum over the tokens of the answer. Absent if the policy reports none. */
  logprob: z.number().optional(),
  /** Optimizer steps taken. Absent if the policy reports none. */
  policyVersion: z.int().nonnegative().optional(),
  /** Samples that had these actions. */
  samples: z.int().positive(),
  /** The person accepted it, perhaps edited. */
  chosen: z.boolean(),
});
export type Candidate = z.infer<typeof Candidate>;

/** The chosen candidate's values where a person changed them. An empty thought: it had none. */
export const Edited = z
  .strictObject({ thought: z.string().optional(), actions: z.array(AgentAction).optional() })
  .refine(({ thought, actions }) => thought !== undefined || actions !== undefined, 'nothing was changed');
export type Edited = z.infer<typeof Edited>;

const clip = {
  /** SHA-256 of the recording. */
  hash: ContentHash,
  /** From the start of the recording. */
  fromMs: z.number().nonnegative(),
  toMs: z.number().nonnegative(),
};
const isForward = ({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }): boolean => fromMs <= toMs;
const backward = { path: ['toMs'], error: 'it ends before it begins' };

/** A part of a recording. */
export const AudioClip = z.strictObject(clip).refine(isForward, backward);
export type AudioClip = z.infer<typeof AudioClip>;

/** A person's speech before and during a turn. */
export const TurnAudio = z
  .strictObject({
    ...clip,
    /** Later recordings of the same turn. */
    more: z.array(AudioClip).min(1).optional(),
    /** As recognised, of all of them. Absent without speech recognition. */
    transcript: z.string().optional(),
  })
  .refine(isForward, backward);
export type TurnAudio = z.infer<typeof TurnAudio>;

/** A person's remark on a turn. */
export const Mark = z.strictObject({
  label: z.string().min(1).optional(),
  comment: z.string().min(1).optional(),
  /** Never train on it. */
  bad: z.boolean().optional(),
});
export type Mark = z.infer<typeof Mark>;

export const Turn = z.strictObject({
  index: z.int().nonnegative(),
  /** Name of the person that acted; absent if the policy did. */
  by: z.string().min(1).optional(),
  /** When that person acted. Absent if a policy did, and in older lakes. */
  at: z.iso.datetime().optional(),
  /** Proposed to that person, the most frequent first. */
  candidates: z.array(Candidate).optional(),
  edited: Edited.optional(),
  audio: TurnAudio.optional(),
  mark: Mark.optional(),
  thought: z.string().optional(),
  actions: z.array(AgentAction),
  text: z.string().optional(),
  sample: Sample.optional(),
  /** The text of the screen before the turn, for policies that read. */
  reading: Reading.optional(),
  /** After the actions. */
  observation: Observation,
  /** The box of the element at each point of the actions, in order. Only if requested. */
  targets: z.array(PixelBox.nullable()).optional(),
  /** For the state before the turn. Only if requested. */
  advice: Advice.optional(),
  /** The task's; the verdict is separate. */
  reward: z.number(),
});
export type Turn = z.infer<typeof Turn>;

export const VerdictSource = z.enum(['verifier', 'judge', 'orm', 'human', 'agent']);

export const Verdict = z.strictObject({
  success: z.boolean(),
  score: z.number().min(0).max(1),
  source: VerdictSource,
  evidence: z.record(z.string(), z.unknown()),
});
export type Verdict = z.infer<typeof Verdict>;

/**
 * `agent_fault`: the agent's actions broke its page or machine; a failure with a verdict. `infra_error`: something else
 * broke; not trained on, counted separately. `cut`: killed or stopped, without a verdict.
 */
export const EpisodeEnd = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('finished') }),
  z.strictObject({ state: z.literal('out_of_budget') }),
  z.strictObject({ state: z.literal('stuck') }),
  z.strictObject({ state: z.literal('agent_fault'), message: z.string(), part: Part.optional() }),
  z.strictObject({ state: z.literal('infra_error'), message: z.string(), part: Part.optional() }),
  z.strictObject({ state: z.literal('cut') }),
]);
export type EpisodeEnd = z.infer<typeof EpisodeEnd>;

/** Absent for episodes that a policy played here. */
export const Origin = z.strictObject({
  /** E.g. `atif`, `agentnet`, or `annotation` for a person's episode. */
  format: z.string().min(1),
  /** The person's name, for an annotation. */
  source: z.string().min(1),
  /** SPDX, if possible; absent if unknown. */
  licence: z.string().min(1).optional(),
});
export type Origin = z.infer<typeof Origin>;

export const Fork = z.strictObject({
  /** The parent's id. */
  episode: z.string().min(1),
  /** The first own turn. Earlier ones are the parent's, replayed and copied with their samples. */
  turn: z.int().nonnegative(),
});
export type Fork = z.infer<typeof Fork>;

export const EpisodeStart = z.strictObject({
  id: z.string().min(1),
  task: Task,
  /** E.g. `random`, `oracle`, `nano`. */
  policy: z.string().min(1),
  /** E.g. `demonstration`, `ppo`, `eval`, `imported`. */
  purpose: z.string().min(1),
  seed: z.int().nonnegative(),
  startedAt: z.iso.datetime(),
  observation: Observation,
  origin: Origin.optional(),
  fork: Fork.optional(),
});
export type EpisodeStart = z.infer<typeof EpisodeStart>;

/** Has a verdict if it ended as `finished`, `out_of_budget`, `stuck` or `agent_fault`. */
export const Episode = z.strictObject({
  ...EpisodeStart.shape,
  turns: z.array(Turn),
  end: EpisodeEnd,
  verdict: Verdict.optional(),
});
export type Episode = z.infer<typeof Episode>;

export interface SampledAfter {
  readonly prompt: readonly number[];
  readonly tokens: readonly number[];
}

export function keptTokens({ prompt, tokens }: SampledAfter, next: readonly number[]): number {
  const length = prompt.length + tokens.length;
  for (let index = 0; index < length; index++) {
    if (next[index] !== (index < prompt.length ? prompt[index] : tokens[index - prompt.length])) return index;
  }
  return length;
}

/** Encodes a prompt relative to the previous turn, if known. */
export function promptTokens(next: readonly number[], before?: SampledAfter): PromptTokens {
  const shared = before ? keptTokens(before, next) : 0;
  return { kept: shared, tokens: next.slice(shared) };
}

/** Restores full prompts; undefined if unknown. */
export function promptsOf({ turns }: { readonly turns: readonly Pick<Turn, 'sample'>[] }): (number[] | undefined)[] {
  let before: readonly number[] = [];
  return turns.map(({ sample }) => {
    const { prompt } = sample ?? {};
    const known = prompt && prompt.kept <= before.length;
    const whole = known ? [...before.slice(0, prompt.kept), ...prompt.tokens] : undefined;
    before = whole && sample ? [...whole, ...sample.tokens] : [];
    return whole;
  });
}

/** Returns whether a turn is the parent's: never train on it as this policy's. */
export function isCopied({ fork }: Pick<EpisodeStart, 'fork'>, { index }: Pick<Turn, 'index'>): boolean {
  return fork !== undefined && index < fork.turn;
}

/** Returns the tokens with which the policy acted; undefined if a person did, whatever a policy proposed to them. */
export function policySample({ by, sample }: Pick<Turn, 'by' | 'sample'>): Sample | undefined {
  return by === undefined ? sample : undefined;
}

/**
 * Returns whether a person took part, apart from copied turns. The outcome is then not the policy's alone: never use it
 * for ratios, advantages or values.
 */
export function isAssisted(episode: Pick<Episode, 'fork' | 'turns' | 'verdict'>): boolean {
  const { turns, verdict } = episode;
  return (
    verdict?.evidence.takenOver !== undefined || turns.some((turn) => turn.by !== undefined && !isCopied(episode, turn))
  );
}
