import { GyreError } from '@gyre/protocol';
import { passAtK, passHatK } from '../../metrics/passAt.js';
import { type PairedComparison, type PairedTask, comparePaired, holm } from '../../metrics/paired.js';
import { type Share, mean, wilsonOfMean } from '../../metrics/statistics.js';
import { novelties, noveltyOf } from './novelty.js';
import type { RecordedAttempt, TrainedTasks } from './recordedAttempts.js';
import type { RecordedRun } from './recordedRun.js';

export interface ComparedTasks extends PairedComparison {
  name: string;
  /** `p` by Holm, among the rows of its table. */
  adjusted: number;
}

/** A pair of attempts with different outcomes. */
export interface Flip {
  task: string;
  /** Ids of the episodes. */
  before: string;
  after: string;
}

/** Both intervals are over tasks. */
export interface PassAt {
  k: number;
  /** Tasks with at least `k` attempts. */
  tasks: number;
  /** pass@k: one of `k` attempts succeeds. */
  any: Share;
  /** pass^k: all of them succeed. */
  every: Share;
}

/** Success within a number of turns. */
export interface SolvedShare extends Share {
  turns: number;
}

export interface SolvedWithin {
  turns: number;
  before: Share;
  after: Share;
}

export interface ComparedRun {
  name: string;
  policy: string;
  purpose: string;
  /** Judged. */
  attempts: number;
  tasks: number;
  infraErrors: number;
  cut: number;
  unjudged: number;
  lostTasks: readonly string[];
  /** Compared tasks at which its attempts differ. */
  mixedTasks: number;
  /** Attempts with the task and the sampling seed of an earlier one. */
  repeatedSeeds: number;
  /** Per attempt at compared tasks. */
  meanTurns: number;
  /** Empty with one attempt per task. */
  passAt: PassAt[];
}

export interface Comparison {
  before: ComparedRun;
  after: ComparedRun;
  overall: PairedComparison;
  families: ComparedTasks[];
  /** By how new the tasks are; absent if that is unknown. */
  novelty?: ComparedTasks[];
  flips: { gained: Flip[]; lost: Flip[] };
  /** Tasks that are not compared. */
  unpaired: {
    onlyBefore: string[];
    onlyAfter: string[];
    /** Have another instruction or screen. */
    changed: string[];
  };
  /** Compared tasks whose step budgets differ. */
  otherBudgets: string[];
  solvedWithin: SolvedWithin[];
}

interface PairedAttempts {
  readonly task: string;
  readonly family: string;
  readonly before: readonly RecordedAttempt[];
  readonly after: readonly RecordedAttempt[];
}

/**
 * Compares two runs on the tasks that both have attempted, by id. Each task counts once, whatever its attempts.
 * @throws GyreError `bad_input` if they share no task
 */
export function compareRuns(before: RecordedRun, after: RecordedRun, trained?: TrainedTasks): Comparison {
  const [first, second] = [byTask(before.attempts), byTask(after.attempts)];
  const shared = [...first].flatMap(([task, attempts]): PairedAttempts[] => {
    const matches = second.get(task);
    return matches ? [{ task, family: attempts[0]!.family, before: attempts, after: matches }] : [];
  });
  const pairs = shared.filter((pair) => pair.before[0]!.content === pair.after[0]!.content);
  if (pairs.length === 0) throw nothingShared(before, after, shared.length);
  const groupsBy = (nameOf: (pair: PairedAttempts) => string) =>
    adjusted([...grouped(pairs, nameOf)].map(([name, group]) => ({ name, ...comparePaired(group.map(outcomes)) })));
  const byNovelty = trained && groupsBy((pair) => noveltyOf(pair, trained));
  return {
    before: comparedRun(
      before,
      pairs.map((pair) => pair.before),
    ),
    after: comparedRun(
      after,
      pairs.map((pair) => pair.after),
    ),
    overall: comparePaired(pairs.map(outcomes)),
    families: groupsBy(({ family }) => family),
    ...(byNovelty && {
      novelty: novelties.flatMap((name) => byNovelty.filter((group) => group.name === name)),
    }),
    flips: { gained: flips(pairs, true), lost: flips(pairs, false) },
    unpaired: {
      onlyBefore: [...first.keys()].filter((task) => !second.has(task)),
      onlyAfter: [...second.keys()].filter((task) => !first.has(task)),
      changed: shared.filter((pair) => !pairs.includes(pair)).map(({ task }) => task),
    },
    otherBudgets: pairs
      .filter((pair) => pair.before[0]!.stepBudget !== pair.after[0]!.stepBudget)
      .map(({ task }) => task),
    solvedWithin: solvedWithin(pairs),
  };
}

/** Task 10 follows task 9. */
const byName = new Intl.Collator('en', { numeric: true });

/** Groups attempts by task, sorted: episodes of one run end in any order. */
function byTask(attempts: readonly RecordedAttempt[]): Map<string, RecordedAttempt[]> {
  return new Map([...grouped(attempts, ({ task }) => task)].sort(([a], [b]) => byName.compare(a, b)));
}

/** Groups values by name, in the order of their first ones. */
function grouped<T>(values: readonly T[], nameOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const group = groups.get(nameOf(value));
    if (group) group.push(value);
    else groups.set(nameOf(value), [value]);
  }
  return groups;
}

