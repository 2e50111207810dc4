import { useQuery } from '@tanstack/react-query';
import { useMatches } from '@tanstack/react-router';
import { type PageCommand, pageCommands, type Place } from '../../src/pageCommands.js';
import type { RunEntry } from '../../src/server/wire.js';
import { api } from '../api.js';
import { episodeSearch } from '../episodes/episodeSearch.js';
import { textIn, turnIn } from '../parts/search.js';

const pages: Readonly<Record<string, Place['page']>> = {
  '/': 'runs',
  '/runs/$run': 'training',
  '/runs/$run/episodes': 'episodes',
  '/runs/$run/episodes/$id': 'episode',
  '/runs/$run/compare': 'compare',
  '/results': 'results',
  '/live': 'live',
  '/live/$run/$id': 'cockpit',
  '/runs/$run/annotate': 'annotate',
  '/runs/$run/review': 'review',
};

/** Returns all runs, for parts that link to them. */
export const useRuns = (): readonly RunEntry[] =>
  useQuery({ queryKey: ['runs'], queryFn: ({ signal }) => api.runs(signal) }).data ?? [];

/** Returns the command lines that do what the shown page does. */
export function usePageCommands(): readonly PageCommand[] {
  const runs = useRuns();
  const match = useMatches().at(-1);
  const page = match && pages[match.routeId.replace(/(.)\/$/, '$1')];
  if (!match || !page) return [];
  const params: { readonly run?: string; readonly id?: string } = match.params;
  const search: Record<string, unknown> = { ...match.search };
  const { sort: _, order: _order, offset: _offset, ...filter } = episodeSearch(search);
  return pageCommands({
    page,
    directory: runs.find(({ name }) => name === params.run)?.directory,
    episode: params.id ?? textIn(search.a),
    ...turnIn(search.turn),
    filter,
    evaluations: evaluationsOf(search, runs),
  });
}

function evaluationsOf(search: Readonly<Record<string, unknown>>, runs: readonly RunEntry[]): Place['evaluations'] {
  const split = textIn(search.split) || 'test';
  const [before, after] = [search.before, search.after].map((id) => evaluationOf(textIn(id), split, runs));
  return before !== undefined && after !== undefined ? [before, after] : undefined;
}

/** Returns a column of the results as `gyre compare` names it; undefined if it cannot. */
function evaluationOf(id: string, split: string, runs: readonly RunEntry[]): string | undefined {
  const [first = '', policy, purpose] = id.split(' · ');
  const chosen = policy === undefined ? runs : runs.filter(({ name }) => name === first);
  const values = [policy ?? first, purpose ?? '', ...chosen.map(({ directory }) => directory)];
  if (id === '' || chosen.length === 0 || values.some((value) => value.includes(':'))) return undefined;
  const directories = chosen.map(({ directory }) => directory).join(',');
  return `${directories}:policy=${policy ?? first}${purpose === undefined ? '' : `:purpose=${purpose}`}:split=${split}`;
}
