import type { RefObject, SubmitEvent } from 'react';
import { pathOf } from '../api.js';
import { usePlay } from '../live/usePlay.js';
import { Problem } from '../parts/frame.js';

interface PlayFromProps {
  readonly run: string;
  readonly id: string;
  /** Turns before the screen that is shown. */
  readonly position: number;
  readonly focus: RefObject<HTMLInputElement | null>;
}

/** Replays the turns before the screen that is shown, and hands the rest to a person. */
export function PlayFrom({ run, id, position, focus }: PlayFromProps) {
  const { name, setName, isOpening, error, begin } = usePlay();
  const play = (event: SubmitEvent): void => {
    event.preventDefault();
    begin(`${pathOf(run)}/episodes/${encodeURIComponent(id)}/play`, { turn: position });
  };
  return (
    <form className="fork play-from" onSubmit={play}>
      <label>
        Your name
        <input
          ref={focus}
          required
          maxLength={60}
          value={name}
          onChange={(event) => setName(event.target.value)}
          autoComplete="nickname"
        />
      </label>
      <button disabled={isOpening}>{isOpening ? 'Replaying …' : `Play from turn ${position} yourself`}</button>
      {error && <Problem error={error} />}
    </form>
  );
}
