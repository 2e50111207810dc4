import type { BaselineEntry } from './baselineEntry.js';
import { share } from '../terminal/resultTable.js';
import { markdownTable, markdownText } from '../terminal/table.js';

const title = `# Baselines

Held-out tasks solved by random actions and by the scripted solutions, which are the reference: shares with their 95 %
intervals (Wilson), mean scores of the verifiers (0..1), and for games the mean of their own points. A
normalised score is (score − random) / (reference − random), of games by their own points; \`gyre eval\` prints it for other policies.
Written by \`gyre eval --policy random|oracle --record docs/research/baselines.json\`.`;

export function baselinePage(entries: readonly BaselineEntry[]): string {
  const suites = [...new Set(entries.map(({ suite }) => suite))];
  return (
    [
      title,
      ...suites.map((suite) =>
        section(
          suite,
          entries.filter((entry) => entry.suite === suite),
        ),
      ),
    ].join('\n\n') + '\n'
  );
}

function section(suite: string, entries: readonly BaselineEntry[]): string {
  const games = entries.some(({ gameScore }) => gameScore !== undefined);
  const rows = new Map(entries.map((entry) => [nameOf(entry), entry]));
  const header = (who: string) => [`${who}: n`, 'solved', 'score', ...(games ? ['game score'] : [])];
  const cells = (name: string, policy: BaselineEntry['policy']) => {
    const entry = entries.find((one) => nameOf(one) === name && one.policy === policy);
    const entryCells = entry
      ? [String(entry.n), share(entry), entry.score.toFixed(3), points(entry.gameScore)]
      : ['', '', '', ''];
    return games ? entryCells : entryCells.slice(0, 3);
  };
  const days = (policy: BaselineEntry['policy']) => {
    const dates = new Set(entries.filter((entry) => entry.policy === policy).map(({ date }) => date));
    return [...dates].sort().join(', ') || 'not yet';
  };
  const table = markdownTable(
    ['family', ...header('random'), ...header('reference')],
    [...rows.keys()].map((name) => [name, ...cells(name, 'random'), ...cells(name, 'oracle')]),
  );
  return [
    `## ${markdownText(suite)}`,
    `Played: random ${days('random')}, reference ${days('oracle')}.`,
    table.join('\n'),
  ].join('\n\n');
}

const nameOf = ({ family, split }: BaselineEntry) => (split === 'test' ? family : `${family} (${split})`);

export function points(gameScore: number | undefined): string {
  return gameScore === undefined ? '' : gameScore.toFixed(Math.abs(gameScore) >= 100 ? 0 : 1);
}
