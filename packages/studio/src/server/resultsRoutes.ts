import { GyreError } from '@gyre/protocol';
import type { ServerAccess } from '@gyre/sandbox';
import { suites } from '@gyre/tasks';
import {
  attemptedTasks,
  comparableAttempts,
  compareRuns,
  humanPolicy,
  type RecordedAttempt,
  runOf,
  type TrainedTasks,
  trainedTasks,
} from '@gyre/training';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { checked } from './requests.js';
import type { CompareAnswer, FlippedTask, ResultCell, ResultColumn, ResultsAnswer } from './resultsWire.js';
import type { RunFolders } from './runFolders.js';

/** A result without episodes, as `gyre eval --record` writes it. */
export interface RecordedBaseline {
  readonly family: string;
  readonly split: string;
  readonly policy: string;
  readonly n: number;
  readonly success: number;
  readonly low: number;
  readonly high: number;
}

const Split = z.enum(['test', 'dev']).default('test');
const ResultsQuery = z.strictObject({ split: Split });
const CompareQuery = z.strictObject({ split: Split, before: z.string().min(1), after: z.string().min(1) });

/** One policy is the same in every run. */
const scripts: ReadonlySet<string> = new Set(['random', 'oracle']);
const listedFlips = 50;

interface RunAttempt extends RecordedAttempt {
  readonly run: string;
}

/** Adds routes that compare the evaluations of all runs. */
export function resultsRoutes(
  app: FastifyInstance,
  {
    access,
    runs,
    baselines,
  }: { readonly access: ServerAccess; readonly runs: RunFolders; readonly baselines: readonly RecordedBaseline[] },
): void {
  const onRequest = access.may('watch');
  app.get('/api/results', { onRequest }, async ({ query }): Promise<ResultsAnswer> => {
    const { split } = checked(ResultsQuery, query);
    const columns = [...(await columnsOf(runs, split))].map(([id, attempts]) => columnOf(id, attempts));
    const families = new Set(columns.flatMap(({ cells }) => Object.keys(cells)));
    const known = baselines.filter((entry) => entry.split === split && families.has(entry.family));
    const recorded = [...new Set(known.map(({ policy }) => policy))].map((policy) => recordedColumn(policy, known));
    return { split, columns: [...columns, ...recorded], suites: suitesOf(families) };
  });
  app.get('/api/results/compare', { onRequest }, async ({ query }): Promise<CompareAnswer> => {
    const { split, before, after } = checked(CompareQuery, query);
    const columns = await columnsOf(runs, split);
    const [first, second] = [chosen(columns, 'before', before), chosen(columns, 'after', after)];
    const trained = await trainedBy(runs, [...first, ...second]);
    const { flips, unpaired, ...comparison } = compareRuns(runOf(before, first), runOf(after, second), trained);
    const { overall, families, novelty, otherBudgets, solvedWithin } = comparison;
    const runOfEpisode = new Map([...first, ...second].map(({ episode, run }) => [episode, run]));
    const placed = (episode: string) => ({ episode, run: runOfEpisode.get(episode) ?? '' });
    const listed = (each: typeof flips.gained): FlippedTask[] =>
      each
        .slice(0, listedFlips)
        .map((flip) => ({ task: flip.task, before: placed(flip.before), after: placed(flip.after) }));
    const { onlyBefore, onlyAfter, changed } = unpaired;
    return {
      ...{ overall, families, otherBudgets, solvedWithin, ...(novelty && { novelty }) },
      ...{ gained: listed(flips.gained), lost: listed(flips.lost) },
      flips: { gained: flips.gained.length, lost: flips.lost.length },
      unpaired: { onlyBefore: onlyBefore.length, onlyAfter: onlyAfter.length, changed: changed.length },
    };
  });
}

/** Returns the attempts by column, those of people last. Copies of an episode in several lakes count once. */
async function columnsOf(runs: RunFolders, split: 'test' | 'dev'): Promise<Map<string, RunAttempt[]>> {
  const seen = new Set<string>();
  const columns = new Map<string, RunAttempt[]>();
  for (const run of await runs.names()) {
    const { lake } = await runs.open(run);
    for (const attempt of await comparableAttempts(lake)) {
      if (attempt.split !== split || seen.has(attempt.episode)) continue;
      seen.add(attempt.episode);
      const { policy, purpose } = attempt;
      const id = isJoined(policy) ? policy : [run, policy, purpose].join(' · ');
      const column = columns.get(id);
      if (column) column.push({ ...attempt, run });
      else columns.set(id, [{ ...attempt, run }]);
    }
  }
  const rank = (id: string): number => (scripts.has(id) ? 0 : id.startsWith(humanPolicy) ? 2 : 1);
  return new Map([...columns].sort(([a], [b]) => rank(a) - rank(b)));
}

/** Reads which tasks the runs of these attempts have trained on; undefined if none. */
async function trainedBy(runs: RunFolders, attempts: readonly RunAttempt[]): Promise<TrainedTasks | undefined> {
  const names = new Set(attempts.filter(({ policy }) => !isJoined(policy)).map(({ run }) => run));
  const trained = new Map<string, ReadonlySet<string>>();
  for (const name of names) {
    for (const [family, tasks] of await trainedTasks((await runs.open(name)).lake))
      trained.set(family, new Set([...(trained.get(family) ?? []), ...tasks]));
  }
  return trained.size > 0 ? trained : undefined;
}

const isJoined = (policy: string): boolean => scripts.has(policy) || policy.startsWith(humanPolicy);

function columnOf(id: string, recorded: readonly RunAttempt[]): ResultColumn {
  const { run, policy, purpose } = recorded[0]!;
  const { attempts, infraErrors, cut, unjudged } = runOf(id, recorded);
  const cells: Record<string, ResultCell> = {};
  for (const family of new Set(attempts.map((attempt) => attempt.family)))
    cells[family] = attemptedTasks(attempts.filter((attempt) => attempt.family === family));
  const kind = scripts.has(policy) ? 'script' : policy.startsWith(humanPolicy) ? 'human' : 'policy';
  const { tasks, passAt, solvedWithin } = attemptedTasks(attempts);
  return {
    ...{ id, policy, ...(!isJoined(policy) && { run, purpose }), kind, cells, infraErrors, cut, unjudged },
    overall: { tasks, passAt, solvedWithin },
  };
}

function recordedColumn(policy: string, known: readonly RecordedBaseline[]): ResultColumn {
  const cells = known
    .filter((entry) => entry.policy === policy)
    .map(({ family, n, success, low, high }) => [family, { success, low, high, tasks: n }] as const);
  const id = `recorded ${policy}`;
  return { id, policy, kind: 'recorded', cells: Object.fromEntries(cells), infraErrors: 0, cut: 0, unjudged: 0 };
}

function suitesOf(families: ReadonlySet<string>): ResultsAnswer['suites'] {
  const known = Object.entries(suites()).map(([name, suite]) => ({
    name,
    families: Object.keys(suite).filter((family) => families.has(family)),
  }));
  const placed = new Set(known.flatMap(({ families: each }) => each));
  const others = [...families].filter((family) => !placed.has(family)).sort();
  return [...known, { name: 'other', families: others }].filter((suite) => suite.families.length > 0);
}

function chosen(columns: ReadonlyMap<string, RunAttempt[]>, field: string, id: string): RunAttempt[] {
  const attempts = columns.get(id);
  if (attempts) return attempts;
  throw new GyreError('bad_input', `no evaluation is named ${id}`, {
    field,
    fix: 'choose the id of a column of GET /api/results that has episodes',
  });
}
