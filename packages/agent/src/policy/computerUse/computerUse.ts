import type { Size } from '@gyre/protocol';
import type { Frame } from '@gyre/sandbox';
import { firstShown } from '../../language/conversation.js';
import type { Context, Decision, Policy } from '../policy.js';
import { actionsOf, type ReadCall } from './toolCall.js';

export interface ComputerUseOptions {
  /** As its vendor names it. */
  readonly model: string;
  readonly apiKey: string;
  /** Default: the vendor's own address. */
  readonly url?: string | undefined;
  /** The fewest screenshots that it sees, of an episode that has as many. Default 5. */
  readonly kept?: number | undefined;
  /** Most tokens of an answer. Default 4096. */
  readonly maxTokens?: number | undefined;
  /** How long one try may take. Default 120,000. */
  readonly timeoutMs?: number | undefined;
  /** Tries after the first, further and further apart. Default 4. */
  readonly retries?: number | undefined;
}

export interface ComputerUseCounts {
  turns: number;
  /** Turns with a call that was no call of the tool. */
  malformed: number;
  inputTokens: number;
  /** Of the input tokens, those that the service had cached. */
  cachedTokens: number;
  outputTokens: number;
}

/** A model with its vendor's own tool for computers. */
export interface ComputerUsePolicy extends Policy {
  /** The most screenshots that it looks at: what the loop has to keep. */
  readonly screenshots: number;
  readonly counts: Readonly<ComputerUseCounts>;
}

/** What such a model is told. How its tool is used it knows. */
export const computerUsePrompt =
  'You operate a computer by its screen alone, to do what the user asks for. You are shown the screen as it is after your calls; you need not ask for it. Nobody answers questions. When the task is done, or cannot be done, answer without calling a tool: with what was asked for, where something was, and nothing else.';

/** Stands where a screenshot was that is not shown any more. */
export const leftOut = '[screenshot left out]';

/** The size of the screen that was seen before turn `index`. */
export function sizeAt({ task, turns, screenshots }: Context, index: number): Size {
  const seen = turns[index - 1]?.observation.size;
  return seen ?? (index === turns.length ? screenshots.at(-1)?.size : undefined) ?? task.screen;
}

/** The screenshot of an observation, counted from 0, where the conversation still shows it. */
export function shownFrame({ screenshots, turns }: Context, kept: number, observation: number): Frame | undefined {
  const count = turns.length + 1;
  // What the loop has not kept cannot be shown.
  const first = Math.max(firstShown(count, kept), count - screenshots.length);
  return observation < first ? undefined : screenshots[observation - count + screenshots.length];
}

/** How an answer ended: as it should, by the service or the model declining, or before its end. */
export type AnswerEnd = 'whole' | 'declined' | { readonly brokenOff: string };

/**
 * What an answer decides: its calls, up to the first that is wrong; without any the task is over, with `text` as what was asked for.
 * `malformed` where something in it was no call of the tool.
 */
export function decidedBy(
  said: Pick<Decision, 'text' | 'thought'>,
  { end, calls, text }: { end: AnswerEnd; calls: readonly ReadCall[]; text: string },
): { decision: Decision; malformed: boolean } {
  const decision = (made: Partial<Decision>, malformed = false) => ({
    decision: { ...said, actions: [], ...made },
    malformed,
  });
  // Only a person can go on.
  if (end === 'declined') return decision({ actions: [{ type: 'call_user' }] });
  if (end !== 'whole') return decision({ refused: `the answer was broken off: ${end.brokenOff}` }, true);
  if (calls.length === 0) return decision({ actions: [{ type: 'finished', ...(text !== '' && { answer: text }) }] });
  const wrong = calls.find((call) => 'wrong' in call);
  const actions = actionsOf(calls);
  if (actions.length === 0 && wrong && 'wrong' in wrong)
    return decision({ refused: `not understood: ${wrong.wrong}` }, true);
  return decision({ actions }, wrong !== undefined);
}
