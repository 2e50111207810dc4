import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type SubmitEvent, useRef, useState } from 'react';
import type { Episode } from '@gyre/protocol';
import type { EpisodeQuery, EpisodeRow, Facets, SqlAnswer } from '../../src/server/wire.js';
import { api } from '../api.js';
import { Badge, Problem } from '../parts/frame.js';
import { Screenshot } from '../parts/screenshot.js';
import { useKeys } from '../parts/useKeys.js';
import { BoundChips, boundsIn } from './bounds.js';
import { type EpisodeSearch, facetNames, type Sort } from './episodeSearch.js';
import './episodes.css';

const pageSize = 500;
const route = getRouteApi('/runs/$run/episodes');

/** The table of a run's episodes. */
export function EpisodesPage() {
  const { run } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const change = (changed: EpisodeSearch): void =>
    void navigate({ to: '/runs/$run/episodes', params: { run }, search: { ...search, offset: undefined, ...changed } });
  const query: Partial<EpisodeQuery> = { ...search, limit: pageSize };
  const episodes = useQuery({
    queryKey: ['episodes', run, query],
    queryFn: ({ signal }) => api.episodes(run, query, signal),
    placeholderData: keepPreviousData,
  });
  const running = useQuery({
    queryKey: ['running', run],
    queryFn: ({ signal }) => api.running(run, signal),
  });
  const facets = useQuery({
    queryKey: ['facets', run],
    queryFn: ({ signal }) => api.facets(run, signal),
    // A lake answers one query at a time: first the rows.
    enabled: episodes.isFetched,
  });
  const damage = useQuery({
    queryKey: ['damage', run, episodes.dataUpdatedAt],
    queryFn: ({ signal }) => api.damage(run, signal),
  });
  useTableKeys();
  const error = episodes.error ?? facets.error;
  if (error) return <Problem error={error} />;
  const { total = 0, rows = [] } = episodes.data ?? {};
  const bounds = boundsIn({ ...search });
  const isFiltered =
    facetNames.some((name) => search[name]) || search.text !== undefined || Object.keys(bounds).length > 0;
  const listed = isFiltered || search.offset !== undefined ? rows : [...(running.data ?? []), ...rows];
  return (
    <>
      <h1>Episodes of {run}</h1>
      {damage.data && damage.data.length > 0 && (
        <p className="warning" role="status">
          {damage.data.length} damaged {damage.data.length === 1 ? 'file is' : 'files are'} left out: {damage.data[0]}
        </p>
      )}
      <div className="browse">
        <Filters facets={facets.data} search={search} change={change} />
        <section aria-label="Table of episodes">
          <p className="count">
            {total.toLocaleString('en')} {isFiltered ? 'match' : 'ended'}
            {running.data && running.data.length > 0 && <Badge kind="live">{running.data.length} playing</Badge>}
            <BoundChips bounds={bounds} lift={change} />
            {total > pageSize && (
              <span className="pages">
                <button disabled={!search.offset} onClick={() => change({ offset: (search.offset ?? 0) - pageSize })}>
                  Previous {pageSize}
                </button>
                <button
                  disabled={(search.offset ?? 0) + pageSize >= total}
                  onClick={() => change({ offset: (search.offset ?? 0) + pageSize })}
                >
                  Next {pageSize}
                </button>
              </span>
            )}
          </p>
          <EpisodeTable run={run} rows={listed} search={search} change={change} />
          <SqlBox run={run} />
        </section>
      </div>
    </>
  );
}

/** Moves the focus between rows, and to the filter. */
function useTableKeys(): void {
  const move = (by: number): void => {
    const links = [...document.querySelectorAll<HTMLElement>('.table .body a')];
    const current = links.findIndex((link) => link === document.activeElement);
    links[Math.max(0, Math.min(links.length - 1, current + by))]?.focus();
  };
  const keys = {
    j: () => move(1),
    k: () => move(-1),
    '/': () => document.querySelector<HTMLElement>('.filters input[type=search]')?.focus(),
  };
  useKeys(keys, { j: 'next row', k: 'previous row', '/': 'filter' });
}

interface ChangeProps {
  readonly search: EpisodeSearch;
  readonly change: (changed: EpisodeSearch) => void;
}

function Filters({ facets, search, change }: ChangeProps & { readonly facets: Facets | undefined }) {
  const [text, setText] = useState(search.text ?? '');
  const find = (event: SubmitEvent): void => {
    event.preventDefault();
    change({ text: text === '' ? undefined : text });
  };
  return (
    <aside className="filters" aria-label="Filters">
      <form onSubmit={find} role="search">
        <label>
          Instruction or id
          <input type="search" value={text} onChange={(event) => setText(event.target.value)} />
        </label>
      </form>
      {facetNames.map((name) => (
        <fieldset key={name}>
          <legend>{name}</legend>
          {facets?.[name].slice(0, 60).map(({ value, count }) => {
            const chosen = search[name] ?? [];
            const isChosen = chosen.includes(value);
            const next = isChosen ? chosen.filter((each) => each !== value) : [...chosen, value];
            return (
              <label key={value}>
                <input
                  type="checkbox"
                  checked={isChosen}
                  onChange={() => change({ [name]: next.length > 0 ? next : undefined })}
                />
                <span>{value}</span>
                <small>{count.toLocaleString('en')}</small>
              </label>
            );
          })}
        </fieldset>
      ))}
    </aside>
  );
}

