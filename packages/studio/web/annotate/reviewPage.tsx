import './annotate.css';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { describeAction, type Episode, type Mark } from '@gyre/protocol';
import type { ReviewsAnswer } from '../../src/server/annotateWire.js';
import { api } from '../api.js';
import { Badge, Problem } from '../parts/frame.js';
import { observationAt, Stage } from '../parts/stage.js';
import { TurnControls, turnKeys, turnKeyWords } from '../parts/turnControls.js';
import { useKeys } from '../parts/useKeys.js';
import { annotateApi } from './annotateApi.js';

const route = getRouteApi('/runs/$run/review');
const remembered = 'gyre-annotator';

/** Lets people judge ended episodes; tells how far they agree with each other and with verdicts. */
export function ReviewPage() {
  const { run } = route.useParams();
  const { episode: chosen = '' } = route.useSearch();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { data, error } = useQuery({
    queryKey: ['reviews', run],
    queryFn: ({ signal }) => annotateApi.reviews(run, signal),
    refetchInterval: 5_000,
  });
  const { data: answer, error: missing } = useQuery({
    queryKey: ['episode', run, chosen],
    queryFn: ({ signal }) => api.episode(run, chosen, signal),
    enabled: chosen !== '',
  });
  const onDone = (): void => {
    void client.invalidateQueries({ queryKey: ['reviews', run] });
    void navigate({ to: '/runs/$run/review', params: { run }, search: {} });
  };
  const problem = error ?? missing;
  return (
    <>
      <h1>Review</h1>
      {problem && <Problem error={problem} />}
      {data && <Figures {...data} />}
      {answer && chosen !== '' ? (
        <OneEpisode key={chosen} run={run} episode={answer.episode} onDone={onDone} />
      ) : (
        data && <Waiting run={run} {...data} />
      )}
    </>
  );
}

const figure = (value: number | undefined): string => (value === undefined ? 'not yet' : value.toFixed(2));

function Figures({ reviews, pairs, kappa, judges }: ReviewsAnswer) {
  return (
    <p>
      {reviews} reviews. {pairs} episodes by two people: Cohen&apos;s kappa {figure(kappa)}.
      {judges.map(
        ({ source, episodes, f1 }) => ` F1 of the ${source} against people: ${figure(f1)} (${episodes} episodes).`,
      )}
    </p>
  );
}

