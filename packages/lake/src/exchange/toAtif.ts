import {
  type AgentAction,
  type Episode,
  EpisodeEnd,
  Fork,
  Origin,
  type Parameter,
  Point,
  Task,
  Turn,
  calls,
  fileCommands,
  isCopied,
  promptsOf,
} from '@gyre/protocol';
import { z } from 'zod';
import { type AtifStep, type AtifToolCall, type AtifTrajectory, type ContentPart, atifVersion } from './atif.js';
import { screenshotPath } from './screenshotPath.js';

/** Fields that ATIF lacks, for round trips. */
export const GyreExtra = z.strictObject({
  task: Task,
  purpose: z.string(),
  seed: z.int().nonnegative(),
  end: EpisodeEnd,
  origin: Origin.optional(),
  fork: Fork.optional(),
});

/** A person's part in a step. */
export const PersonExtra = Turn.pick({ by: true, at: true, candidates: true, edited: true, audio: true, mark: true });

/**
 * Converts to ATIF. The user's first step holds the instruction and first screen. Actions are tool calls in T5's names,
 * with points `[x, y]` in 0..1. Copied turns are copied context without token counts. Screenshots are at {@link
 * screenshotPath}.
 */
export function toAtif(episode: Episode): AtifTrajectory {
  const { id, task, policy, purpose, seed, end, origin, fork, verdict, turns, startedAt } = episode;
  const prompts = promptsOf(episode);
  const samples = turns.flatMap((turn) => (turn.sample && !isCopied(episode, turn) ? [turn.sample] : []));
  const used = new Set(turns.flatMap(({ actions }) => actions.map(({ type }) => type)));
  return {
    schema_version: atifVersion,
    session_id: id,
    trajectory_id: id,
    agent: {
      name: policy,
      version:
        samples.length > 0 ? String(Math.max(...samples.map(({ policyVersion }) => policyVersion))) : 'unversioned',
      tool_definitions: [...used].sort().map(toolDefinition),
    },
    steps: [
      {
        step_id: 1,
        timestamp: startedAt,
        source: 'user',
        message: [{ type: 'text', text: task.instruction }, image(episode.observation.screenshot)],
      },
      ...turns.map((turn, index) => stepOf(turn, isCopied(episode, turn), prompts[index])),
    ],
    final_metrics: {
      total_steps: turns.length + 1,
      ...(samples.length > 0 && {
        total_completion_tokens: samples.reduce((sum, { tokens }) => sum + tokens.length, 0),
      }),
    },
    extra: {
      reward: turns.reduce((sum, { reward }) => sum + reward, 0),
      ...(verdict && { verdict }),
      gyre: { task, purpose, seed, end, ...(origin && { origin }), ...(fork && { fork }) } satisfies z.infer<
        typeof GyreExtra
      >,
    },
  };
}

function stepOf(
  {
    index,
    thought,
    actions,
    text,
    sample,
    observation,
    reward,
    by,
    at: actedAt,
    candidates,
    edited,
    audio,
    mark,
  }: Turn,
  copied: boolean,
  prompt: number[] | undefined,
): AtifStep {
  return {
    step_id: index + 2,
    source: 'agent',
    message: text ?? '',
    ...(thought !== undefined && { reasoning_content: thought }),
    tool_calls: actions.map((action, number) => toolCall(action, `turn_${index}_${number}`)),
    observation: {
      results: [
        ...(observation.results ?? []).map(({ kind, text }) => ({ content: text, extra: { kind } })),
        { content: [image(observation.screenshot)] },
      ],
    },
    ...(sample && {
      metrics: {
        ...(prompt && { prompt_tokens: prompt.length, prompt_token_ids: prompt }),
        completion_tokens: sample.tokens.length,
        completion_token_ids: sample.tokens,
        logprobs: sample.logprobs,
        extra: {
          policy_version: sample.policyVersion,
          ...(sample.model !== undefined && { model: sample.model }),
          ...(sample.vocabulary !== undefined && { vocabulary: sample.vocabulary }),
        },
      },
    }),
    ...(copied && { is_copied_context: true }),
    extra: {
      reward,
      ...(by !== undefined && {
        gyre: {
          by,
          ...(actedAt !== undefined && { at: actedAt }),
          ...(candidates && { candidates }),
          ...(edited && { edited }),
          ...(audio && { audio }),
          ...(mark && { mark }),
        } satisfies z.infer<typeof PersonExtra>,
      }),
    },
  };
}

function image(hash: string): ContentPart {
  return { type: 'image', source: { media_type: 'image/png', path: screenshotPath(hash) } };
}

function toolCall(action: AgentAction, id: string): AtifToolCall {
  const { name, parameters } = calls[action.type];
  const fields = action as Readonly<Record<string, unknown>>;
  const present = parameters.filter(({ field }) => fields[field] !== undefined);
  return {
    tool_call_id: id,
    function_name: name,
    arguments: Object.fromEntries(present.map(({ name, field, kind }) => [name, argument(kind, fields[field])])),
  };
}

function argument(kind: Parameter['kind'], value: unknown): unknown {
  if (kind !== 'point') return value;
  const { x, y } = Point.parse(value);
  return [x, y];
}

function toolDefinition(type: AgentAction['type']): Record<string, unknown> {
  const { name, parameters } = calls[type];
  return {
    type: 'function',
    function: {
      name,
      parameters: {
        type: 'object',
        properties: Object.fromEntries(parameters.map((parameter) => [parameter.name, jsonSchemas[parameter.kind]])),
        required: parameters.filter(({ optional }) => !optional).map((parameter) => parameter.name),
      },
    },
  };
}

const jsonSchemas: Readonly<Record<Parameter['kind'], Record<string, unknown>>> = {
  point: {
    type: 'array',
    items: { type: 'number', minimum: 0, maximum: 1 },
    minItems: 2,
    maxItems: 2,
    description: "[x, y] from the top left, in fractions (0..1) of the screen's width and height",
  },
  text: { type: 'string' },
  direction: { type: 'string', enum: ['up', 'down', 'left', 'right'] },
  button: { type: 'string', enum: ['left', 'middle', 'right'] },
  seconds: { type: 'number' },
  command: { type: 'string', enum: fileCommands },
  boolean: { type: 'boolean' },
  integer: { type: 'integer', minimum: 0 },
  lines: { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2 },
  json: { type: 'object' },
};
