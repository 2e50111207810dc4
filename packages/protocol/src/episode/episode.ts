import { z } from 'zod';
import { Part } from '../error.js';
import { Size } from '../action/point.js';
import { AgentAction } from '../action/sdkCall.js';
import { Task } from './task.js';

/** SHA-256 of a screenshot's encoded bytes, in lower-case hex: its name in the lake. */
export const ContentHash = z.string().regex(/^[0-9a-f]{64}$/);
export type ContentHash = z.infer<typeof ContentHash>;

/** What an action came to. Programs decide by the kind; the text is for the policy and for people. */
export const ResultKind = z.enum([
  // An SDK call returned.
  'output',
  // The session, or the tool that was called, refused the action. The rest of the turn was not carried out.
  'refused',
  // The policy printed something that is no action. The rest of the turn was not carried out.
  'malformed',
  // The loop or the session tells the policy something: nothing changes any more, a page did not load or still loads, a person has used it.
  'notice',
  // The actions of the turn broke the page or the machine, in fresh sessions too. It ended the episode.
  'fault',
]);
export type ResultKind = z.infer<typeof ResultKind>;

/** A text stands for an output or, as older lakes have them, for a refusal. */
export const ActionResult = z.preprocess(
  (value) => (typeof value === 'string' ? { kind: kindOfText(value), text: value } : value),
  z.strictObject({ kind: ResultKind, text: z.string() }),
);
export type ActionResult = z.infer<typeof ActionResult>;

/** Reads the kind that older lakes left in the text. Nothing that is written now is read by its text. */
function kindOfText(text: string): ResultKind {
  if (text.startsWith('refused ')) return 'refused';
  return text.startsWith('malformed action') ? 'malformed' : 'output';
}

/** What the policy gets before it decides. */
export const Observation = z.strictObject({
  screenshot: ContentHash,
  size: Size,
  /** Results of the actions, in their order. */
  results: z.array(ActionResult).optional(),
});
export type Observation = z.infer<typeof Observation>;

/** An array of many numbers: one pass, where a schema for each element costs more than all else of a turn. */
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
 * The prompt that tokens were sampled after, where it cannot be made again from the turns: the first `kept` tokens of what the prompt and the
 * answer of the turn before were together, then `tokens`. Prompts mostly grow, and each would have all that came before it.
 */
export const PromptTokens = z.strictObject({
  kept: z.int().nonnegative(),
  tokens: tokenIds,
});
export type PromptTokens = z.infer<typeof PromptTokens>;

/** Sampled tokens as they were sampled. They are never made again from text. */
export const Sample = z.strictObject({
  tokens: tokenIds,
  /** Natural-log probabilities of `tokens` under the policy that sampled them. */
  logprobs: logProbabilities,
  /** Version of the weights that sampled: the number of optimiser steps taken by then. */
  policyVersion: z.int().nonnegative(),
  /** The model that sampled. Absent in older lakes. */
  model: z.string().min(1).optional(),
  /** Hash of the tokenizer of `tokens`. Absent in older lakes, and where the model's server does not tell. */
  vocabulary: z.string().min(1).optional(),
  /** Absent where the policy makes its prompt of the turns, or its server does not tell. */
  prompt: PromptTokens.optional(),
});
export type Sample = z.infer<typeof Sample>;

/** One cycle thought, actions, observation. */
export const Turn = z.strictObject({
  index: z.int().nonnegative(),
  thought: z.string().optional(),
  actions: z.array(AgentAction),
  /** What the policy printed, where it prints text. */
  text: z.string().optional(),
  sample: Sample.optional(),
  /** What the screen showed after the actions. */
  observation: Observation,
  /** Task-given reward of this turn; the verdict is separate. */
  reward: z.number(),
});
export type Turn = z.infer<typeof Turn>;

export const VerdictSource = z.enum(['verifier', 'judge', 'orm', 'human', 'agent']);

