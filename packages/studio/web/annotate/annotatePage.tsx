import './annotate.css';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type SyntheticEvent, useState } from 'react';
import type { AnnotationState, QueueAnswer } from '../../src/server/annotateWire.js';
import { api } from '../api.js';
import { Badge, Problem } from '../parts/frame.js';
import { annotateApi, type ClaimBody } from './annotateApi.js';
import { Work } from './work.js';

const route = getRouteApi('/runs/$run/annotate');
const remembered = 'gyre-annotator';
const wordsIn = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** Lets people show a policy what to do, in the policy's own states. */
export function AnnotatePage() {
  const { run } = route.useParams();
  const client = useQueryClient();
  const [terms, setTerms] = useState<ClaimBody>();
  const [state, setState] = useState<AnnotationState>();
  const [note, setNote] = useState<string>();
  const [problem, setProblem] = useState<Error>();
  const next = async (body: ClaimBody): Promise<void> => {
    setProblem(undefined);
    try {
      const claimed = await annotateApi.claim(run, body);
      const isNew = state && state.policy !== claimed.policy;
      setNote(isNew ? `The policy is now ${claimed.policy}, no longer ${state.policy}.` : undefined);
      setState(claimed);
      setTerms(body);
    } catch (error) {
      setState(undefined);
      setProblem(error as Error);
    }
    void client.invalidateQueries({ queryKey: ['queue', run] });
  };
  if (state && terms) {
    return (
      <Work
        key={state.episode}
        run={run}
        initial={state}
        initialNote={note}
        onSubmitted={() => next(terms)}
        onReleased={() => {
          setState(undefined);
          void client.invalidateQueries({ queryKey: ['queue', run] });
        }}
      />
    );
  }
  return <Desk run={run} problem={problem} onStart={next} />;
}

interface DeskProps {
  readonly run: string;
  readonly problem: Error | undefined;
  readonly onStart: (body: ClaimBody) => Promise<void>;
}

function Desk({ run, problem, onStart }: DeskProps) {
  const [by, setBy] = useState(localStorage.getItem(remembered) ?? '');
  const [families, setFamilies] = useState('');
  const [policy, setPolicy] = useState<string>();
  const [licence, setLicence] = useState('');
  const [isStarting, setStarting] = useState(false);
  const { data: policies } = useQuery({ queryKey: ['policies'], queryFn: ({ signal }) => api.policies(signal) });
  const { data: queue, error } = useQuery({
    queryKey: ['queue', run, families],
    queryFn: ({ signal }) => annotateApi.queue(run, wordsIn(families), signal),
    refetchInterval: 5_000,
  });
  const start = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault();
    localStorage.setItem(remembered, by);
    setStarting(true);
    const chosen = wordsIn(families);
    await onStart({
      ...{ by, policy: policy ?? policies?.[0] ?? '' },
      ...(chosen.length > 0 && { families: chosen }),
      ...(licence.trim() !== '' && { licence }),
    });
    setStarting(false);
  };
  return (
    <>
      <h1>Annotate</h1>
      <p>
        The policy proposes what to do on each screen. You accept, correct it or act yourself. What others accept trains
        the next policy. Ended episodes wait in{' '}
        <Link to="/runs/$run/review" params={{ run }}>
          Review
        </Link>
        .
      </p>
      <form className="claim-form" onSubmit={(event) => void start(event)}>
        <label>
          Your name
          <input required maxLength={60} value={by} onChange={(event) => setBy(event.target.value)} />
        </label>
        <label>
          Policy
          <select value={policy ?? policies?.[0] ?? ''} onChange={(event) => setPolicy(event.target.value)}>
            {policies?.map((name) => (
              <option key={name}>{name}</option>
            ))}
            <option value="newest">newest checkpoint of this run</option>
          </select>
        </label>
        <label>
          Families (default: by what the policy needs)
          <input value={families} placeholder="vault, search" onChange={(event) => setFamilies(event.target.value)} />
        </label>
        <label>
          Licence of what you show (SPDX)
          <input value={licence} placeholder="CC-BY-4.0" onChange={(event) => setLicence(event.target.value)} />
        </label>
        <button disabled={isStarting || !policies}>
          {isStarting ? 'Opening the task …' : 'Annotate the next task'}
        </button>
      </form>
      {problem && <Problem error={problem} />}
      {error && <Problem error={error} />}
      {queue && <QueueTables queue={queue} />}
    </>
  );
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const kinds = { open: 'plain', claimed: 'live', submitted: 'plain', accepted: 'good', returned: 'bad' } as const;

function QueueTables({ queue: { families, tasks, people } }: { readonly queue: QueueAnswer }) {
  return (
    <div className="queue">
      <section>
        <h2>Where the policy needs people</h2>
        <table>
          <thead>
            <tr>
              <th>Family</th>
              <th>Solved</th>
              <th>Samples disagree</th>
              <th>Priority</th>
            </tr>
          </thead>
          <tbody>
            {families.map(({ family, success, disagreement, priority, retired }) => (
              <tr key={family}>
                <td>{family}</td>
                <td>{success.total === 0 ? 'not tried' : `${success.count} of ${success.total}`}</td>
                <td>{disagreement.total === 0 ? '' : `${disagreement.count} of ${disagreement.total} turns`}</td>
                <td>{retired ? 'retired: it is solved' : priority.toFixed(2)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <section>
        <h2>Tasks</h2>
        <ul className="tasks">
          {tasks.map(({ task, state, by, reason }) => (
            <li key={task}>
              <code>{task}</code> <Badge kind={kinds[state]}>{state}</Badge> {by}
              {reason !== undefined && <q>{reason}</q>}
            </li>
          ))}
        </ul>
      </section>
      {people.length > 0 && (
        <section>
          <h2>People</h2>
          <ul className="tasks">
            {people.map(({ by, episodes, turns, overridden, edited }) => (
              <li key={by}>
                {by}: {counted(episodes, 'episode')}, {counted(turns, 'turn')}, {overridden} overridden, {edited} edited
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
