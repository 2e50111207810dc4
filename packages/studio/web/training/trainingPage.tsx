import { useQueries, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { CurvePoint } from '../../src/charts/curve.js';
import { trainingPanels, type XMode, xModes } from '../../src/charts/trainingPanels.js';
import { troublesOf } from '../../src/runs/troubles.js';
import type { TrainingAnswer } from '../../src/server/trainingWire.js';
import { api } from '../api.js';
import { Problem } from '../parts/frame.js';
import { Checkpoints } from './checkpoints.js';
import { Cycles } from './cycles.js';
import { Curriculum } from './curriculum.js';
import { Families, Headline, Progress } from './headline.js';
import { Plot } from './plot.js';
import { readTraining } from './trainingApi.js';
import type { TrainingSearch } from './trainingSearch.js';
import { episodesOfUpdate, Updates } from './updates.js';
import './training.css';

const route = getRouteApi('/runs/$run');
const xTitles: Record<XMode, string> = { steps: 'environment steps', minutes: 'minutes', updates: 'updates' };

/** The page of one run: its table, curves, cycles and checkpoints. */
export function TrainingPage() {
  const { run } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const { data, error } = useQuery(trainingQuery(run));
  const { x = 'steps', smooth = 0, seeds = false } = search;
  const others = (search.with ?? []).filter((name) => name !== run);
  const overlaid = useQueries({ queries: others.map(trainingQuery) }).flatMap(({ data: other }) => other ?? []);
  if (error) return <Problem error={error} />;
  if (!data) return <p>Reading the run …</p>;
  const change = (changed: TrainingSearch): void =>
    void navigate({ to: '/runs/$run', params: { run }, search: { ...search, ...changed }, replace: true });
  const drawn = [data, ...overlaid];
  const open = (point: CurvePoint): void => {
    const chosen = drawn.find(({ name }) => name === point.run);
    if (!chosen || point.index === undefined) return;
    void navigate({
      ...{ to: '/runs/$run/episodes', params: { run: chosen.name } },
      search: episodesOfUpdate(chosen.updates, point.index),
    });
  };
  const panels = trainingPanels(drawn, x, { bySeed: seeds });
  return (
    <>
      <h1>{run}</h1>
      <Progress {...data} />
      <Headline {...data} />
      <p>
        <Link to="/runs/$run/episodes" params={{ run }} search={{}}>
          All episodes
        </Link>
      </p>
      <Families {...data} />
      <Stuck {...data} />
      <section aria-labelledby="curves">
        <h2 id="curves">Curves</h2>
        {data.updates.length === 0 ? (
          <p>
            No update has been recorded yet. <code>gyre flywheel</code> and <code>gyre train ppo</code> record one after
            each batch of rollouts; the diagrams appear with the first.
          </p>
        ) : (
          <>
            <Controls {...{ run, search, change, smooth, x, seeds, others }} />
            <div className="panels">
              {panels.map((panel) => (
                <Plot key={panel.id} {...{ panel, open }} xTitle={xTitles[x]} smooth={smooth / 100} />
              ))}
            </div>
            <Updates run={run} updates={data.updates} />
          </>
        )}
      </section>
      <Curriculum run={run} updates={data.updates} cycles={data.cycles} />
      <Cycles run={run} cycles={data.cycles} />
      <Checkpoints checkpoints={data.checkpoints} />
    </>
  );
}

const trainingQuery = (run: string) => ({
  queryKey: ['training', run],
  queryFn: ({ signal }: { signal: AbortSignal }) => readTraining(run, signal),
});

function Stuck({ updates }: Pick<TrainingAnswer, 'updates'>) {
  if (updates.length === 0) return null;
  const troubles = troublesOf(updates);
  return (
    <section className="stuck" aria-labelledby="stuck">
      <h2 id="stuck">Why is it stuck?</h2>
      {troubles.length === 0 ? (
        <p>
          Nothing is conspicuous in the last updates: no groups without a signal, no family at 0 or 100 %, no jump of
          the KL, no infrastructure errors.
        </p>
      ) : (
        <ul>
          {troubles.map(({ kind, text }) => (
            <li key={text} className={kind}>
              {text}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface ControlsProps {
  readonly run: string;
  readonly search: TrainingSearch;
  readonly change: (changed: TrainingSearch) => void;
  readonly smooth: number;
  readonly x: XMode;
  readonly seeds: boolean;
  readonly others: readonly string[];
}

function Controls({ run, change, smooth, x, seeds, others }: ControlsProps) {
  const { data: runs = [] } = useQuery({ queryKey: ['runs'], queryFn: ({ signal }) => api.runs(signal) });
  const rest = runs.filter(({ name, trains }) => trains && name !== run);
  return (
    <div className="curve-controls">
      <label>
        Along
        <select value={x} onChange={(event) => change({ x: event.target.value as XMode })}>
          {xModes.map((mode) => (
            <option key={mode} value={mode}>
              {xTitles[mode]}
            </option>
          ))}
        </select>
      </label>
      <label>
        Smoothing
        <input
          type="range"
          min={0}
          max={95}
          step={5}
          value={smooth}
          onChange={(event) => change({ smooth: Number(event.target.value) || undefined })}
        />
        <output>{smooth} %</output>
      </label>
      {rest.length > 0 && (
        <details>
          <summary>
            {others.length === 0
              ? 'Add other runs'
              : `With ${others.length} other ${others.length === 1 ? 'run' : 'runs'}`}
          </summary>
          <fieldset>
            <legend>In the same diagrams</legend>
            {rest.map(({ name }) => {
              const next = others.includes(name) ? others.filter((each) => each !== name) : [...others, name];
              return (
                <label key={name}>
                  <input
                    type="checkbox"
                    checked={others.includes(name)}
                    onChange={() => change({ with: next.length > 0 ? next : undefined })}
                  />
                  {name}
                </label>
              );
            })}
            <label>
              <input
                type="checkbox"
                checked={seeds}
                onChange={(event) => change({ seeds: event.target.checked ? true : undefined })}
              />
              mean of runs that differ only in the seed, with its 95 % interval
            </label>
          </fieldset>
        </details>
      )}
    </div>
  );
}