/** How good an episode was, who says so, and why. */
export const Verdict = z.strictObject({
  success: z.boolean(),
  /** 0..1. */
  score: z.number().min(0).max(1),
  source: VerdictSource,
  evidence: z.record(z.string(), z.unknown()),
});
export type Verdict = z.infer<typeof Verdict>;

/**
 * How an episode ended. `agent_fault`: the agent's own actions broke its page or machine, which is a failure with a verdict.
 * `infra_error`: something else broke; it is no reward, is left out of training and is counted apart. `cut`: its process died or
 * somebody stopped it; its turns are stored, and it has no verdict.
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

/** Where an episode that was not run here came from. */
export const Origin = z.strictObject({
  /** What it was read from: `atif`, `agentnet`. */
  format: z.string().min(1),
  /** Who made it: a dataset, an address, a file. */
  source: z.string().min(1),
  /** As an SPDX identifier where there is one; absent where nobody has said it. */
  licence: z.string().min(1).optional(),
});
export type Origin = z.infer<typeof Origin>;

/** Where an episode that goes on from another one came from. */
export const Fork = z.strictObject({
  /** Id of the other one. */
  episode: z.string().min(1),
  /** The first turn of its own. Those before it are the other's, carried out again and copied with their samples. */
  turn: z.int().nonnegative(),
});
export type Fork = z.infer<typeof Fork>;

/** Known when an episode starts. */
export const EpisodeStart = z.strictObject({
  id: z.string().min(1),
  task: Task,
  /** Name of the policy: `random`, `oracle`, `nano`, ... */
  policy: z.string().min(1),
  /** Why it was run: `demonstration`, `ppo`, `eval`, `imported`, ... */
  purpose: z.string().min(1),
  /** Seed of the policy's sampling in this episode. */
  seed: z.int().nonnegative(),
  startedAt: z.iso.datetime(),
  observation: Observation,
  /** Absent for what was run here. */
  origin: Origin.optional(),
  /** Absent for what began with the task. */
  fork: Fork.optional(),
});
export type EpisodeStart = z.infer<typeof EpisodeStart>;

/** The turns of one attempt at one task, and how it ended. A verdict is there for `finished`, `out_of_budget`, `stuck` and `agent_fault`. */
export const Episode = z.strictObject({
  ...EpisodeStart.shape,
  turns: z.array(Turn),
  end: EpisodeEnd,
  verdict: Verdict.optional(),
});
export type Episode = z.infer<typeof Episode>;

/** A prompt and what was sampled after it, as ids of tokens. */
export interface SampledAfter {
  readonly prompt: readonly number[];
  readonly tokens: readonly number[];
}

/** How many tokens a prompt has in common with the prompt and answer before it, from the first on. */
export function keptTokens({ prompt, tokens }: SampledAfter, next: readonly number[]): number {
  const length = prompt.length + tokens.length;
  for (let index = 0; index < length; index++) {
    if (next[index] !== (index < prompt.length ? prompt[index] : tokens[index - prompt.length])) return index;
  }
  return length;
}

/** A prompt as what it adds to the turn before, or all of it where nothing of that is known. */
export function promptTokens(next: readonly number[], before?: SampledAfter): PromptTokens {
  const kept = before ? keptTokens(before, next) : 0;
  return { kept, tokens: next.slice(kept) };
}

/** The whole prompt of each turn; undefined where it is not known. */
export function promptsOf({ turns }: Pick<Episode, 'turns'>): (number[] | undefined)[] {
  let before: readonly number[] = [];
  return turns.map(({ sample }) => {
    const { prompt } = sample ?? {};
    const known = prompt && prompt.kept <= before.length;
    const whole = known ? [...before.slice(0, prompt.kept), ...prompt.tokens] : undefined;
    before = whole && sample ? [...whole, ...sample.tokens] : [];
    return whole;
  });
}

/** Is a turn another episode's, and nothing that this policy did? It is never to be learnt from as if it were. */
export function isCopied({ fork }: Pick<EpisodeStart, 'fork'>, { index }: Pick<Turn, 'index'>): boolean {
  return fork !== undefined && index < fork.turn;
}
