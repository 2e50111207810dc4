import { useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { api, pathOf } from '../api.js';
import { Problem } from '../parts/frame.js';
import { usePlay } from './usePlay.js';

/** Opens a task in which a person has every turn, as an episode of `human:NAME` in a run. */
export function PlayTask() {
  const { data: runs = [] } = useQuery({ queryKey: ['runs'], queryFn: ({ signal }) => api.runs(signal) });
  const [run, setRun] = useState<string>();
  const [task, setTask] = useState('2048/train/0');
  const { name, setName, isOpening, error, begin } = usePlay();
  if (runs.length === 0) return null;
  const play = (event: SubmitEvent): void => {
    event.preventDefault();
    begin(`${pathOf(run ?? runs[0]!.name)}/play`, { task: task.trim() });
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
