import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Problem } from '../parts/frame.js';
import { useKeys } from '../parts/useKeys.js';
import { type RecorderState, SpeechRecorder } from './recorder.js';
import { speechKey } from './speechApi.js';
import './speech.css';

interface MicrophoneProps {
  readonly run: string;
  readonly episode: string;
  /** Name of the person. */
  readonly by: string;
  /** Number of turns so far: a recording ends with each. */
  readonly turns: number;
  /**
   * `space` is held to talk, where the page has the keys; `ctrl alt space` switches the microphone on and off, where they
   * belong to the session.
   */
  readonly keys: 'space' | 'ctrl alt space';
}

/** Records what a person says while they play. */
export function Microphone({ run, episode, by, turns, keys }: MicrophoneProps) {
  const client = useQueryClient();
  const [{ state, unsent, problem }, setState] = useState<RecorderState>({ state: 'off', unsent: 0 });
  const [isAlwaysOn, setAlwaysOn] = useState(false);
  const recorder = useRef<SpeechRecorder>(undefined);
  useEffect(() => {
    const current = new SpeechRecorder({ run, episode, by }, (next) => {
      setState(next);
      if (next.unsent === 0) void client.invalidateQueries({ queryKey: speechKey(run, episode) });
    });
    recorder.current = current;
    return () => current.close();
  }, [run, episode, by, client]);
  useEffect(() => {
    if (turns > 0) void recorder.current?.roll();
  }, [turns]);

  const talk = (isOn: boolean): void => {
    if (isOn) void recorder.current?.begin();
    else if (!isAlwaysOn) recorder.current?.end();
  };
  const keepOn = (isOn: boolean): void => {
    setAlwaysOn(isOn);
    if (isOn) void recorder.current?.begin();
    else recorder.current?.end();
  };
  const toggle = (): void => keepOn(!isAlwaysOn);
  useTalkKeys(keys, { talk, toggle });
  // Only listed here, and switched by the palette: the keys are heard above.
  const [key, words] =
    keys === 'space' ? [' ', 'talk while held (here: always on)'] : [keys, 'switch the microphone on or off'];
  useKeys({ [key]: toggle }, { [key]: words });
  return (
    <div className="microphone">
      {keys === 'space' && (
        <button
          aria-pressed={state === 'recording' && !isAlwaysOn}
          disabled={isAlwaysOn}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            talk(true);
          }}
          onPointerUp={() => talk(false)}
          onPointerCancel={() => talk(false)}
        >
          Hold to talk <kbd>space</kbd>
        </button>
      )}
      <button aria-pressed={isAlwaysOn} onClick={() => keepOn(!isAlwaysOn)}>
        {keys === 'space' ? 'Always on' : 'Microphone'}
        {keys === 'ctrl alt space' && (
          <>
            {' '}
            <kbd>ctrl alt space</kbd>
          </>
        )}
      </button>
      <span role="status" className={`microphone-state ${state}`}>
        {state === 'recording' ? 'recording' : state === 'opening' ? 'opening the microphone …' : 'microphone off'}
        {unsent > 1 && `, ${unsent} parts are not sent yet`}
      </span>
      {problem && <Problem error={problem} />}
    </div>
  );
}

function useTalkKeys(
  keys: MicrophoneProps['keys'],
  handlers: { readonly talk: (isOn: boolean) => void; readonly toggle: () => void },
): void {
  const latest = useRef(handlers);
  useEffect(() => {
    latest.current = handlers;
  });
  useEffect(() => {
    let isHeld = false;
    const onDown = (event: KeyboardEvent): void => {
      if (event.code !== 'Space') return;
      const isChord = event.ctrlKey && event.altKey;
      const isPlain = !event.ctrlKey && !event.altKey && !event.metaKey && !event.shiftKey;
      const isElsewhere =
        event.target instanceof Element && event.target.closest('input, textarea, select, button, a, summary, dialog');
      if (keys === 'space' ? !isPlain || isElsewhere : !isChord) return;
      event.preventDefault();
      // Before the session gets it.
      event.stopPropagation();
      if (event.repeat || isHeld) return;
      if (keys === 'ctrl alt space') return latest.current.toggle();
      isHeld = true;
      latest.current.talk(true);
    };
    const release = (event: Event): void => {
      if (!isHeld || (event instanceof KeyboardEvent && event.code !== 'Space')) return;
      isHeld = false;
      latest.current.talk(false);
    };
    addEventListener('keydown', onDown, { capture: true });
    addEventListener('keyup', release, { capture: true });
    addEventListener('blur', release);
    return () => {
      removeEventListener('keydown', onDown, { capture: true });
      removeEventListener('keyup', release, { capture: true });
      removeEventListener('blur', release);
      if (isHeld) latest.current.talk(false);
    };
  }, [keys]);
}
