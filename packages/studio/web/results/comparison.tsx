import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { percent, signed } from '../../src/report/percent.js';
import { comparedPanel } from '../../src/results/resultCurves.js';
import { columnName } from '../../src/results/resultTables.js';
import type { CompareAnswer, FlippedTask, ResultColumn } from '../../src/server/resultsWire.js';
import { Problem } from '../parts/frame.js';
import { Plot } from '../training/plot.js';
import { readComparison } from './resultsApi.js';
import type { ResultsSearch } from './resultsSearch.js';

interface ComparisonProps {
  readonly columns: readonly ResultColumn[];
  readonly split: string;
  readonly search: ResultsSearch;
  readonly change: (changed: ResultsSearch) => void;
}

/** Two columns on the tasks that both attempted, as `gyre compare` does. */
export function Comparison({ columns, split, search, change }: ComparisonProps) {
  const played = columns.filter(({ kind }) => kind !== 'recorded');
  const has = (id: string | undefined): boolean => played.some((column) => column.id === id);
  const { before, after } = search;
  const both = before !== undefined && after !== undefined && before !== after && has(before) && has(after);
  const { data, error } = useQuery({
    queryKey: ['results', split, before, after],
    queryFn: ({ signal }) => readComparison({ split, before: before!, after: after! }, signal),
    enabled: both,
  });
  if (played.length < 2) return null;
  return (
    <section aria-labelledby="compare">
      <h2 id="compare">Compare two</h2>
      <p className="results-controls">
        {(['before', 'after'] as const).map((side) => (
          <label key={side}>
            {side}{' '}
            <select
              value={search[side] ?? ''}
              onChange={(event) => change({ [side]: event.target.value || undefined })}
            >
              <option value="">choose</option>
              {played.map((column) => (
                <option key={column.id} value={column.id}>
                  {columnName(column)}
                </option>
              ))}
            </select>
          </label>
        ))}
      </p>
      {both && error && <Problem error={error} />}
      {both && data && <Differences {...data} />}
    </section>
  );
}

function Differences(answer: CompareAnswer) {
  const { overall, families, novelty, unpaired, flips, gained, lost, otherBudgets, solvedWithin } = answer;
  const everyTask = { name: 'all tasks', ...overall };
  const rows = families.length > 1 ? [...families, everyTask] : families;
  const omissions = [
    [unpaired.onlyBefore, 'are only in the first'],
    [unpaired.onlyAfter, 'are only in the second'],
    [unpaired.changed, 'have another instruction or screen'],
  ] as const;
  const notes = omissions.filter(([n]) => n > 0).map(([n, what]) => `${n} tasks ${what}`);
  return (
    <>
      <DifferenceTable label="Paired differences" first="family" rows={rows}>
        Paired by task: difference with its 95 % interval (Newcombe), exact p (McNemar, or sign flips by task), and p by
        Holm over the rows. Significant rows are bold.
      </DifferenceTable>
      {novelty && (
        <DifferenceTable label="By how new the tasks are" first="tasks are" rows={novelty}>
          By what these runs trained on: a template is a family of tasks such as <code>mail.star</code>, a new family
          shares nothing with them.
        </DifferenceTable>
      )}
      {solvedWithin.length > 1 && (
        <div className="panels">
          <Plot panel={comparedPanel(answer)} xTitle="turns" along="points" />
        </div>
      )}
      {(notes.length > 0 || otherBudgets.length > 0) && (
        <p className="fine">
          Not compared: {notes.length > 0 ? notes.join(', ') : 'none'}.
          {otherBudgets.length > 0 && ` ${otherBudgets.length} compared tasks have another step budget.`}
        </p>
      )}
      <Flips title={`${flips.gained} gained`} flips={gained} />
      <Flips title={`${flips.lost} lost`} flips={lost} />
    </>
  );
}

interface DifferencesProps {
  readonly label: string;
  /** Heads the names. */
  readonly first: string;
  readonly rows: readonly (Omit<CompareAnswer['families'][number], 'adjusted'> & { readonly adjusted?: number })[];
  readonly children: ReactNode;
}

function DifferenceTable({ label, first, rows, children }: DifferencesProps) {
  return (
    <div className="matrix" tabIndex={0} role="region" aria-label={label}>
      <table>
        <caption>{children}</caption>
        <thead>
          <tr>
            {[first, 'tasks', 'before', 'after', 'difference', 'p', 'p (Holm)'].map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, tasks, before, after, difference, p, adjusted }) => (
            <tr key={name} className={(adjusted ?? p) < 0.05 ? 'significant' : ''}>
              <th scope="row">{name}</th>
              <td>{tasks}</td>
              <td>{percent(before.success)} %</td>
              <td>{percent(after.success)} %</td>
              <td>{signed(difference)}</td>
              <td>{probability(p)}</td>
              <td>{adjusted === undefined ? '' : probability(adjusted)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Flips({ title, flips }: { readonly title: string; readonly flips: readonly FlippedTask[] }) {
  if (flips.length === 0) return null;
  return (
    <details>
      <summary>{title}</summary>
      <ul className="flips">
        {flips.map(({ task, before, after }) => (
          <li key={`${before.episode} ${after.episode}`}>
            {task}{' '}
            {[before, after].map(({ run, episode }, i) => (
              <Link key={i} to="/runs/$run/episodes/$id" params={{ run, id: episode }} search={{}}>
                {i === 0 ? 'before' : 'after'}
              </Link>
            ))}
            {before.run === after.run && (
              <Link
                to="/runs/$run/compare"
                params={{ run: before.run }}
                search={{ a: before.episode, b: after.episode }}
              >
                A|B
              </Link>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}

const probability = (p: number): string => (p < 1e-4 ? '< 0.0001' : p.toFixed(4));
