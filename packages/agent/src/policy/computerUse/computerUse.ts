import type { Size } from '@gyre/protocol';
import type { Frame } from '@gyre/sandbox';
import { firstShown } from '../../language/conversation.js';
import type { Context, Decision, Policy } from '../policy.js';
import { actionsOf, type ReadCall } from './toolCall.js';

export interface ComputerUseOptions {
  readonly model: string;
  readonly apiKey: string;
  readonly url?: string | undefined;
  /** Minimum shown screenshots. Default 5. */
  readonly minScreenshots?: number | undefined;
  /** Default 4096. */
  readonly maxTokens?: number | undefined;
  /** Per attempt. Default 120,000. */
  readonly timeoutMs?: number | undefined;
  /** With backoff. Default 4. */
  readonly retries?: number | undefined;
}

export interface ComputerUseCounts {
  turns: number;
  malformed: number;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
}

export interface ComputerUsePolicy extends Policy {
  /** Screenshots that the loop must store. */
  readonly screenshots: number;
  readonly counts: Readonly<ComputerUseCounts>;
}

/** Omits the tool's usage, which models know. */
export const computerUsePrompt =
  'You operate a computer by its screen alone, to do what the user asks for. You are shown the screen as it is after your calls; you need not ask for it. Nobody answers questions. When the task is done, or cannot be done, answer without calling a tool: with what was asked for, where something was, and nothing else.';

export const omittedScreenshot = '[screenshot left out]';

/** Returns the size before turn `index`. */
export function sizeAt({ task, turns, screenshots }: Context, index: number): Size {
  const seen = turns[index - 1]?.observation.size;
  return seen ?? (index === turns.length ? screenshots.at(-1)?.size : undefined) ?? task.screen;
}

/** Returns undefined once dropped. */
export function shownFrame(
  { screenshots, turns }: Context,
  minScreenshots: number,
  observation: number,
): Frame | undefined {
  const count = turns.length + 1;
  // The loop may have stored fewer.
  const first = Math.max(firstShown(count, minScreenshots), count - screenshots.length);
  return observation < first ? undefined : screenshots[observation - count + screenshots.length];
}

/** Declined by the service or model. */
export type AnswerEnd = 'whole' | 'declined' | { readonly brokenOff: string };

/** Takes calls up to the first invalid one; without calls, finishes with `text`. */
export function decisionFrom(
  printed: Pick<Decision, 'text' | 'thought'>,
  { end, calls, text }: { end: AnswerEnd; calls: readonly ReadCall[]; text: string },
): { decision: Decision; malformed: boolean } {
  const decision = (fields: Partial<Decision>, malformed = false) => ({
    decision: { ...printed, actions: [], ...fields },
    malformed,
  });
  // Only a person can continue.
  if (end === 'declined') return decision({ actions: [{ type: 'call_user' }] });
  if (end !== 'whole') return decision({ refused: `the answer was cut off: ${end.brokenOff}` }, true);
  if (calls.length === 0) return decision({ actions: [{ type: 'finished', ...(text !== '' && { answer: text }) }] });
  const wrong = calls.find((call) => 'wrong' in call);
  const actions = actionsOf(calls);
  if (actions.length === 0 && wrong && 'wrong' in wrong)
    return decision({ refused: `not understood: ${wrong.wrong}` }, true);
  return decision({ actions }, wrong !== undefined);
}
