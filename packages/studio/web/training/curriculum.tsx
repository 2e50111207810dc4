import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import type { UpdatePoint } from '../../src/runs/updateLine.js';
import type { CyclePoint } from '../../src/server/trainingWire.js';

const maxColumns = 24;

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
  const counted = updates.filter(({ played }) => played !== undefined);
  const families = [...new Set(counted.flatMap(({ played = {} }) => Object.keys(played)))];
  if (families.length === 0) return null;
  const size = Math.ceil(counted.length / maxColumns);
  const columns = Array.from({ length: Math.ceil(counted.length / size) }, (_, i) =>
    counted.slice(i * size, (i + 1) * size),
  );
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
              {columns.map((column) => {
                const steps = column.at(-1)!.environmentSteps;
                return (
                  <th scope="col" key={steps}>
                    {steps >= 10_000 ? `${Math.round(steps / 1000)}k` : steps}
                  </th>
                );
              })}
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
    </section>
  );
}

interface CellProps {
  readonly run: string;
  readonly family: string;
  readonly updates: readonly UpdatePoint[];
  readonly column: readonly UpdatePoint[];
  readonly slot: Slot;
  readonly largest: number;
}

function Cell({ run, family, updates, column, slot: { played, solved }, largest }: CellProps) {
  if (played === 0) return <td className="empty">–</td>;
  const share = solved / played;
  const before = updates[updates.indexOf(column[0]!) - 1];
  const bounds = {
    ...(before && { from: new Date(before.time).toISOString() }),
    to: new Date(column.at(-1)!.time).toISOString(),
  };
  return (
    <td style={{ background: `color-mix(in srgb, var(--good) ${Math.round(share * 34)}%, transparent)` }}>
      <Link
        to="/runs/$run/episodes"
        params={{ run }}
        search={{ family: [family], purpose: ['ppo'], ...bounds }}
        aria-label={`${family}: ${Math.round(100 * share)} % of ${played} rollouts solved`}
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
