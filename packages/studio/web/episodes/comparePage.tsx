import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { describeAction, type Episode } from '@gyre/protocol';
import { api } from '../api.js';
import { firstDivergence } from './divergence.js';
import { EpisodeOutcome } from './episodesPage.js';
import { Problem } from '../parts/frame.js';
import { textIn, turnIn } from '../parts/search.js';
import { observationAt, Stage } from '../parts/stage.js';
import { TurnControls, turnKeys, turnKeyWords } from '../parts/turnControls.js';
import { useKeys } from '../parts/useKeys.js';

/** Reads from the address which episodes are compared, and the screen. */
export function compareSearch(search: Record<string, unknown>): { a: string; b: string; turn?: number } {
  return { a: textIn(search.a), b: textIn(search.b), ...turnIn(search.turn) };
}

const route = getRouteApi('/runs/$run/compare');

/** Two episodes of one task side by side, turn by turn. */
export function ComparePage() {
  const { run } = route.useParams();
  const { a, b } = route.useSearch();
  const episodeOf = (id: string) => ({
    queryKey: ['episode', run, id],
    queryFn: ({ signal }: { signal: AbortSignal }) => api.episode(run, id, signal),
  });
  const before = useQuery(episodeOf(a));
  const after = useQuery(episodeOf(b));
  const error = before.error ?? after.error;
  if (error) return <Problem error={error} />;
  if (!before.data || !after.data) return <p role="status">Reading the episodes …</p>;
  return <Compared run={run} a={before.data.episode} b={after.data.episode} />;
}

function Compared({ run, a, b }: { readonly run: string; readonly a: Episode; readonly b: Episode }) {
  const { turn: linked = 0 } = route.useSearch();
  const navigate = useNavigate();
  const last = Math.max(a.turns.length, b.turns.length);
  const position = Math.min(linked, last);
  const go = (to: number): void => {
    const turn = Math.max(0, Math.min(last, to));
    const search = { a: a.id, b: b.id, ...turnIn(turn) };
    void navigate({ to: '/runs/$run/compare', params: { run }, search, replace: true });
  };
  const divergence = firstDivergence(a, b);
  const keys = { ...turnKeys({ position, last, go }), d: () => divergence && go(divergence.turn) };
  useKeys(keys, { ...turnKeyWords, d: 'first difference' });
  return (
    <>
      <h1 className="instruction">{a.task.instruction}</h1>
      {a.task.id !== b.task.id && (
        <p className="warning" role="status">
          These are two tasks: {a.task.id} and {b.task.id}
        </p>
      )}
      <p>
        {divergence === undefined ? (
          'They are the same, turn by turn.'
        ) : (
          <>
            The first difference is {divergence.kind === 'screen' ? 'the screen before' : 'the action of'}{' '}
            <button onClick={() => go(divergence.turn)}>turn {divergence.turn + 1}</button>.
          </>
        )}
      </p>
      <TurnControls position={position} last={last} go={go} />
      <div className="compare">
        <Side run={run} name="A" episode={a} position={position} />
        <Side run={run} name="B" episode={b} position={position} />
      </div>
      <p className="keys">
        <kbd>←</kbd> <kbd>→</kbd> turn, <kbd>shift</kbd> ten, <kbd>home</kbd> <kbd>end</kbd>, <kbd>d</kbd> first
        difference
      </p>
    </>
  );
}

function Side({
  run,
  name,
  episode,
  position,
}: {
  readonly run: string;
  readonly name: string;
  readonly episode: Episode;
  readonly position: number;
}) {
  const turn = episode.turns[position];
  const isOver = position >= episode.turns.length;
  return (
    <section aria-label={name}>
      <h2>
        {name}:{' '}
        <Link
          to="/runs/$run/episodes/$id"
          params={{ run, id: episode.id }}
          search={position > 0 && !isOver ? { turn: position } : {}}
        >
          {episode.policy}, {episode.turns.length} turns
        </Link>{' '}
        <EpisodeOutcome episode={episode} />
      </h2>
      <Stage run={run} turn={turn} observation={observationAt(episode, position)} />
      <ul className="actions">
        {turn ? (
          turn.actions.map((action, i) => (
            <li key={i}>
              <code>{describeAction(action)}</code>
            </li>
          ))
        ) : (
          <li>{position > episode.turns.length ? 'It has ended before.' : 'End'}</li>
        )}
      </ul>
      {turn?.thought !== undefined && turn.thought !== '' && <p className="thought">{turn.thought}</p>}
    </section>
  );
}
