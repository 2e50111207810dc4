import { type SubmitEvent, useState } from 'react';
import type { Ask } from './cockpitPage.js';
import { type LiveAnswer, person } from './liveApi.js';

interface ControlsProps {
  readonly answer: LiveAnswer;
  readonly ask: Ask;
}

/** Buttons that pause, step, stop, take over and give back. */
export function CockpitControls({ answer, ask }: ControlsProps) {
  const { live, status } = answer;
  if (status === 'ended' || status === 'killed') return null;
  if (!live)
    return <p className="fine">It can be watched, but not controlled: its process offers no control socket.</p>;
  if (live.mine) return <HandsOn answer={answer} ask={ask} />;
  if (live.state === 'taken') return <p role="status">{live.by} has taken it over. You can watch.</p>;
  const isPaused = live.state === 'paused';
  return (
    <>
      <div className="controls">
        <button onClick={() => ask(isPaused ? 'resume' : 'pause')}>{isPaused ? 'Resume' : 'Pause'}</button>
        <button onClick={() => ask('step')} disabled={!isPaused || !live.waiting}>
          Step
        </button>
        <Stop ask={ask} />
        <TakeOver ask={ask} isMeasured={live.measured} />
      </div>
      {isPaused && !live.waiting && <p role="status">The policy ends its turn.</p>}
      {live.measured && <p className="fine">It measures the policy, so nobody can take it over. Fork it instead.</p>}
    </>
  );
}

function TakeOver({ ask, isMeasured }: { readonly ask: Ask; readonly isMeasured: boolean }) {
  const [name, setName] = useState(person.name);
  const take = (event: SubmitEvent): void => {
    event.preventDefault();
    person.name = name;
    ask('take');
  };
  return (
    <form onSubmit={take}>
      <input
        aria-label="Your name"
        placeholder="Your name"
        maxLength={60}
        value={name}
        onChange={(event) => setName(event.target.value)}
        disabled={isMeasured}
      />
      <button disabled={isMeasured}>Take over</button>
    </form>
  );
}

/** Asks once more. */
function Stop({ ask }: { readonly ask: Ask }) {
  const [isSure, setSure] = useState(false);
  return (
    <button onClick={() => (isSure ? ask('stop') : setSure(true))} onBlur={() => setSure(false)}>
      {isSure ? 'Stop it for good' : 'Stop'}
    </button>
  );
}

function HandsOn({ answer: { live, task }, ask }: ControlsProps) {
  const [note, setNote] = useState('');
  const [answer, setAnswer] = useState('');
  if (!live?.waiting) return <p role="status">You have it after the policy&rsquo;s turn.</p>;
  const give = (event: SubmitEvent): void => {
    event.preventDefault();
    ask('give', note.trim() === '' ? {} : { note: note.trim() });
  };
  const finish = (event: SubmitEvent): void => {
    event.preventDefault();
    const text = answer.trim();
    ask('act', { actions: [{ type: 'finished', ...(text !== '' && { answer: text }) }] });
  };
  return (
    <>
      <div className="controls">
        <button
          onClick={() => ask('act', { actions: [{ type: 'wait', seconds: 1 }] })}
          title="Time stands still between actions"
        >
          Wait 1 s
        </button>
        <Stop ask={ask} />
        {!live.played && (
          <form onSubmit={give}>
            <input
              aria-label="Note for the policy"
              placeholder="Note for the policy"
              maxLength={2_000}
              value={note}
              onChange={(event) => setNote(event.target.value)}
            />
            <button>Give back</button>
          </form>
        )}
      </div>
      <form className="controls" onSubmit={finish}>
        <input
          aria-label="Answer, if the task asks for one"
          placeholder="Answer, if it asks for one"
          value={answer}
          onChange={(event) => setAnswer(event.target.value)}
        />
        <button>Finish the task</button>
      </form>
      {live.played && <p className="fine">You play {task.family}. The verifier judges it at the end.</p>}
    </>
  );
}
