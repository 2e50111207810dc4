import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { RunEntry } from '../../src/server/wire.js';
import { api } from '../api.js';
import { Badge, Problem } from '../parts/frame.js';
import { Headline, Progress } from '../training/headline.js';
import { readSummary } from '../training/trainingApi.js';
import { Sparkline } from './sparkline.js';
import './runs.css';

/** All runs. */
export function RunsPage() {
  const { data, error } = useQuery({ queryKey: ['runs'], queryFn: ({ signal }) => api.runs(signal),
    // Large lakes are counted when they have been read.
    refetchInterval: ({ state }) => (state.data?.some(({ episodes }) => episodes === null) === true ? 1_000 : false),
  });
  if (error) return <Problem error={error} />;
  return (
    <>
      <h1>Runs</h1>
      {data?.length === 0 && (
        <p>
          There is no run yet. <code>npm start</code> trains one in a quarter of an hour;{' '}
          <code>gyre run click/test/7</code> plays one task.
        </p>
      )}
      <ul className="cards">
        {data?.map((run) => (
          <li key={run.name}>
            <Card {...run} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Card({ name, directory, episodes, running, trains }: RunEntry) {
  const { data } = useQuery({ queryKey: ['summary', name], queryFn: ({ signal }) => readSummary(name, signal) });
  const isTraining = trains || (data !== undefined && data.progress.state !== 'none');
  return (
    <article>
      <h2>
        <Link to={isTraining ? '/runs/$run' : '/runs/$run/episodes'} params={{ run: name }} search={{}}>
          {name}
        </Link>
      </h2>
      {data && isTraining && <Progress {...data} />}
      {data && <Headline {...data} />}
      {data && <Sparkline {...data} />}
      <p>
        <Link to="/runs/$run/episodes" params={{ run: name }} search={{}}>
          {episodes === null ? 'counting' : episodes.toLocaleString('en')} {episodes === 1 ? 'episode' : 'episodes'}
        </Link>{' '}
        {running > 0 && <Badge kind="live">{running} playing</Badge>}
      </p>
      <small>{directory}</small>
    </article>
  );
}
