import { useEffect, useRef, useState } from 'react';
import { onScreen } from '@gyre/protocol';
import { pointer } from '../../src/report/pointer.js';
import { listenToPerson } from '../parts/personInput.js';
import { Screenshot, useBlobUrl } from '../parts/screenshot.js';
import type { Ask } from './cockpitPage.js';
import { type LiveAnswer, useMovingScreen } from './liveApi.js';

/** Time for which a new action is shown on the screen that the policy saw, in ms. */
const actionMs = 700;

interface ScreenProps {
  readonly answer: LiveAnswer;
  /** Number of turns before the screen; undefined for the newest. */
  readonly position: number | undefined;
  readonly ask: Ask;
}

/** The screen at full size. New actions are drawn where they land before their effect is shown. */
export function CockpitScreen({ answer, position, ask }: ScreenProps) {
  const { run, id, turns, observation: first, live, moves, status } = answer;
  const mine = live?.mine === true && status === 'person';
  const isActing = useNewTurn(turns.length, !mine);
  const place = position ?? (isActing ? turns.length - 1 : turns.length);
  const turn = position !== undefined || isActing ? turns[place] : undefined;
  const observation = turns[place - 1]?.observation ?? first;
  const { width, height } = observation.size;
  const marks = onScreen(turn?.actions ?? []).flatMap((action) => pointer(action, observation.size) ?? []);
  const { data: moving } = useMovingScreen(run, id, mine && moves && live.waiting && position === undefined);
  const movingUrl = useBlobUrl(mine && moves && position === undefined ? moving : undefined);

  const screen = useRef<HTMLDivElement>(null);
  const takesInput = mine && position === undefined;
  useEffect(() => {
    const element = screen.current;
    if (!element || !takesInput) return;
    element.focus();
    return listenToPerson(element, {
      onAction: (action) => ask('act', { actions: [action] }),
      onGiveBack: () => ask('give'),
    });
  }, [takesInput, ask]);

  const alt = turn ? `screen before turn ${turn.index + 1}` : 'newest screen';
  const content = (
    <>
      {movingUrl === undefined ? (
        <Screenshot run={run} hash={observation.screenshot} isLive alt={alt} />
      ) : (
        <img src={movingUrl} alt={alt} />
      )}
      {/* Every value in it is escaped by its template. */}
      <svg
        key={turn?.index}
        className={isActing && position === undefined ? 'ripple' : ''}
        viewBox={`0 0 ${width} ${height}`}
        aria-hidden="true"
        dangerouslySetInnerHTML={{ __html: marks.map(String).join('') }}
      />
    </>
  );
  const style = { aspectRatio: `${width} / ${height}`, maxWidth: `calc(70vh * ${width / height})` };
  if (!takesInput) {
    return (
      <div className="stage" style={style}>
        {content}
      </div>
    );
  }
  return (
    <div
      ref={screen}
      className="stage mine"
      style={style}
      tabIndex={0}
      role="application"
      aria-label="Screen of the session: your mouse and keys go to it"
    >
      {content}
    </div>
  );
}

/** Tells for a moment that a turn has been added. */
function useNewTurn(count: number, isOn: boolean): boolean {
  const [seen, setSeen] = useState(count);
  useEffect(() => {
    if (seen === count) return;
    const timer = setTimeout(() => setSeen(count), isOn ? actionMs : 0);
    return () => clearTimeout(timer);
  }, [count, seen, isOn]);
  return isOn && count > seen;
}
