import { familyWeights, type Gain, gainOf, type Result, wilson } from '@gyre/training';
import type { CyclePoint, RunSummary, SuccessPoint, TrainingAnswer } from '../server/trainingWire.js';
import type { Measured, RunJournal } from './runJournal.js';
import { linksOf } from './routeLinks.js';
import type { UpdatePoint } from './updateLine.js';

type Interval = Pick<Result, 'success' | 'low' | 'high'>;

/** The table of the report, as far as the run has come. */
export function familiesOf(journal: RunJournal): Pick<TrainingAnswer, 'families' | 'gain'> {
  const { baselines, measured, seed = 1 } = journal;
  const [start, trained] = [measured.get('start'), measured.get('trained')];
  const [before, after] = [start && attemptsOf(start), trained && attemptsOf(trained)];
  const resultIn = (results: Measured['results'] | undefined, family: string) =>
    results?.find((result) => result.family === family);
  const interval = (result: (Interval & { family: string }) | undefined) =>
    result && { success: result.success, low: result.low, high: result.high };
  const gain = (family: string | readonly string[]): Gain | undefined =>
    before && after && gainOf(family, before, after, seed);
  const families = journal.families.flatMap((family) => {
    const cellOf = (results: Measured['results'] | undefined) => interval(resultIn(results, family));
    const [first, last] = [resultIn(start?.results, family), resultIn(trained?.results, family)];
    const cells = {
      ...optional('random', cellOf(baselines?.random)),
      ...optional('start', cellOf(start?.results)),
      ...optional('trained', cellOf(trained?.results)),
      ...optional('oracle', cellOf(baselines?.oracle)),
      ...optional('gain', first && last && gain(family)),
    };
    if (Object.keys(cells).length === 0) return [];
    const played = resultIn(baselines?.random, family)?.n ?? 0;
    return [{ family, n: first?.n ?? 0, baselines: played, ...cells }];
  });
  return { families, ...optional('gain', gain(journal.families)) };
}

/** The cycles of a flywheel; empty for other runs. */
export function cyclesOf(journal: RunJournal): CyclePoint[] {
  const cycles = [...new Set([...journal.routed.keys(), ...journal.cycleMinutes.keys()])].sort((a, b) => a - b);
  if (journal.routed.size === 0) return [];
  return cycles.flatMap((cycle): CyclePoint[] => {
    const routed = journal.routed.get(cycle);
    const dev = journal.measured.get(`cycle ${cycle}`);
    if (!routed && !dev) return [];
    return [
      {
        cycle,
        links: routed ? linksOf(cycle, routed.flows) : [],
        leftOut: routed?.leftOut ?? {},
        ...optional('pools', routed?.pools),
        weights: familyWeights(journal.families, journal.routed.get(cycle - 1)?.tallies ?? {}),
        dev: (dev?.results ?? []).map(({ family, n, success, low, high }) => ({ family, n, success, low, high })),
        ...optional('devPurpose', dev?.purpose),
        minutes: journal.cycleMinutes.get(cycle) ?? 0,
      },
    ];
  });
}

/** Success in short: the dev split of each cycle, or rollouts where there is none. */
export function summaryOf(
  journal: RunJournal | undefined,
  updates: readonly UpdatePoint[],
): Pick<RunSummary, 'headline' | 'spark'> {
  const dev = [...(journal?.measured ?? [])].filter(([name]) => name.startsWith('cycle ')).map(([, each]) => each);
  const test = [journal?.measured.get('start'), journal?.measured.get('trained')] as const;
  const spark: RunSummary['spark'] =
    dev.length > 0
      ? { measured: 'dev split', points: dev.map(({ results }) => meanOf(results)) }
      : { measured: 'training', points: updates.flatMap(trainingPoint) };
  if (test[0] && test[1]) {
    const [before, after] = [meanOf(test[0].results), meanOf(test[1].results)];
    return { headline: { before: before.success, after: after.success, measured: 'test split' }, spark };
  }
  const [first, last] = [spark.points[0], spark.points.at(-1)];
  if (!first || !last || spark.points.length < 2) return { spark };
  return { headline: { before: first.success, after: last.success, measured: spark.measured }, spark };
}

/** Families weigh alike. The interval is Wald's over the tasks of all of them, as in the report. */
function meanOf(results: readonly SuccessPoint[]): SuccessPoint {
  const n = results.reduce((sum, result) => sum + result.n, 0);
  if (results.length === 0) return { success: 0, low: 0, high: 1, n };
  const success = results.reduce((sum, result) => sum + result.success, 0) / results.length;
  const variance = results.reduce((sum, each) => sum + (each.success * (1 - each.success)) / Math.max(1, each.n), 0);
  // Unknown where the number of tasks is.
  const reach = results.some((each) => each.n === 0) ? 0 : (1.96 * Math.sqrt(variance)) / results.length;
  return { success, low: Math.max(0, success - reach), high: Math.min(1, success + reach), n };
}

function trainingPoint({ success = {}, played }: UpdatePoint): SuccessPoint[] {
  const results = Object.entries(success).flatMap(([family, share]): SuccessPoint[] => {
    const n = played?.[family] ?? 0;
    if (share === null) return [];
    return [n > 0 ? { ...wilson(Math.round(share * n), n), n } : { success: share, low: share, high: share, n }];
  });
  return results.length === 0 ? [] : [meanOf(results)];
}

const attemptsOf = ({ episodes, givenUp = [] }: Measured) => [...episodes, ...givenUp];

function optional<Name extends string, T>(name: Name, value: T | undefined): Partial<Record<Name, T>> {
  return value === undefined ? {} : ({ [name]: value } as Record<Name, T>);
}
