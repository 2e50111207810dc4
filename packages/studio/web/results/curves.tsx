import { resultPanels } from '../../src/results/resultCurves.js';
import type { ResultsAnswer } from '../../src/server/resultsWire.js';
import { Plot } from '../training/plot.js';
import type { ResultsSearch } from './resultsSearch.js';

interface CurvesProps extends Pick<ResultsAnswer, 'columns' | 'suites'> {
  readonly family: string | undefined;
  readonly change: (changed: ResultsSearch) => void;
}

/** Success against turns and against attempts, a curve a policy. */
export function Curves({ columns, suites, family, change }: CurvesProps) {
  const panels = resultPanels(columns, family);
  return (
    <section aria-labelledby="result-curves">
      <h2 id="result-curves">Turns and attempts</h2>
      <p className="results-controls">
        <label>
          Of{' '}
          <select value={family ?? ''} onChange={(event) => change({ family: event.target.value || undefined })}>
            <option value="">all tasks</option>
            {suites
              .flatMap((suite) => suite.families)
              .map((name) => (
                <option key={name}>{name}</option>
              ))}
          </select>
        </label>
      </p>
      {panels.length === 0 ? (
        <p>Nothing of it has been solved yet.</p>
      ) : (
        <div className="panels">
          {panels.map((panel) => (
            <Plot key={panel.id} panel={panel} xTitle={panel.id === 'turns' ? 'turns' : 'k'} along="points" />
          ))}
        </div>
      )}
      <p className="fine">
        Each policy over its own tasks, with 95 % intervals (Wilson, over tasks). Counted from the turns of recorded
        episodes: a policy that knows of a smaller budget may act otherwise. <code>gyre eval --budgets</code> plays each
        budget. Tasks with several attempts (<code>--repeat</code>) have pass@k.
      </p>
    </section>
  );
}