function Waiting({ run, waiting, disputed }: ReviewsAnswer & { readonly run: string }) {
  const link = (episode: string, text: string) => (
    <Link to="/runs/$run/review" params={{ run }} search={{ episode }}>
      {text}
    </Link>
  );
  return (
    <div className="queue">
      <section>
        <h2>Waiting for a review</h2>
        {waiting.length === 0 && <p>Nothing waits. Annotated episodes come here when they are submitted.</p>}
        <ul className="tasks">
          {waiting.map(({ episode, task, by, success }) => (
            <li key={episode}>
              {link(episode, task)} by {by}{' '}
              <Badge kind={success ? 'good' : 'bad'}>{success ? 'solved' : 'not solved'}</Badge>
            </li>
          ))}
        </ul>
      </section>
      {disputed.length > 0 && (
        <section>
          <h2>Reviewers disagree</h2>
          <ul className="tasks">
            {disputed.map((episode) => (
              <li key={episode}>{link(episode, episode)}</li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

interface OneEpisodeProps {
  readonly run: string;
  readonly episode: Episode;
  readonly onDone: () => void;
}

function OneEpisode({ run, episode, onDone }: OneEpisodeProps) {
  const [position, setPosition] = useState(0);
  const [marks, setMarks] = useState<ReadonlyMap<number, Mark>>(new Map());
  const [by, setBy] = useState(localStorage.getItem(remembered) ?? '');
  const [success, setSuccess] = useState(episode.verdict?.success === true);
  const [lastGood, setLastGood] = useState<number>();
  const [reason, setReason] = useState('');
  const [comment, setComment] = useState<string>();
  const [problem, setProblem] = useState<Error>();
  const last = episode.turns.length;
  const go = (to: number): void => setPosition(Math.max(0, Math.min(last, to)));
  const turn = episode.turns[position];
  const mark = (change: Mark): void => {
    if (!turn) return;
    setMarks(new Map(marks).set(turn.index, { ...marks.get(turn.index), ...change }));
  };
  const judge = (bad: boolean): void => {
    mark({ bad, label: bad ? 'bad' : 'good' });
    go(position + 1);
  };
  const write = (): void => setComment(turn && (marks.get(turn.index)?.comment ?? ''));
  const keys = { ...turnKeys({ position, last, go }), y: () => judge(false), n: () => judge(true), c: write };
  useKeys(keys, { ...turnKeyWords, y: 'the turn is good', n: 'the turn is bad', c: 'comment' });
  const send = async (verdict: 'accept' | 'return'): Promise<void> => {
    localStorage.setItem(remembered, by);
    try {
      await annotateApi.review(run, episode.id, {
        ...{ by, success, verdict },
        ...(reason.trim() !== '' && { reason }),
        ...(lastGood !== undefined && { lastGoodTurn: lastGood - 1 }),
        ...(marks.size > 0 && { turns: [...marks].map(([index, each]) => ({ turn: index, mark: each })) }),
      });
      onDone();
    } catch (error) {
      setProblem(error as Error);
    }
  };
  const current = turn && (marks.get(turn.index) ?? turn.mark);
  return (
    <div className="annotate">
      <section className="screen">
        <TurnControls {...{ position, last, go }} />
        <Stage run={run} turn={turn} observation={observationAt(episode, position)} />
      </section>
      <section className="side">
        <h2>{episode.task.instruction}</h2>
        {turn ? (
          <p>
            Turn {position + 1}: {turn.actions.map(describeAction).join(', ')} <small>{turn.by ?? 'policy'}</small>{' '}
            {current && (
              <Badge kind={current.bad ? 'bad' : 'good'}>{current.bad ? 'bad' : (current.label ?? 'marked')}</Badge>
            )}
            {turn.thought !== undefined && <q>{turn.thought}</q>}
            {current?.comment !== undefined && <q>{current.comment}</q>}
          </p>
        ) : (
          <p>The end: {episode.end.state}.</p>
        )}
        <div className="verbs">
          <button disabled={!turn} onClick={() => judge(false)}>
            Good <kbd>Y</kbd>
          </button>
          <button disabled={!turn} onClick={() => judge(true)}>
            Bad <kbd>N</kbd>
          </button>
          <button disabled={!turn} onClick={write}>
            Comment <kbd>C</kbd>
          </button>
        </div>
        {comment !== undefined && (
          <form
            className="thought-edit"
            onSubmit={(event) => {
              event.preventDefault();
              if (comment.trim() !== '') mark({ comment: comment.trim() });
              setComment(undefined);
            }}
          >
            <label>
              Comment on turn {position + 1}
              <input autoFocus value={comment} onChange={(event) => setComment(event.target.value)} />
            </label>
          </form>
        )}
        {problem && <Problem error={problem} />}
        <form
          className="give-up"
          onSubmit={(event) => {
            event.preventDefault();
            void send(event.nativeEvent.submitter?.getAttribute('value') === 'return' ? 'return' : 'accept');
          }}
        >
          <label>
            Your name
            <input required maxLength={60} value={by} onChange={(event) => setBy(event.target.value)} />
          </label>
          <label>
            Last good turn (empty: all)
            <input
              type="number"
              min={0}
              max={last}
              value={lastGood ?? ''}
              onChange={(event) => setLastGood(event.target.value === '' ? undefined : Number(event.target.value))}
            />
          </label>
          <label>
            The task was done
            <input type="checkbox" checked={success} onChange={(event) => setSuccess(event.target.checked)} />
          </label>
          <label>
            Reason
            <input value={reason} onChange={(event) => setReason(event.target.value)} />
          </label>
          <button value="accept">Accept</button>
          <button value="return">Return</button>
        </form>
      </section>
    </div>
  );
}
