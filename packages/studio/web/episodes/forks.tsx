import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type SubmitEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { EpisodeRow, ForkLine } from '../../src/server/wire.js';
import { api, lines } from '../api.js';
import { Outcome } from './episodesPage.js';
import { Problem } from '../parts/frame.js';
import { turnIn } from '../parts/search.js';

interface ForksProps {
  readonly run: string;
  readonly id: string;
  /** Turns before the screen that is shown. */
  readonly position: number;
  readonly forks: readonly EpisodeRow[];
  readonly notReplayable: string | undefined;
  readonly focus: RefObject<HTMLSelectElement | null>;
  readonly onFork: () => void;
}

/** Forks an episode at the turn that is shown, and lists its forks with their outcomes. */
export function Forks({ run, id, position, forks, notReplayable, focus, onFork }: ForksProps) {
  const { data: policies = [] } = useQuery({ queryKey: ['policies'], queryFn: ({ signal }) => api.policies(signal) });
  const [policy, setPolicy] = useState<string>();
  const [attempts, setAttempts] = useState(4);
  const [playing, setPlaying] = useState<{
    readonly turn: number;
    readonly attempts: number;
    readonly ended: number;
  }>();
  const [error, setError] = useState<Error>();
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);

  const fork = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const control = (abort.current = new AbortController());
    setError(undefined);
    setPlaying({ turn: position, attempts, ended: 0 });
    // Other attempts than the ones before.
    const seed = 1 + forks.length;
    const body = { turn: position, attempts, policy: policy ?? policies[0], seed };
    try {
      for await (const line of lines<ForkLine>(run, id, 'fork', body, control.signal)) {
        if ('error' in line) throw new Error(line.error.message);
        setPlaying((before) => before && { ...before, ended: before.ended + 1 });
        onFork();
      }
    } catch (failure) {
      if (!control.signal.aborted) setError(failure as Error);
    }
    if (!control.signal.aborted) setPlaying(undefined);
  };

  return (
    <section aria-label="Forks">
      <h2>Fork</h2>
      {notReplayable === undefined && (
        <form className="fork" onSubmit={(event) => void fork(event)}>
          <label>
            Policy
            <select ref={focus} value={policy ?? policies[0] ?? ''} onChange={(event) => setPolicy(event.target.value)}>
              {policies.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
          <label>
            Attempts
            <input
              type="number"
              min={1}
              max={32}
              value={attempts}
              onChange={(event) => setAttempts(Number(event.target.value))}
            />
          </label>
          <button disabled={playing !== undefined}>
            {playing ? `${playing.ended} of ${playing.attempts} ended` : `Continue after turn ${position}`}
          </button>
        </form>
      )}
      {error && <Problem error={error} />}
      <ul className="tree">
        {byTurn(forks).map(([turn, some]) => (
          <li key={turn}>
            After turn {turn}: <b>{`${some.filter(({ success }) => success).length} of ${some.length} solved`}</b>
            <ul>
              {some.map((row) => (
                <li key={row.id}>
                  <Link
                    to="/runs/$run/episodes/$id"
                    params={{ run, id: row.id }}
                    search={turnIn(turn)}
                    aria-label={`${row.policy}, ${row.turns} turns`}
                  >
                    {row.policy}, {row.turns} turns
                  </Link>{' '}
                  <Outcome row={row} />{' '}
                  <Link
                    to="/runs/$run/compare"
                    params={{ run }}
                    search={{ a: id, b: row.id, ...turnIn(turn) }}
                    aria-label={`compare with ${row.policy}, ${row.turns} turns`}
                  >
                    A|B
                  </Link>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}

function byTurn(forks: readonly EpisodeRow[]): [number, EpisodeRow[]][] {
  const groups = new Map<number, EpisodeRow[]>();
  for (const fork of forks) {
    const turn = fork.forkTurn ?? 0;
    groups.set(turn, [...(groups.get(turn) ?? []), fork]);
  }
  return [...groups].sort(([a], [b]) => a - b);
}
