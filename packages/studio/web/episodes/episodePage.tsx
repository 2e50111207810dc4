import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { describeAction, type Episode, type Turn } from '@gyre/protocol';
import { api } from '../api.js';
import { EpisodeOutcome } from './episodesPage.js';
import { Forks } from './forks.js';
import { PlayFrom } from './playFrom.js';
import { Badge, Problem } from '../parts/frame.js';
import { Screenshot } from '../parts/screenshot.js';
import { turnIn } from '../parts/search.js';
import { observationAt, Stage } from '../parts/stage.js';
import { EpisodeSpeech, TurnSpeech } from '../speech/turnSpeech.js';
import { TurnControls, turnKeys, turnKeyWords } from '../parts/turnControls.js';
import { useKeys } from '../parts/useKeys.js';
import { type Checked, useVerification, Verification } from './verification.js';

const route = getRouteApi('/runs/$run/episodes/$id');
const playMs = 700;

/** One episode, turn by turn. */
export function EpisodePage() {
  const { run, id } = route.useParams();
  const { data, error } = useQuery({
    queryKey: ['episode', run, id],
    queryFn: ({ signal }) => api.episode(run, id, signal),
  });
  if (error) return <Problem error={error} />;
  if (!data) return <p role="status">Reading the episode …</p>;
  return <Shown key={id} run={run} {...data} />;
}

function Shown({
  run,
  episode,
  running,
  forks,
  notReplayable,
}: { readonly run: string } & Awaited<ReturnType<typeof api.episode>>) {
  const { turn: linked = 0 } = route.useSearch();
  const navigate = useNavigate();
  const client = useQueryClient();
  const last = episode.turns.length;
  const position = Math.min(linked, last);
  const go = useCallback(
    (to: number): void => {
      const turn = Math.max(0, Math.min(last, to));
      const search = turnIn(turn);
      void navigate({ to: '/runs/$run/episodes/$id', params: { run, id: episode.id }, search, replace: true });
    },
    [last, navigate, run, episode.id],
  );
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying) return;
    if (position >= last) {
      setPlaying(false);
      return;
    }
    const timer = setTimeout(() => go(position + 1), playMs);
    return () => clearTimeout(timer);
  }, [isPlaying, position, last, go]);
  const verification = useVerification(run, episode.id);
  const forking = useRef<HTMLSelectElement>(null);
  const playing = useRef<HTMLInputElement>(null);
  const keys = {
    ...turnKeys({ position, last, go }),
    ' ': () => {
      if (position >= last) go(0);
      setPlaying(!isPlaying);
    },
    ...(notReplayable === undefined && {
      v: () => verification.start(),
      f: () => forking.current?.focus(),
      p: () => playing.current?.focus(),
    }),
  };
  useKeys(keys, { ...turnKeyWords, ' ': 'play or pause', v: 'verify', f: 'fork here', p: 'play from here' });
  const turn = episode.turns[position];
  const observation = observationAt(episode, position);
  return (
    <>
      <h1 className="instruction">{episode.task.instruction}</h1>
      <Facts run={run} episode={episode} running={running} />
      <div className="episode">
        <section aria-label="Screen">
          <Stage run={run} turn={turn} observation={observation} />
          <TurnControls position={position} last={last} go={go}>
            <button onClick={() => setPlaying(!isPlaying)} disabled={last === 0}>
              {isPlaying ? 'Pause' : 'Play'}
            </button>
          </TurnControls>
          <Strip run={run} episode={episode} position={position} go={go} checked={verification.frames} />
          <p className="keys">
            <kbd>←</kbd> <kbd>→</kbd> turn, <kbd>shift</kbd> ten, <kbd>home</kbd> <kbd>end</kbd>, <kbd>space</kbd> play,{' '}
            <kbd>v</kbd> verify, <kbd>f</kbd> fork, <kbd>p</kbd> play from here
          </p>
        </section>
        <aside aria-label="Turn">
          {turn ? <TurnPanel turn={turn} /> : <Ending episode={episode} running={running} />}
          {turn ? (
            turn.by !== undefined && <TurnSpeech run={run} episode={episode.id} turn={turn.index} isLive={running} />
          ) : (
            <EpisodeSpeech run={run} episode={episode.id} isLive={running} />
          )}
          <Verification
            run={run}
            {...verification}
            notReplayable={notReplayable}
            recorded={observation.screenshot}
            frame={position - 1}
          />
          {notReplayable === undefined && <PlayFrom run={run} id={episode.id} position={position} focus={playing} />}
          <Forks
            run={run}
            id={episode.id}
            position={position}
            forks={forks}
            notReplayable={notReplayable}
            focus={forking}
            onFork={() => void client.invalidateQueries({ queryKey: ['episode', run, episode.id] })}
          />
        </aside>
      </div>
    </>
  );
}

