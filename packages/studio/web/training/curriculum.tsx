import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { boundsOf, stretchesOf } from '../../src/runs/stretches.js';
import type { UpdatePoint } from '../../src/runs/updateLine.js';
import type { CyclePoint } from '../../src/server/trainingWire.js';
import { rollouts } from '../../src/server/episodeCondition.js';
import { readDifficulties } from './trainingApi.js';

interface CurriculumProps {
  readonly run: string;
  readonly updates: readonly UpdatePoint[];
  readonly cycles: readonly CyclePoint[];
}

interface Slot {
  readonly played: number;
  readonly solved: number;
}

/** Families by time: how much was played of each, and how much of it was solved. */
export function Curriculum({ run, updates, cycles }: CurriculumProps) {
  const columns = stretchesOf(updates);
  const families = [...new Set(columns.flat().flatMap(({ played = {} }) => Object.keys(played)))];
  if (families.length === 0) return null;
  const cells = families.map((family) => columns.map((column) => slotOf(column, family)));
  const largest = Math.max(1, ...cells.flat().map(({ played }) => played));
  return (
    <section aria-labelledby="curriculum">
      <h2 id="curriculum">Curriculum</h2>
      <p className="fine">
        Rollouts by family along the environment steps. The number is the share solved, and its bar how many were
        played.
        {cycles.length > 0 && ' Weights say how often a family is sampled in a cycle, 1 on average.'}
      </p>
      <div className="scroll" tabIndex={0} role="region" aria-label="Rollouts by family">
        <table className="heat">
          <thead>
            <tr>
              <th scope="col">family</th>
              <StretchHeads columns={columns} />
              {cycles.map(({ cycle }) =>
                cycle === 0 ? <Fragment key={0} /> : <th key={cycle} scope="col">{`weight in cycle ${cycle}`}</th>,
              )}
            </tr>
          </thead>
          <tbody>
            {families.map((family, row) => (
              <tr key={family}>
                <th scope="row">{family}</th>
                {columns.map((column, i) => (
                  <Cell key={i} {...{ run, family, updates, column, largest }} slot={cells[row]![i]!} />
                ))}
                {cycles.map(({ cycle, weights }) =>
                  cycle === 0 ? <Fragment key={0} /> : <td key={cycle}>{weights[family]?.toFixed(2)}</td>,
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Difficulties run={run} updates={updates} columns={columns} />
    </section>
  );
}

function StretchHeads({ columns }: { readonly columns: readonly (readonly UpdatePoint[])[] }) {
  return columns.map((column) => {
    const steps = column.at(-1)!.environmentSteps;
    return (
      <th scope="col" key={steps}>
        {steps >= 10_000 ? `${Math.round(steps / 1000)}k` : steps}
      </th>
    );
  });
}

interface DifficultiesProps extends Pick<CurriculumProps, 'run' | 'updates'> {
  readonly columns: readonly (readonly UpdatePoint[])[];
}

/** The same by difficulty, read when it is opened: every episode is looked at. */
function Difficulties({ run, updates, columns }: DifficultiesProps) {
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useQuery({
    queryKey: ['difficulties', run, columns.length],
    queryFn: ({ signal }) => readDifficulties(run, signal),
    enabled: isOpen,
  });
  const rows = data?.filter(({ cells }) => cells.length === columns.length) ?? [];
  const largest = Math.max(1, ...rows.flatMap(({ cells }) => cells.map(({ played }) => played)));
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>By difficulty</summary>
      {error && <p role="alert">{error.message}</p>}
      {data?.length === 0 && <p>The tasks of its rollouts have no difficulty.</p>}
      {rows.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label="Rollouts by family and difficulty">
          <table className="heat">
            <thead>
              <tr>
                <th scope="col">family</th>
                <th scope="col">difficulty</th>
                <StretchHeads columns={columns} />
              </tr>
            </thead>
            <tbody>
              {rows.map(({ family, difficulty, cells }) => (
                <tr key={`${family} ${difficulty}`}>
                  <th scope="row">{family}</th>
                  <td>{difficulty}</td>
                  {cells.map((slot, i) => (
                    <Cell key={i} {...{ run, family, difficulty, updates, largest, slot }} column={columns[i]!} />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

interface CellProps {
  readonly run: string;
  readonly family: string;
  readonly difficulty?: number;
  readonly updates: readonly UpdatePoint[];
  readonly column: readonly UpdatePoint[];
  readonly slot: Slot;
  readonly largest: number;
}

function Cell({ run, family, difficulty, updates, column, slot: { played, solved }, largest }: CellProps) {
  if (played === 0) return <td className="empty">–</td>;
  const share = solved / played;
  return (
    <td style={{ background: `color-mix(in srgb, var(--good) ${Math.round(share * 34)}%, transparent)` }}>
      <Link
        to="/runs/$run/episodes"
        params={{ run }}
        search={{ family: [family], purpose: [rollouts], difficulty, ...boundsOf(updates, column) }}
        aria-label={`${family}${difficulty === undefined ? '' : ` at difficulty ${difficulty}`}: ${Math.round(100 * share)} % of ${played} rollouts solved`}
      >
        {Math.round(100 * share)} %
        <i aria-hidden="true" style={{ width: `${Math.round((100 * played) / largest)}%` }} />
      </Link>
    </td>
  );
}

function slotOf(column: readonly UpdatePoint[], family: string): Slot {
  let [played, solved] = [0, 0];
  for (const update of column) {
    const n = update.played?.[family] ?? 0;
    played += n;
    solved += n * (update.success?.[family] ?? 0);
  }
  return { played, solved };
}
