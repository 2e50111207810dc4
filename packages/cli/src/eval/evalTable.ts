import type { EpisodeCounts, GivenUp } from '@gyre/agent';
import { type SkippedFamilies, type Rate, type RolloutResult, sumOfRates } from '@gyre/training';
import { points } from './baselinePage.js';
import { share } from '../terminal/resultTable.js';

export interface EvalResult extends RolloutResult {
  normalised?: number;
}

/** Returns header and rows. */
export function evalTable(results: readonly EvalResult[]): [header: string[], rows: string[][]] {
  const games = results.some(({ gameScore }) => gameScore !== undefined);
  const compared = results.some(({ normalised }) => normalised !== undefined);
  const header = [
    ...['family', 'split', 'policy', 'episodes', 'success', 'score'],
    ...(games ? ['game score'] : []),
    ...(compared ? ['normalised'] : []),
    'given up',
    'infra errors',
  ];
  const rows = results.map((result) => [
    result.family,
    result.split,
    result.policy,
    String(result.n),
    share(result),
    result.score.toFixed(3),
    ...(games ? [points(result.gameScore)] : []),
    ...(compared ? [result.normalised?.toFixed(3) ?? ''] : []),
    String(result.givenUp),
    String(result.infraErrors),
  ]);
  return [header, results.length > 1 ? [...rows, meanRow(results, games, compared)] : rows];
}

/** Families have equal weight. Game scores have no mean. */
function meanRow(results: readonly EvalResult[], games: boolean, compared: boolean): string[] {
  const [{ split, policy }] = results as [EvalResult];
  const sum = (of: (result: EvalResult) => number) => results.reduce((total, result) => total + of(result), 0);
  const normalised = results.flatMap((result) => result.normalised ?? []);
  const mean = normalised.reduce((total, value) => total + value, 0) / normalised.length;
  return [
    `mean of ${results.length}`,
    split,
    policy,
    String(sum(({ n }) => n)),
    `${((100 * sum(({ success }) => success)) / results.length).toFixed(1)} %`,
    (sum(({ score }) => score) / results.length).toFixed(3),
    ...(games ? [''] : []),
    ...(compared ? [mean.toFixed(3)] : []),
    String(sum(({ givenUp }) => givenUp)),
    String(sum(({ infraErrors }) => infraErrors)),
  ];
}

/** Says how often the agent declared a task done that was not, and changed what it should not have. */
export function endingLines(results: readonly RolloutResult[]): string[] {
  const line = (event: string, rates: readonly Rate[]): string[] => {
    const { count, n, share, low, high } = sumOfRates(rates);
    const percent = (value: number) => (100 * value).toFixed(1);
    if (n === 0) return [];
    return [`${event}: ${percent(share)} % [${percent(low)}, ${percent(high)}], ${count} of ${n} episodes`];
  };
  return [
    ...line(
      'false completes',
      results.map(({ falseCompletes }) => falseCompletes),
    ),
    ...line(
      'side effects',
      results.flatMap(({ sideEffects }) => sideEffects ?? []),
    ),
  ];
}

export function agentFaultLines({ agentFaults }: Pick<EpisodeCounts, 'agentFaults'>): string[] {
  if (agentFaults === 0) return [];
  const episodes = agentFaults === 1 ? '1 episode' : `${agentFaults} episodes`;
  return [`${episodes} failed because the agent's own actions broke the page or the machine`];
}

export function givenUpLines(givenUp: readonly GivenUp[]): string[] {
  const maxNamed = 20;
  const lines = givenUp
    .slice(0, maxNamed)
    .map(({ task, message }) => `given up, counted as failed: ${task.id}: ${message}`);
  const rest = givenUp.length - lines.length;
  return rest > 0 ? [...lines, `given up, counted as failed: ${rest} more`] : lines;
}

export function leftOutLines(leftOut: readonly SkippedFamilies[]): string[] {
  return leftOut.map(({ families, reason }) => {
    const named = families.slice(0, 3).join(', ');
    return `skipped, ${reason}: ${named}${families.length > 3 ? ` and ${families.length - 3} more` : ''}`;
  });
}
