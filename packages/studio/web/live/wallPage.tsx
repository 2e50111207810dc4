import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Badge, Problem } from '../parts/frame.js';
import { Screenshot } from '../parts/screenshot.js';
import { type LiveCard, type LiveStatus, useLiveCards } from './liveApi.js';
import { PlayTask } from './playTask.js';
import './live.css';

const thumbnailMs = 1_000;

/** All episodes that are being played. */
export function WallPage() {
  const { data, error } = useLiveCards();
  if (error) return <Problem error={error} />;
  return (
    <>
      <h1>Live</h1>
      <PlayTask />
      {data?.length === 0 && (
        <p>
          Nothing is being played. <code>gyre run click/test/7</code> plays one task,{' '}
          <code>gyre rollout --policy random</code> plays many, <code>gyre tasks play 2048/test/0</code> lets you play,
          and <code>npm start</code> trains.
        </p>
      )}
      <ul className="wall">
        {data?.map((card) => (
          <li key={`${card.run} ${card.id}`}>
            <Card {...card} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Card({ run, id, status, by, instruction, policy, last, reward, screenshot, ...counts }: LiveCard) {
  const thumbnail = useSlowly(screenshot);
  return (
    <Link to="/live/$run/$id" params={{ run, id }} className={`live-card ${status}`}>
      <Screenshot run={run} hash={thumbnail} width={240} isLive alt="" className="live-shot" />
      <b>{instruction}</b>
      <span className="live-facts">
        <StatusBadge status={status} by={by} />
        {progressWords(counts)}
        {reward !== 0 && `, reward ${reward.toFixed(2)}`}
      </span>
      <span className="live-last">{last === '' ? 'no action yet' : last}</span>
      <small>
        {policy}, {run}
      </small>
    </Link>
  );
}

/** Follows a value at most once a second: a thumbnail that changes sooner would never load. */
function useSlowly(value: string): string {
  const [current, setCurrent] = useState(value);
  const [mayChange, setMayChange] = useState(true);
  useEffect(() => {
    if (mayChange && value !== current) {
      setCurrent(value);
      setMayChange(false);
    }
  }, [mayChange, value, current]);
  useEffect(() => {
    if (mayChange) return;
    const timer = setTimeout(() => setMayChange(true), thumbnailMs);
    return () => clearTimeout(timer);
  }, [mayChange]);
  return current;
}

/** Says how much of the policy's budget is used: `turn 3 of 20, 2 by people`. */
export function progressWords({
  turns,
  personTurns,
  stepBudget,
}: Pick<LiveCard, 'turns' | 'personTurns' | 'stepBudget'>): string {
  return `turn ${turns} of ${stepBudget}${personTurns > 0 ? `, ${personTurns} by people` : ''}`;
}

const words: Readonly<Record<LiveStatus, string>> = {
  policy: 'policy',
  paused: 'paused',
  person: 'a person',
  killed: 'its process has died',
  ended: 'ended',
};

/** Tells who has an episode. */
export function StatusBadge({ status, by }: { readonly status: LiveStatus; readonly by?: string | undefined }) {
  const kind = status === 'killed' ? 'bad' : 'plain';
  return (
    <Badge kind={kind}>
      <span className={`dot ${status}`} />
      {by ?? words[status]}
    </Badge>
  );
}
