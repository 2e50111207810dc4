import { GyreError } from '../error.js';
import type { AgentAction } from '../action/sdkCall.js';

/** Builds the error for an action that a format lacks. */
export function inexpressibleAction(format: string, { type }: AgentAction, index: number): GyreError {
  return new GyreError('bad_input', `${format} has no ${type}`, {
    field: `actions.${index}`,
    fix: 'use T5, which expresses every action',
  });
}

/** Builds the error for a thought that would be read back differently. */
export function inseparableThought(fix: string): GyreError {
  return new GyreError('bad_input', 'the thought cannot be separated from the rest of the text', {
    field: 'thought',
    fix,
  });
}

/** Builds the error for a turn without actions. */
export function emptyTurn(format: string): GyreError {
  return new GyreError('bad_input', `${format} cannot express a turn without actions`, {
    field: 'actions',
    fix: 'use at least one action, such as wait',
  });
}