const columns: readonly { readonly name: string; readonly sort?: Sort; readonly wide?: true }[] = [
  { name: 'screen' },
  { name: 'instruction', sort: 'instruction', wide: true },
  { name: 'family', sort: 'family' },
  { name: 'policy', sort: 'policy' },
  { name: 'purpose' },
  { name: 'turns', sort: 'turn_count' },
  { name: 'outcome', sort: 'score' },
  { name: 'started', sort: 'started_at' },
];

const rowHeight = 56;

function EpisodeTable({
  run,
  rows,
  search,
  change,
}: ChangeProps & { readonly run: string; readonly rows: readonly EpisodeRow[] }) {
  const body = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => body.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const { sort = 'started_at', order = 'descending' } = search;
  return (
    <div className="table" role="table" aria-label="Episodes" aria-rowcount={rows.length + 1}>
      <div role="row" className="row head">
        {columns.map(({ name, sort: by }) => (
          <span role="columnheader" key={name} aria-sort={by === undefined ? undefined : by === sort ? order : 'none'}>
            {by === undefined ? (
              name
            ) : (
              <button
                onClick={() =>
                  change({ sort: by, order: by === sort && order === 'descending' ? 'ascending' : 'descending' })
                }
              >
                {name}
                {by === sort && <i aria-hidden="true">{order === 'descending' ? ' ↓' : ' ↑'}</i>}
              </button>
            )}
          </span>
        ))}
      </div>
      <div className="body" ref={body} tabIndex={-1} role="rowgroup">
        <div role="presentation" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index]!;
            return (
              <div
                role="row"
                className="row"
                key={row.id}
                aria-rowindex={index + 2}
                style={{ transform: `translateY(${start}px)`, position: 'absolute', insetInline: 0, height: rowHeight }}
              >
                <span role="cell">
                  <Screenshot run={run} hash={row.firstScreenshot} width={120} alt="" />
                </span>
                <span role="cell" className="wide">
                  <Link to="/runs/$run/episodes/$id" params={{ run, id: row.id }} search={{}}>
                    {row.instruction === '' ? row.id : row.instruction}
                  </Link>
                </span>
                <span role="cell">{row.family}</span>
                <span role="cell">
                  {row.policy}
                  {row.policyVersion !== null && <small>version {row.policyVersion}</small>}
                </span>
                <span role="cell">
                  {row.purpose}
                  <small>{row.split}</small>
                </span>
                <span role="cell">{row.turns}</span>
                <span role="cell">
                  <Outcome row={row} />
                </span>
                <span role="cell">
                  <time dateTime={row.startedAt}>{timeOf(row.startedAt)}</time>
                  <small>{dateOf(row.startedAt)}</small>
                </span>
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

export function EpisodeOutcome({ episode: { end, verdict } }: { readonly episode: Pick<Episode, 'end' | 'verdict'> }) {
  return <Outcome row={{ state: end.state, success: verdict?.success ?? null, score: verdict?.score ?? null }} />;
}

export function Outcome({
  row: { state, success, score },
}: {
  readonly row: Pick<EpisodeRow, 'state' | 'success' | 'score'>;
}) {
  if (state === 'running') return <Badge kind="live">playing</Badge>;
  if (success === null) return <Badge kind="plain">{state.replaceAll('_', ' ')}</Badge>;
  const partly = score !== null && score > 0 && score < 1 ? `, ${score.toFixed(2)}` : '';
  return <Badge kind={success ? 'good' : 'bad'}>{`${success ? 'solved' : 'failed'}${partly}`}</Badge>;
}

const timeOf = (iso: string): string => new Date(iso).toLocaleTimeString();
const dateOf = (iso: string): string => new Date(iso).toLocaleDateString();

const example = `SELECT family, count(*) AS n, avg(success::INT) AS solved FROM episodes GROUP BY family ORDER BY n DESC`;

function SqlBox({ run }: { readonly run: string }) {
  const [sql, setSql] = useState(example);
  const [answer, setAnswer] = useState<SqlAnswer>();
  const [error, setError] = useState<Error>();
  const ask = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setError(undefined);
    try {
      setAnswer(await api.sql(run, sql));
    } catch (failure) {
      setError(failure as Error);
    }
  };
  return (
    <details className="sql">
      <summary>SQL</summary>
      <form onSubmit={(event) => void ask(event)}>
        <textarea
          aria-label="One SELECT over episodes, turns, screenshots and updates"
          value={sql}
          rows={3}
          spellCheck={false}
          onChange={(event) => setSql(event.target.value)}
        />
        <button>Run</button>
      </form>
      {error && <Problem error={error} />}
      {answer && (
        <div className="answer" tabIndex={0} role="region" aria-label="Rows">
          <table>
            <thead>
              <tr>
                {answer.columns.map(({ name }) => (
                  <th key={name}>{name}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {answer.rows.map((row, i) => (
                <tr key={i}>
                  {row.map((value, j) => (
                    <td key={j}>
                      {answer.columns[j]?.name === 'episode_id' ? (
                        <Link to="/runs/$run/episodes/$id" params={{ run, id: String(value) }} search={{}}>
                          {String(value)}
                        </Link>
                      ) : (
                        textOf(value)
                      )}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
          {answer.more && <p>There are more rows.</p>}
        </div>
      )}
    </details>
  );
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
