import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { AgentAction } from '@gyre/protocol';
import { useCallback, useEffect, useRef, useState } from 'react';
import { Problem } from '../parts/frame.js';
import { useKeys } from '../parts/useKeys.js';
import { turnKeys, turnKeyWords } from '../parts/turnControls.js';
import { turnIn } from '../parts/search.js';
import { Microphone } from '../speech/microphone.js';
import { useSpeech } from '../speech/speechApi.js';
import { CockpitControls } from './cockpitControls.js';
import { CockpitScreen } from './cockpitScreen.js';
import { Talk, Timeline } from './cockpitTurns.js';
import { type LiveAnswer, liveApi, liveKey, useLiveEpisode, type Verb } from './liveApi.js';
import { progressWords, StatusBadge } from './wallPage.js';
import './live.css';

const route = getRouteApi('/live/$run/$id');

/** One episode while it is played. */
export function CockpitPage() {
  const { run, id } = route.useParams();
  const { data, error } = useLiveEpisode(run, id);
  if (error && !data) return <Problem error={error} />;
  if (!data) return <p role="status">Looking for the episode …</p>;
  return <Cockpit key={id} answer={data} />;
}

export type Ask = (verb: Verb, more?: { readonly actions?: readonly AgentAction[]; readonly note?: string }) => void;

/** Sends one request after another, and looks again after each. */
function useAsk(run: string, id: string): { readonly ask: Ask; readonly problem: Error | undefined } {
  const client = useQueryClient();
  const [problem, setProblem] = useState<Error>();
  const last = useRef(Promise.resolve());
  const ask: Ask = useCallback(
    (verb, more) => {
      last.current = last.current.then(async () => {
        try {
          await liveApi.ask(run, id, verb, more);
          setProblem(undefined);
        } catch (error) {
          setProblem(error as Error);
        }
        await client.invalidateQueries({ queryKey: liveKey(run, id) });
      });
    },
    [run, id, client],
  );
  return { ask, problem };
}

function Cockpit({ answer }: { readonly answer: LiveAnswer }) {
  const { run, id, task, policy, status, turns, live, verdict, end } = answer;
  const { ask, problem } = useAsk(run, id);
  const navigate = useNavigate();
  const last = turns.length;
  const personTurns = turns.filter(({ by }) => by !== undefined).length;
  /** Undefined follows the newest screen. */
  const [chosen, setChosen] = useState<number>();
  const position = Math.min(chosen ?? last, last);
  const go = (to: number): void => setChosen(to >= last ? undefined : Math.max(0, to));
  const isOpen = live !== undefined && status !== 'ended';
  const isMine = isOpen && live.mine && live.by !== undefined;
  const speech = useSpeech(run, id, isOpen);
  const keys = {
    ...turnKeys({ position, last, go }),
    ...(isOpen &&
      !live.played && {
        ' ': () => ask(live.state === 'paused' ? 'resume' : 'pause'),
        '.': () => ask('step'),
        t: () => ask('take'),
      }),
    ...(isMine && !live.played && { 'ctrl alt esc': () => ask('give') }),
    f: () => void navigate({ to: '/runs/$run/episodes/$id', params: { run, id }, search: turnIn(position) }),
  };
  const words = {
    ' ': 'pause or resume',
    '.': 'one turn',
    t: 'take over',
    'ctrl alt esc': 'give back',
    f: 'fork here',
  };
  useKeys(keys, { ...turnKeyWords, ...words });
  return (
    <>
      <h1 className="instruction">{task.instruction}</h1>
      <p className="cockpit-facts">
        <StatusBadge status={status} by={live?.by} />
        <span>{progressWords({ turns: last - personTurns, personTurns, stepBudget: task.stepBudget })}</span>
        <span>
          {policy} in <code>{run}</code>
        </span>
        <code>{task.id}</code>
        <Link to="/runs/$run/episodes/$id" params={{ run, id }} search={turnIn(position)}>
          {status === 'ended' ? 'Open the episode' : 'Fork from here'}
        </Link>
      </p>
      {status === 'ended' && <Outcome end={end} verdict={verdict} answer={answer} />}
      {status === 'killed' && (
        <p className="problem" role="alert">
          The process that played it has died. The episode ends as cut when its run is resumed or its lake opened next.
        </p>
      )}
      {problem && <Problem error={problem} />}
      <div className="cockpit">
        <section aria-label="Screen">
          <CockpitScreen answer={answer} position={chosen} ask={ask} />
          {isMine && <Microphone run={run} episode={id} by={live.by!} turns={last} keys="ctrl alt space" />}
          <CockpitControls answer={answer} ask={ask} />
          <Timeline turns={turns} position={position} go={go} />
          <p className="keys">
            <kbd>space</kbd> pause, <kbd>.</kbd> one turn, <kbd>t</kbd> take over, <kbd>f</kbd> fork, <kbd>←</kbd>{' '}
            <kbd>→</kbd> turn, <kbd>end</kbd> newest. While you have it, mouse and keys on the screen are yours:{' '}
            <kbd>alt</kbd> with a click moves the mouse, <kbd>ctrl</kbd> <kbd>alt</kbd> <kbd>esc</kbd> gives it back,{' '}
            <kbd>ctrl</kbd> <kbd>alt</kbd> <kbd>space</kbd> switches the microphone.
          </p>
        </section>
        <Talk turns={turns} position={position} go={go} isFollowing={chosen === undefined} speech={speech.data} />
      </div>
    </>
  );
}

function Outcome({ end, verdict, answer }: Pick<LiveAnswer, 'end' | 'verdict'> & { readonly answer: LiveAnswer }) {
  const navigate = useNavigate();
  const [error, setError] = useState<Error>();
  const [isWaiting, setWaiting] = useState(false);
  const next = useRef<HTMLButtonElement>(null);
  useEffect(() => next.current?.focus(), []);
  const begin = (): void => {
    setWaiting(true);
    liveApi.next().then(
      ({ run, id }) => void navigate({ to: '/live/$run/$id', params: { run, id } }),
      (failure: unknown) => {
        setWaiting(false);
        setError(failure as Error);
      },
    );
  };
  return (
    <section className={`outcome ${verdict?.success === true ? 'good' : ''}`} aria-label="Outcome" role="status">
      <p>
        <b>{verdict ? (verdict.success ? 'Solved' : 'Not solved') : `Ended: ${end?.state.replaceAll('_', ' ')}`}</b>
        {verdict && `, score ${verdict.score.toFixed(2)}, says the ${verdict.source}`}
        {end && verdict && ` (${end.state.replaceAll('_', ' ')})`}
      </p>
      {end && 'message' in end && <pre tabIndex={0}>{end.message}</pre>}
      {verdict && Object.keys(verdict.evidence).length > 0 && (
        <details>
          <summary>Why</summary>
          <pre tabIndex={0}>{JSON.stringify(verdict.evidence, null, 2)}</pre>
        </details>
      )}
      {answer.offersNext && (
        <button ref={next} onClick={begin} disabled={isWaiting}>
          {isWaiting ? 'Opening …' : 'Next task'}
        </button>
      )}
      {error && <Problem error={error} />}
    </section>
  );
}
