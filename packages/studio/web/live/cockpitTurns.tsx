import { useEffect, useRef } from 'react';
import { Badge } from '../parts/frame.js';
import type { SpeechAnswer } from '../speech/speechApi.js';
import { SpokenWords } from '../speech/turnSpeech.js';
import type { LiveTurn } from './liveApi.js';

interface TurnsProps {
  readonly turns: readonly LiveTurn[];
  /** Number of turns before the screen that is shown. */
  readonly position: number;
  readonly go: (to: number) => void;
}

/** Thoughts, actions and results as they come. */
export function Talk({
  turns,
  position,
  go,
  isFollowing,
  speech,
}: TurnsProps & { readonly isFollowing: boolean; readonly speech: SpeechAnswer | undefined }) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (isFollowing) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [turns.length, isFollowing]);
  return (
    <aside aria-label="Turns" className="talk-column">
      {turns.length === 0 && <p role="status">The first turn is being decided.</p>}
      <ol ref={list} className="talk" tabIndex={0} aria-label="Turns as they come">
        {turns.map(({ index, by, thought, words, observation, reward }) => (
          <li
            key={index}
            aria-current={index === position ? 'step' : undefined}
            className={by === undefined ? '' : 'by'}
          >
            <button className="link" onClick={() => go(index)}>
              Turn {index + 1}
            </button>{' '}
            {by !== undefined && <Badge kind="plain">{by}</Badge>}{' '}
            {reward !== 0 && <span>reward {reward.toFixed(2)}</span>}
            {thought !== undefined && thought !== '' && <p className="thought">{thought}</p>}
            <SpokenWords spoken={speech?.turns.find(({ turn }) => turn === index)} />
            <p className="did">{words.length === 0 ? 'no action' : words.join(', ')}</p>
            {observation.results?.map(({ kind, text }, i) => (
              <p key={i} className="result">
                <small>{kind}</small> {text.length > 600 ? `${text.slice(0, 600)} …` : text}
              </p>
            ))}
          </li>
        ))}
      </ol>
    </aside>
  );
}

/** A bar per turn, as high as its reward. */
export function Timeline({ turns, position, go }: TurnsProps) {
  const largest = Math.max(1e-9, ...turns.map(({ reward }) => Math.abs(reward)));
  return (
    <ol className="timeline" aria-label="Timeline">
      {turns.map(({ index, by, reward }) => (
        <li key={index}>
          <button
            aria-label={`turn ${index + 1}${by === undefined ? '' : ` by ${by}`}, reward ${reward.toFixed(2)}`}
            aria-current={index === position ? 'step' : undefined}
            onClick={() => go(index)}
          >
            <i
              className={`${by === undefined ? '' : 'by'} ${reward < 0 ? 'loss' : ''}`}
              style={{ height: `${reward === 0 ? 4 : 6 + 26 * (Math.abs(reward) / largest)}px` }}
            />
          </button>
        </li>
      ))}
    </ol>
  );
}
