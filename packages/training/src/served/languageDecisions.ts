import type { Context, Language } from '@gyre/agent';
import type { Lake } from '@gyre/lake';
import { type Episode, GyreError, isCopied, type Observation, policySample, type Turn } from '@gyre/protocol';
import type { Decision, DecisionOptions } from '../rollouts/dataset.js';
import { servedDecisions } from './servedDecisions.js';

export interface LanguageDecisionsOptions extends DecisionOptions {
  readonly lake: Pick<Lake, 'screenshot'>;
  readonly language: Language;
  /** Maximum in a decision's context. */
  readonly screenshots: number;
}

/**
 * Reads what a served policy can learn from an episode: its own turns as it sampled them, and demonstrated turns as the
 * language prints them. Leaves out copied turns, those of other vocabularies, and demonstrated ones that the language
 * cannot express.
 *
 * @throws GyreError `corrupt` for a screenshot that the lake lacks; `infra` if the language's server does not answer
 */
export async function languageDecisions(episode: Episode, options: LanguageDecisionsOptions): Promise<Decision[]> {
  const { pictureToken, vocabulary } = options.language;
  const isSampled = (turn: Turn) => policySample(turn)?.vocabulary === vocabulary;
  if (pictureToken !== undefined && episode.turns.some(isSampled)) {
    return (await servedDecisions(episode, { lake: options.lake, pictureToken })).decisions;
  }
  const decisions: Decision[] = [];
  for (const turn of episode.turns) {
    if (isCopied(episode, turn) || turn.mark?.bad || (policySample(turn) && !isSampled(turn))) continue;
    const decision = await turnDecision(episode, turn, options);
    if (decision) decisions.push(decision);
  }
  return decisions;
}

async function turnDecision(
  episode: Episode,
  turn: Turn,
  { language, thought = true, ...options }: LanguageDecisionsOptions,
): Promise<Decision | undefined> {
  const context = await contextBefore(episode, turn.index, options);
  const sample = policySample(turn);
  const size = context.screenshots.at(-1)!.size;
  const message = { actions: turn.actions, ...(thought && turn.thought !== undefined && { thought: turn.thought }) };
  const action = sample?.tokens ?? (await language.print(message, size).catch(unlessInexpressible));
  if (!action) return undefined;
  const prompt = await language.prompt(context);
  return {
    family: episode.task.family,
    turn: turn.index,
    ...(sample && { policyVersion: sample.policyVersion }),
    datum: {
      screenshots: [],
      sequences: [{ tokens: [], prompt, action, ...(sample && { logprobs: sample.logprobs }) }],
    },
  };
}

/** Returns what a policy saw before a turn. */
async function contextBefore(
  { id, task, observation: start, turns }: Episode,
  index: number,
  { lake, screenshots: count }: Pick<LanguageDecisionsOptions, 'lake' | 'screenshots'>,
): Promise<Context> {
  const seen: Observation[] = [start, ...turns.slice(0, index).map(({ observation }) => observation)];
  const screenshots = await Promise.all(
    seen.slice(-count).map(async ({ screenshot: hash, size }) => ({ hash, size, png: await lake.screenshot(hash) })),
  );
  return { task, screenshots, start, turns: turns.slice(0, index), random: () => 0, episodeId: id };
}

function unlessInexpressible(error: unknown): undefined {
  if (error instanceof GyreError && error.code === 'bad_input') return undefined;
  throw error;
}
