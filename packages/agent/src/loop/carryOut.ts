import { type ActionResult, AgentAction, GyreError, isSdkCall, type Surface } from '@gyre/protocol';
import type { Session } from '@gyre/sandbox';
import type { Decision } from '../policy/policy.js';
import { callSdk } from '../tools/callSdk.js';
import type { SearchService } from '../tools/searchService.js';

/** The actions of a turn that were carried out, and what they came to. */
export interface CarriedOut {
  readonly actions: readonly AgentAction[];
  /** The policy ended the episode. */
  readonly stopped: boolean;
  readonly results: readonly ActionResult[];
}

/**
 * Carries out a decision's actions up to the first that ends the episode or is refused. Throws what the session throws except
 * `bad_input`, and `held` unless that is awaited.
 *
 * @param awaited whether the loop waits for a person who takes the session over: the action is then refused.
 */
export async function carryOut(
  decision: Pick<Decision, 'actions' | 'notices' | 'refused'>,
  session: Session,
  surfaces: readonly Surface[],
  { search, awaited = false }: { search?: SearchService | undefined; awaited?: boolean | undefined } = {},
): Promise<CarriedOut> {
  const actions: AgentAction[] = [];
  const results: ActionResult[] = [];
  const over = (stopped: boolean): CarriedOut => ({ actions, stopped, results });
  const tell = (kind: ActionResult['kind'], text: string): void => void results.push({ kind, text });
  for (const notice of decision.notices ?? []) tell('notice', notice);
  if (decision.refused !== undefined) {
    tell('malformed', decision.refused);
    return over(false);
  }
  for (const candidate of decision.actions) {
    const parsed = AgentAction.safeParse(candidate);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      tell('malformed', `malformed action: ${issue?.path.join('.')} ${issue?.message}`);
      return over(false);
    }
    const action = parsed.data;
    actions.push(action);
    if (action.type === 'finished' || action.type === 'call_user') return over(true);
    try {
      if (isSdkCall(action)) tell('output', await callSdk(action, { session, surfaces, search }));
      else await session.screen.act(action);
    } catch (error) {
      const refused = error instanceof GyreError && (error.code === 'bad_input' || (awaited && error.code === 'held'));
      if (!refused) throw error;
      const { fix } = error.detail;
      // A model can correct a call; an action of the screen is another one next time.
      const advice = isSdkCall(action) && fix !== undefined ? ` (${fix})` : '';
      tell('refused', `refused ${action.type}: ${error.message}${advice}`);
      return over(false);
    }
  }
  return over(false);
}
