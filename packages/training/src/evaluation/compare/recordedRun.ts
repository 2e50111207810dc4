import { GyreError, type Split } from '@gyre/protocol';
import type { RecordedAttempt } from './recordedAttempts.js';

export interface RunFilter {
  readonly policy?: string | undefined;
  readonly split?: Split | undefined;
  readonly budget?: number | undefined;
  /** Names of families, or prefixes such as `mail.*`. Default: all. */
  readonly families?: readonly string[] | undefined;
}

/** The judged attempts of one policy in one evaluation, which may have been repeated. */
export interface RecordedRun {
  readonly name: string;
  readonly policy: string;
  readonly purpose: string;
  readonly attempts: readonly RecordedAttempt[];
  /** Excluded attempts, by reason. */
  readonly infraErrors: number;
  readonly cut: number;
  readonly unjudged: number;
  /** Tasks with excluded attempts only. */
  readonly lostTasks: readonly string[];
}

/**
 * Selects a run among recorded attempts. Copies of an episode, from several lakes, count once.
 * @throws GyreError `bad_input` if none match, or if they are of several policies, purposes or step budgets
 */
export function selectRun(name: string, recorded: readonly RecordedAttempt[], filter: RunFilter = {}): RecordedRun {
  const { policy, split, budget, families } = filter;
  const episodes = new Map(recorded.map((attempt) => [attempt.episode, attempt]));
  const matches = [...episodes.values()].filter(
    (attempt) =>
      (policy === undefined || attempt.policy === policy) &&
      (split === undefined || attempt.split === split) &&
      (budget === undefined || attempt.stepBudget === budget) &&
      (families === undefined || families.some((pattern) => matchesFamily(pattern, attempt.family))),
  );
  const [first] = matches;
  if (!first) throw noMatch(name, recorded);
  expectOne(name, matches, 'policy', (attempt) => attempt.policy);
  expectOne(name, matches, 'purpose', (attempt) => attempt.purpose);
  expectOneBudget(name, matches);
  return runOf(name, matches);
}

/** Makes a run of attempts, of which there is at least one. Of several policies or purposes, it has those of the first. */
export function runOf(name: string, matches: readonly RecordedAttempt[]): RecordedRun {
  const { policy, purpose } = matches[0]!;
  const attempts = matches.filter(({ success }) => success !== undefined);
  const judgedTasks = new Set(attempts.map(({ task }) => task));
  const excluded = matches.filter(({ success }) => success === undefined);
  const count = (state: RecordedAttempt['state']) => excluded.filter((attempt) => attempt.state === state).length;
  const [infraErrors, cut] = [count('infra_error'), count('cut')];
  return {
    ...{ name, policy, purpose, attempts, infraErrors, cut },
    unjudged: excluded.length - infraErrors - cut,
    lostTasks: [...new Set(excluded.map(({ task }) => task))].filter((task) => !judgedTasks.has(task)),
  };
}

function matchesFamily(pattern: string, family: string): boolean {
  return pattern.endsWith('*') ? family.startsWith(pattern.slice(0, -1)) : family === pattern;
}

function noMatch(name: string, recorded: readonly RecordedAttempt[]): GyreError {
  const choices = distinct(
    recorded.map(({ policy, purpose, split }) => `${name}:policy=${policy}:purpose=${purpose}:split=${split}`),
  );
  return new GyreError('bad_input', `no evaluation in ${name} matches`, {
    field: 'run',
    fix:
      choices.length === 0
        ? 'name a directory that `gyre eval` or a training run has written, or another :purpose='
        : `choose one of ${choices.join(', ')}, and families that it played`,
  });
}

function expectOne(
  name: string,
  attempts: readonly RecordedAttempt[],
  key: 'policy' | 'purpose',
  valueOf: (attempt: RecordedAttempt) => string,
): void {
  const values = distinct(attempts.map(valueOf));
  if (values.length === 1) return;
  throw new GyreError('bad_input', `${name} has evaluations of several ${key === 'policy' ? 'policies' : 'purposes'}`, {
    field: 'run',
    fix: `choose one of ${values.map((value) => `${name}:${key}=${value}`).join(', ')}`,
  });
}

function expectOneBudget(name: string, attempts: readonly RecordedAttempt[]): void {
  const budgets = new Map<string, number>();
  for (const { task, stepBudget } of attempts) {
    const known = budgets.get(task) ?? stepBudget;
    budgets.set(task, known);
    if (known === stepBudget) continue;
    throw new GyreError(
      'bad_input',
      `${name} has attempts at ${task} with step budgets of ${known} and ${stepBudget}`,
      {
        field: 'run',
        fix: `choose one, such as ${name}:budget=${stepBudget}`,
      },
    );
  }
}

const distinct = (values: readonly string[]) => [...new Set(values)].sort();