const isSuccess = ({ success }: RecordedAttempt) => success === true;

const outcomes = ({ before, after }: PairedAttempts): PairedTask => ({
  before: before.map(isSuccess),
  after: after.map(isSuccess),
});

function adjusted(groups: readonly Omit<ComparedTasks, 'adjusted'>[]): ComparedTasks[] {
  const ps = holm(groups.map(({ p }) => p));
  return groups.map((group, i) => ({ ...group, adjusted: ps[i]! }));
}

function nothingShared(before: RecordedRun, after: RecordedRun, changed: number): GyreError {
  const message =
    changed === 0
      ? `${before.name} and ${after.name} have no judged task in common`
      : `the ${changed} tasks that ${before.name} and ${after.name} have in common have other instructions or screens`;
  const taskIn = ({ attempts }: RecordedRun) => attempts[0]?.task ?? 'no judged task';
  return new GyreError('bad_input', message, {
    field: 'run',
    fix: `evaluate both on the same families, split, --from and --size; they have ${taskIn(before)} and ${taskIn(after)}`,
  });
}

/** Pairs a task's attempts in the order of their sampling seeds. */
function flips(pairs: readonly PairedAttempts[], gained: boolean): Flip[] {
  return pairs.flatMap(({ task, before, after }) =>
    before.flatMap((attempt, i): Flip[] => {
      const match = after[i];
      if (!match || isSuccess(attempt) === isSuccess(match) || isSuccess(match) !== gained) return [];
      return [{ task, before: attempt.episode, after: match.episode }];
    }),
  );
}

function comparedRun(run: RecordedRun, tasks: readonly (readonly RecordedAttempt[])[]): ComparedRun {
  const { attempts, ...facts } = run;
  const seeds = new Set(attempts.map(({ task, policySeed }) => `${task} ${policySeed}`));
  return {
    ...facts,
    attempts: attempts.length,
    tasks: byTask(attempts).size,
    mixedTasks: tasks.filter((each) => each.some(isSuccess) && !each.every(isSuccess)).length,
    repeatedSeeds: attempts.length - seeds.size,
    meanTurns: mean(tasks.flat().map(({ turns }) => turns)),
    passAt: passAtOf(tasks.map((each) => ({ n: each.length, c: each.filter(isSuccess).length }))),
  };
}

/** Success over tasks, with pass@k where they were attempted several times. */
export interface AttemptedTasks extends Share {
  tasks: number;
  attempts: number;
  meanTurns: number;
  passAt: PassAt[];
  /** At every number of turns after which an attempt succeeded. */
  solvedWithin: SolvedShare[];
}

/** Sums up judged attempts. Each task counts once, whatever its number of attempts. */
export function attemptedTasks(attempts: readonly RecordedAttempt[]): AttemptedTasks {
  const tasks = [...grouped(attempts, ({ task }) => task).values()];
  const counts = tasks.map((each) => ({ n: each.length, c: each.filter(isSuccess).length }));
  const rates = counts.map(({ n, c }) => c / n);
  return {
    ...wilsonOfMean(rates.length === 0 ? 0 : mean(rates), rates.length),
    ...{ tasks: tasks.length, attempts: attempts.length, meanTurns: mean(attempts.map(({ turns }) => turns)) },
    passAt: passAtOf(counts),
    solvedWithin: solvedAfter(attempts).map((turns) => ({ turns, ...solvedShare(tasks, turns) })),
  };
}

/** For powers of two up to the most attempts. */
function passAtOf(tasks: readonly { n: number; c: number }[]): PassAt[] {
  const maxAttempts = Math.max(...tasks.map(({ n }) => n));
  const rows: PassAt[] = [];
  for (let k = 1; k <= maxAttempts && maxAttempts > 1; k *= 2) {
    const enough = tasks.filter(({ n }) => n >= k);
    const over = (estimate: (n: number, c: number, k: number) => number) =>
      wilsonOfMean(mean(enough.map(({ n, c }) => estimate(n, c, k))), enough.length);
    rows.push({ k, tasks: enough.length, any: over(passAtK), every: over(passHatK) });
  }
  return rows;
}

/** At every number of turns after which an attempt succeeded. */
function solvedWithin(pairs: readonly PairedAttempts[]): SolvedWithin[] {
  const [before, after] = [pairs.map((pair) => pair.before), pairs.map((pair) => pair.after)];
  return solvedAfter([...before, ...after].flat()).map((turns) => ({
    ...{ turns, before: solvedShare(before, turns), after: solvedShare(after, turns) },
  }));
}

const solvedAfter = (attempts: readonly RecordedAttempt[]): number[] =>
  [...new Set(attempts.filter(isSuccess).map(({ turns }) => turns))].sort((a, b) => a - b);

function solvedShare(tasks: readonly (readonly RecordedAttempt[])[], limit: number): Share {
  const isWithin = (attempt: RecordedAttempt) => isSuccess(attempt) && attempt.turns <= limit;
  const rates = tasks.map((attempts) => attempts.filter(isWithin).length / attempts.length);
  return wilsonOfMean(mean(rates), rates.length);
}
