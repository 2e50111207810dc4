import { type AgentAction, type Episode, type Span, type StepResult, traced } from '@gyre/protocol';
import type { Decision } from '../policy/policy.js';
import type { EpisodeOptions } from './episode.js';

/** Plays an episode as one trace: `invoke_agent` of OpenTelemetry's conventions for GenAI. */
export function traceEpisode(
  { id, policy, purpose, seed }: Pick<EpisodeOptions, 'policy' | 'purpose' | 'seed'> & { readonly id: string },
  play: () => Promise<Episode>,
): Promise<Episode> {
  const attributes = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': policy.name,
    'gen_ai.conversation.id': id,
    'gyre.purpose': purpose,
    'gyre.seed': seed,
  };
  return traced(`invoke_agent ${policy.name}`, { attributes }, async (span) => {
    const episode = await play();
    const { task, turns, end, verdict } = episode;
    span.setAttributes({
      'gyre.family': task.family,
      'gyre.turns': turns.length,
      'gyre.end': end.state,
      ...(verdict && { 'gyre.success': verdict.success, 'gyre.score': verdict.score }),
      ...(end.state === 'infra_error' && { 'error.type': 'infra' }),
    });
    return episode;
  });
}

/** Takes a decision in a span, which counts the sampled tokens. */
export function traceDecision<Result extends Decision | undefined>(
  turn: number,
  decide: () => Promise<Result>,
): Promise<Result> {
  return traced('decide', { attributes: { 'gyre.turn': turn } }, async (span) => {
    const decision = await decide();
    const sampled = decision?.sample?.tokens.length;
    if (sampled !== undefined) span.setAttribute('gen_ai.usage.output_tokens', sampled);
    return decision;
  });
}

/** Carries out a turn's actions in a span: `execute_tool` of the conventions for GenAI, named by the first action. */
export function traceStep(
  turn: number,
  actions: readonly AgentAction[],
  step: () => Promise<StepResult>,
): Promise<StepResult> {
  const names = actions.map(({ type }) => type);
  const [name = 'none'] = names;
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    'gyre.actions': names,
    'gyre.turn': turn,
  };
  return traced(`execute_tool ${name}`, { attributes }, async (span) => {
    const result = await step();
    reportStep(span, result);
    return result;
  });
}

function reportStep(span: Span, { reward, done, refusal }: StepResult): void {
  span.setAttributes({ 'gyre.reward': reward, 'gyre.done': done });
  if (refusal) span.setAttribute('error.type', refusal.code);
}
