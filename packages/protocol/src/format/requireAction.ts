import { GyreError } from '../error.js';
import { AgentAction } from '../action/sdkCall.js';

/** @throws GyreError `bad_input` for an invalid action, with its `index`. */
export function requireAction(action: AgentAction, index: number): AgentAction {
  const checked = AgentAction.safeParse(action);
  if (checked.success) return action;
  const issue = checked.error.issues[0];
  throw new GyreError('bad_input', `action ${index} cannot be printed: ${issue?.message ?? 'it matches no schema'}`, {
    field: ['actions', index, ...(issue?.path ?? [])].join('.'),
    fix: 'use a canonical action or an SDK call',
  });
}
