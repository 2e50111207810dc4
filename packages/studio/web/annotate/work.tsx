import { useEffect, useRef, useState } from 'react';
import { type AgentAction, describeAction } from '@gyre/protocol';
import type { AnnotationState, CandidatesAnswer } from '../../src/server/annotateWire.js';
import { Badge, Problem } from '../parts/frame.js';
import { Microphone } from '../speech/microphone.js';
import { useSpeech } from '../speech/speechApi.js';
import { SpokenWords } from '../speech/turnSpeech.js';
import { useKeys } from '../parts/useKeys.js';
import { ActionInput } from './actionInput.js';
import { annotateApi } from './annotateApi.js';
import { AnnotateStage } from './annotateStage.js';
import { CandidateList } from './candidateList.js';
import { GiveUp } from './giveUp.js';
import { useTurnTimes } from './turnTimes.js';

interface WorkProps {
  readonly run: string;
  readonly initial: AnnotationState;
  readonly initialNote: string | undefined;
  readonly onSubmitted: () => Promise<void>;
  readonly onReleased: () => void;
}

type Mode = 'accept' | 'thought' | 'action' | 'answer' | 'hopeless';

const workKeyWords = {
  ...{ 1: 'accept the first', 2: 'accept the second', 3: 'accept the third', 4: 'accept the fourth' },
  ...{ Enter: 'accept the best, or submit', e: 'edit the thought', r: 'sample again', u: 'undo' },
  ...{ g: 'let the policy go on', t: 'write an action', f: 'finish with an answer', x: 'give up: hopeless' },
};

