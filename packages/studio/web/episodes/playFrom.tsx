import { useNavigate } from '@tanstack/react-router';
import { type RefObject, type SubmitEvent, useState } from 'react';
import type { NextTask } from '../../src/server/liveWire.js';
import { pathOf, send } from '../api.js';
import { person } from '../live/liveApi.js';
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
  const navigate = useNavigate();
  const [name, setName] = useState(person.name);
  const [isOpening, setOpening] = useState(false);
  const [error, setError] = useState<Error>();
  const play = (event: SubmitEvent): void => {
    event.preventDefault();
    person.name = name;
    setError(undefined);
    setOpening(true);
    send(`${pathOf(run)}/episodes/${encodeURIComponent(id)}/play`, { turn: position, by: name.trim() })
      .then((response) => response.json() as Promise<NextTask>)
      .then(
        (begun) => void navigate({ to: '/live/$run/$id', params: begun }),
        (failure: unknown) => {
          setOpening(false);
          setError(failure as Error);
        },
      );
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
