import { Link } from '@tanstack/react-router';
import type { UpdatePoint } from '../../src/runs/updateLine.js';
import { rollouts } from '../../src/server/episodeCondition.js';
import type { EpisodeSearch } from '../episodes/episodeSearch.js';

const rows = 200;

/** Finds the rollouts that began between the update before and this one. */
export function episodesOfUpdate(updates: readonly UpdatePoint[], index: number): EpisodeSearch {
  const [before, update] = [updates[index - 1], updates[index]];
  return {
    purpose: [rollouts],
    ...(before && { from: new Date(before.time).toISOString() }),
    ...(update && { to: new Date(update.time).toISOString() }),
  };
}

/** The updates in a table, each of which leads to its episodes. */
export function Updates({ run, updates }: { readonly run: string; readonly updates: readonly UpdatePoint[] }) {
  const newest = updates
    .map((update, index) => ({ update, index }))
    .slice(-rows)
    .reverse();
  return (
    <details className="updates">
      <summary>
        {updates.length} {updates.length === 1 ? 'update' : 'updates'} as a table
        {updates.length > rows && `, the newest ${rows}`}
      </summary>
      <div className="scroll" tabIndex={0} role="region" aria-label="Updates">
        <table>
          <thead>
            <tr>
              {['steps', 'success', 'entropy', 'KL', 'turns', 'infrastructure errors', 'episodes'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {newest.map(({ update, index }) => (
              <tr key={update.environmentSteps}>
                <th scope="row">{update.environmentSteps.toLocaleString('en')}</th>
                <td>
                  {Object.entries(update.success ?? {})
                    .map(([family, share]) => `${family} ${share === null ? '–' : `${Math.round(100 * share)} %`}`)
                    .join(', ')}
                </td>
                <td>{update.entropy?.toFixed(3)}</td>
                <td>{update.kl?.toFixed(4)}</td>
                <td>{update.turns?.toFixed(1)}</td>
                <td>{update.infraErrors}</td>
                <td>
                  <Link to="/runs/$run/episodes" params={{ run }} search={episodesOfUpdate(updates, index)}>
                    {update.episodes ?? 'episodes'}
                  </Link>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
