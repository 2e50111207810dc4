import { AgentAction } from '../action/sdkCall.js';
import { isSdkCall } from '../action/surfaceOf.js';
import type { ActionResult } from '../episode/episode.js';
import { GyreError } from '../error.js';

export interface CarriedOut {
  readonly actions: readonly AgentAction[];
  readonly ended: boolean;
  readonly results: readonly ActionResult[];
  readonly refusal?: GyreError | undefined;
}

/**
 * Stops at the first action that ends the episode, is malformed, or is refused. Rethrows errors of `act` other than
 * `bad_input` and `held`.
 *
 * @param act returns the output of an SDK call.
 */
export async function carryOut(
  actions: readonly AgentAction[],
  act: (action: AgentAction) => Promise<string | undefined>,
): Promise<CarriedOut> {
  const attempted: AgentAction[] = [];
  const results: ActionResult[] = [];
  for (const candidate of actions) {
    const parsed = AgentAction.safeParse(candidate);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      results.push({ kind: 'malformed', text: `malformed action: ${issue?.path.join('.')} ${issue?.message}` });
      return { actions: attempted, ended: false, results };
    }
    const action = parsed.data;
    attempted.push(action);
    if (action.type === 'finished' || action.type === 'call_user') return { actions: attempted, ended: true, results };
    try {
      const text = await act(action);
      if (text !== undefined) results.push({ kind: 'output', text });
    } catch (error) {
      if (!(error instanceof GyreError) || (error.code !== 'bad_input' && error.code !== 'held')) throw error;
      const { fix } = error.detail;
      // A fix helps a model correct a call, but not a screen action.
      const advice = isSdkCall(action) && fix !== undefined ? ` (${fix})` : '';
      results.push({ kind: 'refused', text: `refused ${action.type}: ${error.message}${advice}` });
      return { actions: attempted, ended: false, results, refusal: error };
    }
  }
  return { actions: attempted, ended: false, results };
}
