import type { ActionResult, Environment, StepOptions, StepResult } from '@gyre/protocol';
import type { Decision } from '../policy/policy.js';

/** Puts notices and the refusal first in the results. */
export async function act(
  environment: Pick<Environment, 'step'>,
  { actions, notices = [], refused }: Pick<Decision, 'actions' | 'notices' | 'refused'>,
  options?: StepOptions,
): Promise<StepResult> {
  const step = await environment.step(refused === undefined ? actions : [], options);
  const reports: ActionResult[] = notices.map((text) => ({ kind: 'notice', text }));
  if (refused !== undefined) reports.push({ kind: 'malformed', text: refused });
  return reports.length === 0 ? step : { ...step, results: [...reports, ...step.results] };
}
