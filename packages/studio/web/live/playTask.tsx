import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type SubmitEvent, useState } from 'react';
import type { NextTask } from '../../src/server/liveWire.js';
import { api, pathOf, send } from '../api.js';
import { Problem } from '../parts/frame.js';
import { person } from './liveApi.js';

/** Opens a task in which a person has every turn, as an episode of `human:NAME` in a run. */
export function PlayTask() {
  const navigate = useNavigate();
  const { data: runs = [] } = useQuery({ queryKey: ['runs'], queryFn: ({ signal }) => api.runs(signal) });
  const [run, setRun] = useState<string>();
  const [task, setTask] = useState('2048/train/0');
  const [name, setName] = useState(person.name);
  const [isOpening, setOpening] = useState(false);
  const [error, setError] = useState<Error>();
  if (runs.length === 0) return null;
  const play = (event: SubmitEvent): void => {
    event.preventDefault();
    person.name = name;
    setError(undefined);
    setOpening(true);
    send(`${pathOf(run ?? runs[0]!.name)}/play`, { task: task.trim(), by: name.trim() })
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
    <details className="play-task">
      <summary>Play a task yourself</summary>
      <form className="controls" onSubmit={play}>
        <label>
          Task <input required value={task} onChange={(event) => setTask(event.target.value)} />
        </label>
        <label>
          Your name <input required maxLength={60} value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        <label>
          Record it in{' '}
          <select value={run ?? runs[0]!.name} onChange={(event) => setRun(event.target.value)}>
            {runs.map((each) => (
              <option key={each.name}>{each.name}</option>
            ))}
          </select>
        </label>
        <button disabled={isOpening}>{isOpening ? 'Opening …' : 'Play and record'}</button>
      </form>
      {error && <Problem error={error} />}
    </details>
  );
}