function Facts({
  run,
  episode,
  running,
}: {
  readonly run: string;
  readonly episode: Episode;
  readonly running: boolean;
}) {
  const { task, policy, purpose, fork } = episode;
  const fact = (name: string, value: ReactNode) => (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
  return (
    <dl className="facts">
      {fact('outcome', running ? <Badge kind="live">playing</Badge> : <EpisodeOutcome episode={episode} />)}
      {fact('task', <code>{task.id}</code>)}
      {fact('policy', policy)}
      {fact('purpose', purpose)}
      {fact('turns', `${episode.turns.length} of at most ${task.stepBudget}`)}
      {fork &&
        fact(
          'continues',
          <Link to="/runs/$run/episodes/$id" params={{ run, id: fork.episode }} search={turnIn(fork.turn)}>
            another episode after turn {fork.turn}
          </Link>,
        )}
      {fork &&
        fact(
          'against it',
          <Link to="/runs/$run/compare" params={{ run }} search={{ a: fork.episode, b: episode.id, turn: fork.turn }}>
            A|B
          </Link>,
        )}
    </dl>
  );
}

function Strip({
  run,
  episode,
  position,
  go,
  checked,
}: {
  readonly run: string;
  readonly episode: Episode;
  readonly position: number;
  readonly go: (to: number) => void;
  readonly checked: ReadonlyMap<number, Checked>;
}) {
  const frames = [episode.observation, ...episode.turns.map(({ observation }) => observation)];
  const current = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    current.current?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [position]);
  return (
    <ol className="strip" aria-label="Screens">
      {frames.map(({ screenshot }, index) => {
        const check = checked.get(index - 1);
        const state = check === undefined ? '' : check.same ? 'same' : 'different';
        return (
          <li key={index}>
            <button
              ref={index === position ? current : undefined}
              aria-current={index === position ? 'step' : undefined}
              className={state}
              onClick={() => go(index)}
              aria-label={`screen ${index}${state === '' ? '' : `, ${state} when repeated`}`}
            >
              <Screenshot run={run} hash={screenshot} width={120} alt="" />
              {index}
            </button>
          </li>
        );
      })}
    </ol>
  );
}

function TurnPanel({ turn }: { readonly turn: Turn }) {
  const { index, thought, actions, text, sample, observation, reward, advice } = turn;
  return (
    <section className="turn" aria-label={`Turn ${index + 1}`}>
      <h2>Turn {index + 1}</h2>
      {thought !== undefined && thought !== '' && <p className="thought">{thought}</p>}
      <ul className="actions">
        {actions.length === 0 && <li>no action</li>}
        {actions.map((action, i) => (
          <li key={i}>
            <code>{describeAction(action)}</code>
          </li>
        ))}
      </ul>
      {sample && <Tokens logprobs={sample.logprobs} version={sample.policyVersion} />}
      {reward !== 0 && <p>Reward {reward.toFixed(2)}</p>}
      {observation.results?.map(({ kind, text: result }, i) => (
        <details key={i} open={result.length < 400}>
          <summary>{kind}</summary>
          <pre tabIndex={0}>{result}</pre>
        </details>
      ))}
      {advice && advice.actions.length > 0 && (
        <p>
          The oracle would <code>{advice.actions.map(describeAction).join(', ')}</code>
        </p>
      )}
      {text !== undefined && (
        <details>
          <summary>Raw answer</summary>
          <pre tabIndex={0}>{text}</pre>
        </details>
      )}
    </section>
  );
}

/** A bar per sampled token: dark is sure. */
function Tokens({ logprobs, version }: { readonly logprobs: readonly number[]; readonly version: number }) {
  const total = logprobs.reduce((sum, logprob) => sum + logprob, 0);
  return (
    <div className="tokens">
      <span role="img" aria-label={`${logprobs.length} tokens of probability ${Math.exp(total).toFixed(3)} in all`}>
        {logprobs.map((logprob, i) => (
          <i
            key={i}
            title={`token ${i + 1}: ${Math.exp(logprob).toFixed(3)}`}
            style={{ opacity: 0.12 + 0.88 * Math.exp(logprob) }}
          />
        ))}
      </span>
      <small>
        {logprobs.length} tokens, log-probability {total.toFixed(2)}, weights of version {version}
      </small>
    </div>
  );
}

function Ending({ episode: { end, verdict }, running }: { readonly episode: Episode; readonly running: boolean }) {
  return (
    <section className="turn" aria-label="End">
      <h2>{running ? 'Playing' : 'End'}</h2>
      <p>
        <Badge kind={running ? 'live' : 'plain'}>
          {running ? 'the next turn is being decided' : end.state.replaceAll('_', ' ')}
        </Badge>
      </p>
      {'message' in end && <pre tabIndex={0}>{end.message}</pre>}
      {verdict && (
        <>
          <p>
            {verdict.success ? 'Solved' : 'Not solved'}, score {verdict.score.toFixed(2)}, says the {verdict.source}.
          </p>
          <details>
            <summary>Evidence</summary>
            <pre tabIndex={0}>{JSON.stringify(verdict.evidence, null, 2)}</pre>
          </details>
        </>
      )}
    </section>
  );
}
