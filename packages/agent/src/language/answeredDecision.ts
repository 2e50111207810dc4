import type { ModelCompletion } from '@gyre/engine';
import type { TurnFormat } from '@gyre/protocol';
import type { Decision } from '../policy/policy.js';
import { parseAnswer } from './parseAnswer.js';

/** Reads a model's answer as a turn. A malformed one has no actions, and tells why in `refused`. */
export function answeredDecision(
  format: Pick<TurnFormat, 'name' | 'parse'>,
  completion: Pick<ModelCompletion, 'text' | 'thought' | 'calls' | 'cut' | 'stoppedBy'>,
): Omit<Decision, 'sample'> {
  const { cut, stoppedBy } = completion;
  const { text, thought, parsed } = parseAnswer(format, completion);
  const printed = { text, ...(thought !== undefined && { thought }) };
  // Never guess a truncated answer.
  if (parsed.ok && !(cut && parsed.notices)) {
    const { actions, notices } = parsed;
    return { ...printed, actions, ...(notices && { notices }) };
  }
  const { message, offset } = parsed.ok
    ? { message: parsed.notices?.join('; ') ?? '', offset: text.length }
    : parsed.error;
  const why = [
    ...(text.trim() === '' ? [' The answer has no text.'] : []),
    ...(cut ? [' The answer was cut off: it was too long.'] : []),
    ...(stoppedBy === undefined ? [] : [` The server ended the answer: ${stoppedBy.slice(0, 100)}.`]),
  ];
  return {
    ...printed,
    actions: [],
    refused: `not understood: ${message} (at character ${offset}).${why.join('')}`,
  };
}
