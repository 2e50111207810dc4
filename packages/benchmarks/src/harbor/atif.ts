import { type AgentAction, type Episode, isSdkCall, type Turn } from '@gyre/protocol';

export interface TokenCounts {
  readonly prompt: number;
  readonly cached: number;
  readonly answer: number;
}

export interface TrajectoryOptions {
  readonly version: string;
  readonly tokens?: TokenCounts | undefined;
  /** One entry per turn. */
  readonly turnTokens?: readonly (TokenCounts | undefined)[];
}

/** Returns an episode as Harbor's ATIF 1.8, in which the instruction is the first step and each turn another. */
export function atifTrajectory(episode: Episode, { version, tokens, turnTokens = [] }: TrajectoryOptions): object {
  const { id, policy, task, turns, startedAt, end } = episode;
  return {
    schema_version: 'ATIF-v1.8',
    session_id: id,
    agent: { name: 'gyre', version, model_name: policy },
    steps: [
      { step_id: 1, timestamp: startedAt, source: 'user', message: task.instruction },
      ...turns.map((turn, index) => ({ step_id: index + 2, ...stepOf(turn, turnTokens[index]) })),
    ],
    final_metrics: {
      ...(tokens && {
        total_prompt_tokens: tokens.prompt,
        total_completion_tokens: tokens.answer,
        total_cached_tokens: tokens.cached,
      }),
      total_steps: turns.length + 1,
    },
    extra: { end },
  };
}

function stepOf({ index, text, thought, actions, observation }: Turn, tokens: TokenCounts | undefined): object {
  const calls = actions.map((action, number) => ({ id: `${index}-${number}`, action }));
  const answer = actions.find((action) => action.type === 'finished')?.answer;
  // Outputs belong to the calls in order; the other results concern the turn.
  const outputs = calls.filter(({ action }) => isSdkCall(action)).map(({ id }) => id);
  const results = (observation.results ?? []).map(({ kind, text: content }) => {
    const source = kind === 'output' || kind === 'refused' ? outputs.shift() : undefined;
    return { ...(source !== undefined && { source_call_id: source }), content };
  });
  return {
    source: 'agent',
    message: answer ?? text ?? '',
    ...(thought !== undefined && { reasoning_content: thought }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, action }) => ({
        tool_call_id: id,
        function_name: action.type,
        arguments: argumentsOf(action),
      })),
    }),
    ...(results.length > 0 && { observation: { results } }),
    ...(tokens && {
      metrics: { prompt_tokens: tokens.prompt, completion_tokens: tokens.answer, cached_tokens: tokens.cached },
    }),
    llm_call_count: 1,
  };
}

function argumentsOf({ type: _, ...terms }: AgentAction): object {
  return terms;
}
