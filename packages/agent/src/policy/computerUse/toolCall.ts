import { Action, type AgentAction, GyreError, keyName } from '@gyre/protocol';
import type { z } from 'zod';

export type ReadCall = { readonly actions: readonly Action[] } | { readonly wrong: string };

/**
 * Reports defects, never repairs them.
 *
 * @param toActions may throw a GyreError `bad_input`.
 */
export function readCall<T>(
  name: string,
  schema: z.ZodType<T>,
  input: unknown,
  toActions: (input: T) => Action[],
): ReadCall {
  const parsed = schema.safeParse(input);
  if (!parsed.success) return { wrong: `${name}: ${describeIssue(parsed.error)}` };
  try {
    const actions = toActions(parsed.data);
    const checked = Action.array().safeParse(actions);
    return checked.success ? { actions } : { wrong: `${name}: ${describeIssue(checked.error)}` };
  } catch (error) {
    if (!(error instanceof GyreError && error.code === 'bad_input')) throw error;
    return { wrong: `${name}: ${error.message}` };
  }
}

function describeIssue({ issues: [issue] }: z.ZodError): string {
  const { path = [], message = 'is invalid' } = issue ?? {};
  return `${path.join('.')}${path.length > 0 ? ': ' : ''}${message}`;
}

export type CallResult = 'done' | { readonly failed: string };

/** Reports results up to the first invalid or refused call. */
export function resultsOf(calls: readonly ReadCall[], taken: readonly AgentAction[]): CallResult[] {
  let remaining = taken.length;
  let stopped = false;
  return calls.map((call) => {
    if (stopped) return { failed: 'not executed: an earlier call failed' };
    if (!('wrong' in call) && call.actions.length <= remaining) {
      remaining -= call.actions.length;
      return 'done';
    }
    stopped = true;
    return { failed: 'wrong' in call ? call.wrong : 'not executed' };
  });
}

/** Takes calls up to the first invalid one. */
export function actionsOf(calls: readonly ReadCall[]): Action[] {
  const end = calls.findIndex((call) => 'wrong' in call);
  return calls.slice(0, end < 0 ? undefined : end).flatMap((call) => ('wrong' in call ? [] : call.actions));
}

/** Returns unknown keys unchanged; pressing them is refused. */
export function knownKey(key: string): string {
  return keyName(key) ?? key.toLowerCase();
}

export function holdKeys(keys: readonly string[], actions: readonly Action[]): Action[] {
  const names = keys.map(knownKey);
  return [
    ...names.map((key) => ({ type: 'press' as const, key })),
    ...actions,
    ...names.reverse().map((key) => ({ type: 'release' as const, key })),
  ];
}