/** One task that a person annotates. */
export function Work({ run, initial, initialNote, onSubmitted, onReleased }: WorkProps) {
  const [state, setState] = useState(initial);
  const [offer, setOffer] = useState<CandidatesAnswer>();
  const [mode, setMode] = useState<Mode>('accept');
  const [thought, setThought] = useState('');
  const [busy, setBusy] = useState(false);
  const [note, setNote] = useState(initialNote);
  const [problem, setProblem] = useState<Error>();
  const times = useTurnTimes();
  const { episode, task, turns, outcome } = state;
  const index = turns.length;
  const observation = turns.at(-1)?.observation ?? state.observation;

  const latest = useRef(0);
  const propose = async (position: number, again = false): Promise<void> => {
    const call = ++latest.current;
    setOffer(undefined);
    try {
      const answer = await annotateApi.candidates(run, episode, position, again);
      // A person may have acted meanwhile.
      if (call !== latest.current) return;
      setOffer(answer);
      times.end();
    } catch (error) {
      if (call === latest.current) setProblem(error as Error);
    }
  };
  const arrive = (next: AnnotationState): void => {
    setState(next);
    setMode('accept');
    if (next.outcome) {
      latest.current++;
      setOffer(undefined);
      times.end();
    } else void propose(next.turns.length);
  };
  useEffect(() => {
    if (!initial.outcome) void propose(initial.turns.length);
  }, []);

  const during = async (work: () => Promise<void>): Promise<void> => {
    if (busy) return;
    times.begin();
    setBusy(true);
    setProblem(undefined);
    setNote(undefined);
    try {
      await work();
    } catch (error) {
      setProblem(error as Error);
    }
    setBusy(false);
  };
  const act = (actions: readonly AgentAction[], candidate?: number): Promise<void> =>
    during(async () => {
      const proposed = candidate === undefined ? undefined : offer?.candidates[candidate]?.thought;
      const spoken = mode === 'thought' ? thought.trim() : proposed;
      arrive(
        await annotateApi.act(run, episode, {
          ...{ index, actions },
          ...(candidate !== undefined && { candidate }),
          ...(spoken !== undefined && spoken !== '' && { thought: spoken }),
        }),
      );
    });
  const accept = (number: number): void => {
    const candidate = offer?.candidates[number];
    if (candidate && !outcome) void act(candidate.actions, number);
  };
  const undo = () => during(async () => arrive(await annotateApi.undo(run, episode, index)));
  const proceed = () =>
    during(async () => {
      const { taken, state: next } = await annotateApi.proceed(run, episode, index);
      arrive(next);
      setNote(`The policy took ${taken} ${taken === 1 ? 'turn' : 'turns'} in which its samples agreed.`);
    });
  const submit = (terms: { lastGood?: number; reason?: string } = {}) =>
    during(async () => {
      await annotateApi.submit(run, episode, { index, ...terms });
      await onSubmitted();
    });
  const release = () =>
    during(async () => {
      await annotateApi.release(run, episode, index);
      onReleased();
    });
  const edit = (): void => {
    setThought(offer?.candidates[0]?.thought ?? '');
    setMode('thought');
  };
  const open = (to: Mode) => (): void => {
    if (!outcome) setMode(to);
  };

  const keys = {
    ...Object.fromEntries([0, 1, 2, 3].map((number) => [String(number + 1), () => accept(number)])),
    Enter: () => (outcome ? void submit() : accept(0)),
    e: () => outcome ?? edit(),
    r: () => outcome ?? (busy || void propose(index, true)),
    u: () => void undo(),
    g: () => outcome ?? void proceed(),
    t: open('action'),
    f: open('answer'),
    x: open('hopeless'),
  };
  useKeys(keys, workKeyWords);

  return (
    <div className="annotate">
      <section className="screen">
        <AnnotateStage
          {...{ run, observation }}
          candidates={offer?.candidates ?? []}
          onAction={busy || outcome ? undefined : (action) => void act([action])}
        />
      </section>
      <section className="side" aria-busy={busy}>
        <h1>{task.instruction}</h1>
        <p className="fine">
          <code>{task.id}</code> turn {index + 1} of {task.stepBudget}, proposed by {state.policy}
          {times.median !== undefined && (
            <>
              {', '}
              <output aria-label="Time per turn">{(times.median / 1000).toFixed(2)} s per turn</output>
            </>
          )}
        </p>
        {problem && <Problem error={problem} />}
        {note !== undefined && <p role="status">{note}</p>}
        {outcome ? (
          <div className="annotated-end">
            <p>
              The task is over.{' '}
              <Badge kind={outcome.verdict?.success ? 'good' : 'bad'}>
                {outcome.verdict?.success ? 'solved' : 'not solved'}
              </Badge>
            </p>
            <button disabled={busy} onClick={() => void submit()}>
              Submit <kbd>Enter</kbd>
            </button>{' '}
            <button disabled={busy || index === 0} onClick={() => void undo()}>
              Undo <kbd>U</kbd>
            </button>
          </div>
        ) : (
          <CandidateList
            candidates={offer?.candidates}
            words={offer?.words ?? []}
            malformed={offer?.malformed ?? 0}
            disabled={busy}
            onAccept={accept}
          />
        )}
        {mode === 'thought' && (
          <label className="thought-edit">
            Thought of your next action
            <textarea
              autoFocus
              rows={3}
              value={thought}
              onChange={(event) => setThought(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Escape') setMode('accept');
                if (event.key !== 'Enter' || event.shiftKey) return;
                event.preventDefault();
                accept(0);
              }}
            />
            <small>
              <kbd>Enter</kbd> accepts candidate 1 with it; a number or the screen takes another action; <kbd>Esc</kbd>{' '}
              cancels
            </small>
          </label>
        )}
        {(mode === 'action' || mode === 'answer') && (
          <ActionInput
            key={mode}
            initial={mode === 'answer' ? "finished(content='" : ''}
            disabled={busy}
            onAction={(actions) => void act(actions)}
            onCancel={() => setMode('accept')}
          />
        )}
        {mode === 'hopeless' && (
          <GiveUp turns={index} onCancel={() => setMode('accept')} onSubmit={(terms) => void submit(terms)} />
        )}
        <div className="verbs">
          {!outcome && (
            <>
              <button onClick={edit}>
                Edit thought <kbd>E</kbd>
              </button>
              <button onClick={open('action')}>
                Write action <kbd>T</kbd>
              </button>
              <button disabled={busy} onClick={() => void propose(index, true)}>
                Sample again <kbd>R</kbd>
              </button>
              <button disabled={busy || index === 0} onClick={() => void undo()}>
                Undo <kbd>U</kbd>
              </button>
              <button onClick={open('answer')}>
                Finish <kbd>F</kbd>
              </button>
              <button onClick={open('hopeless')}>
                Hopeless <kbd>X</kbd>
              </button>
              <button disabled={busy} onClick={() => void proceed()}>
                Let the policy go on <kbd>G</kbd>
              </button>
            </>
          )}
          <button disabled={busy} onClick={() => void release()}>
            Give the task back
          </button>
        </div>
        <Microphone run={run} episode={episode} by={state.by} turns={index} keys="space" />
        <History turns={turns} run={run} episode={episode} />
      </section>
    </div>
  );
}

function History({ turns, run, episode }: Pick<AnnotationState, 'turns' | 'episode'> & { readonly run: string }) {
  const { data: speech } = useSpeech(run, episode, true);
  return (
    <ol className="history" aria-label="Turns so far">
      {turns.map(({ index, by, actions, thought, edited }) => (
        <li key={index}>
          {actions.map(describeAction).join(', ')}{' '}
          <small>
            {by ?? 'policy'}
            {edited && ', edited'}
          </small>
          {thought !== undefined && <q>{thought}</q>}
          <SpokenWords spoken={speech?.turns.find(({ turn }) => turn === index)} />
        </li>
      ))}
    </ol>
  );
}
