import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { percent } from '../../src/report/percent.js';
import { columnName, meanOver } from '../../src/results/resultTables.js';
import type { ResultCell, ResultColumn, ResultsAnswer } from '../../src/server/resultsWire.js';
import { Problem } from '../parts/frame.js';
import { Comparison } from './comparison.js';
import { Curves } from './curves.js';
import { Exports } from './exports.js';
import { readResults } from './resultsApi.js';
import type { ResultsSearch } from './resultsSearch.js';
import './results.css';

const route = getRouteApi('/results');

/** Every policy's evaluations, by suite and family. */
export function ResultsPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const { split = 'test' } = search;
  const { data, error } = useQuery({
    queryKey: ['results', split],
    queryFn: ({ signal }) => readResults(split, signal),
  });
  if (error) return <Problem error={error} />;
  const change = (changed: ResultsSearch): void =>
    void navigate({ to: '/results', search: { ...search, ...changed }, replace: true });
  return (
    <>
      <h1>Results</h1>
      <p className="results-controls">
        <label>
          Split{' '}
          <select
            value={split}
            onChange={(event) =>
              change({ split: event.target.value as 'test', before: undefined, after: undefined, family: undefined })
            }
          >
            <option value="test">test, held out</option>
            <option value="dev">dev</option>
          </select>
        </label>
      </p>
      {!data && <p role="status">Reading the evaluations …</p>}
      {data?.columns.length === 0 && (
        <p>
          No task of the {split} split has been evaluated yet. <code>gyre eval --policy random --family click</code>{' '}
          does; <code>gyre flywheel</code> does before and after. People become columns when they play tasks.
        </p>
      )}
      {data && data.columns.length > 0 && (
        <>
          <Matrix {...data} />
          <Curves {...data} family={search.family} change={change} />
          <PassAt {...data} />
          <Exports answer={data} />
          <Comparison columns={data.columns} search={search} split={split} change={change} />
        </>
      )}
    </>
  );
}

function Matrix({ columns, suites }: ResultsAnswer) {
  return (
    <div className="matrix" tabIndex={0} role="region" aria-label="Success by family and policy">
      <table>
        <caption>
          Tasks solved, with 95 % intervals (Wilson, over tasks) and the number of tasks. Means weigh families alike.
        </caption>
        <thead>
          <tr>
            <th scope="col">family</th>
            {columns.map((column) => (
              <th scope="col" key={column.id} className={column.kind}>
                <ColumnHead {...column} />
              </th>
            ))}
          </tr>
        </thead>
        {suites.map(({ name, families }) => (
          <tbody key={name}>
            <tr className="suite">
              <th scope="row">
                {name}
                <small>mean</small>
              </th>
              {columns.map((column) => {
                const mean = meanOver(column, families);
                return (
                  <td key={column.id}>
                    {mean && (
                      <>
                        <b>{percent(mean.success)} %</b>
                        {mean.families < families.length && (
                          <small>
                            of {mean.families} of {families.length} families
                          </small>
                        )}
                      </>
                    )}
                  </td>
                );
              })}
            </tr>
            {families.map((family) => (
              <tr key={family}>
                <th scope="row">{family}</th>
                {columns.map((column) => (
                  <td key={column.id}>
                    <Cell column={column} family={family} cell={column.cells[family]} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

function ColumnHead({ policy, run, purpose, kind, infraErrors, cut, unjudged }: ResultColumn) {
  const excluded = [
    [infraErrors, 'infrastructure errors'],
    [cut, 'cut'],
    [unjudged, 'without a verdict'],
  ] as const;
  const lines = excluded.filter(([n]) => n > 0).map(([n, what]) => `${n} ${what}`);
  return (
    <>
      {policy}
      {run !== undefined && (
        <small>
          {run}, {purpose?.replace(/^eval /, '')}
        </small>
      )}
      {kind === 'recorded' && <small>recorded baseline</small>}
      {lines.length > 0 && <small>left out: {lines.join(', ')}</small>}
    </>
  );
}

interface CellProps {
  readonly column: ResultColumn;
  readonly family: string;
  readonly cell: ResultCell | undefined;
}

function Cell({ column: { run, policy, purpose }, family, cell }: CellProps) {
  if (!cell) return <span className="none">–</span>;
  const { success, low, high, tasks, attempts = tasks } = cell;
  const text = (
    <>
      <b>{percent(success)} %</b>
      <small>
        {percent(low)}–{percent(high)}, n = {tasks}
        {attempts > tasks && ` (${attempts} attempts)`}
      </small>
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect className="track" y="3" width="100" height="2" />
        <rect className="range" x={low * 100} y="1" width={Math.max(1, (high - low) * 100)} height="6" />
        <rect className="mark" x={success * 98} y="0" width="2" height="8" />
      </svg>
    </>
  );
  if (run === undefined) return text;
  return (
    <Link
      to="/runs/$run/episodes"
      params={{ run }}
      search={{ family: [family], policy: [policy], ...(purpose !== undefined && { purpose: [purpose] }) }}
    >
      {text}
    </Link>
  );
}

/** Success with several attempts, where tasks were repeated. */
function PassAt({ columns }: Pick<ResultsAnswer, 'columns'>) {
  const rows = columns.flatMap((column) =>
    Object.entries(column.cells).flatMap(([family, { passAt = [] }]) =>
      passAt.map((each) => ({ ...each, family, name: columnName(column) })),
    ),
  );
  if (rows.length === 0) return null;
  return (
    <details>
      <summary>pass@k of repeated tasks</summary>
      <div className="matrix" tabIndex={0} role="region" aria-label="Success with several attempts">
        <table>
          <caption>pass@k: one of k attempts solves the task. pass^k: all of them do.</caption>
          <thead>
            <tr>
              {['policy', 'family', 'k', 'tasks', 'pass@k', 'pass^k'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, family, k, tasks, any, every }) => (
              <tr key={`${name} ${family} ${k}`}>
                <th scope="row">{name}</th>
                <td>{family}</td>
                <td>{k}</td>
                <td>{tasks}</td>
                {[any, every].map(({ success, low, high }, i) => (
                  <td key={i}>
                    {percent(success)} % <small>{`${percent(low)}–${percent(high)}`}</small>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
