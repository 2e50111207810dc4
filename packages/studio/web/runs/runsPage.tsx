import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../api.js';
import { Badge, Problem } from '../parts/frame.js';
import './runs.css';

/** All runs. */
export function RunsPage() {
  const { data, error } = useQuery({
    queryKey: ['runs'],
    queryFn: ({ signal }) => api.runs(signal),
    refetchInterval: 2_000,
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
        {data?.map(({ name, directory, episodes, running }) => (
          <li key={name}>
            <Link to="/runs/$run/episodes" params={{ run: name }} search={{}}>
              <b>{name}</b>
              <span>
                {episodes.toLocaleString('en')} {episodes === 1 ? 'episode' : 'episodes'}
              </span>
              {running > 0 && <Badge kind="live">{running} playing</Badge>}
              <small>{directory}</small>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
