import { type PointerEvent as ReactPointerEvent, useEffect, useRef, useState } from 'react';
import {
  type AgentAction,
  type Candidate,
  isSdkCall,
  onScreen,
  type Observation,
  type Point,
  pointsOf,
} from '@gyre/protocol';
import { pointer } from '../../src/report/pointer.js';
import { listenToPerson, pointIn } from '../parts/personInput.js';
import { Screenshot } from '../parts/screenshot.js';

/** Side of the lens in px, and what it magnifies by. */
const lens = { side: 120, zoom: 4 };

interface AnnotateStageProps {
  readonly run: string;
  readonly observation: Observation;
  readonly candidates: readonly Candidate[];
  /** Undefined while the page waits for the server. */
  readonly onAction: ((action: AgentAction) => void) | undefined;
}

/** The screen with the candidates drawn in their colours. A person's click or drag on it is an action. */
export function AnnotateStage({ run, observation, candidates, onAction }: AnnotateStageProps) {
  const stage = useRef<HTMLDivElement>(null);
  const latest = useRef(onAction);
  useEffect(() => {
    latest.current = onAction;
  });
  useEffect(() => {
    const element = stage.current;
    if (!element) return;
    return listenToPerson(element, {
      onAction: (action) => {
        // Keys belong to the page again.
        element.blur();
        latest.current?.(action);
      },
    });
  }, []);
  const [aim, setAim] = useState<{ x: number; y: number }>();
  const { width, height } = observation.size;
  const follow = (event: ReactPointerEvent<HTMLDivElement>): void =>
    setAim(pointIn(event.currentTarget.getBoundingClientRect(), event));
  return (
    <div className="annotate-screen">
      <div
        ref={stage}
        className="stage"
        role="application"
        aria-label="Screen: a click or drag on it is your action"
        tabIndex={-1}
        style={{ aspectRatio: `${width} / ${height}` }}
        onPointerMove={follow}
        onPointerLeave={() => setAim(undefined)}
      >
        <Screenshot run={run} hash={observation.screenshot} alt="current screen" />
        <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          {candidates.map((candidate, number) => (
            <CandidateMark
              key={number}
              {...{ candidate, number, size: observation.size }}
              below={candidates.slice(0, number).filter((other) => !placeOf(other)).length}
            />
          ))}
        </svg>
      </div>
      <div className="lens" aria-hidden="true">
        {aim && (
          <>
            <div style={{ width: lens.side, height: lens.side }}>
              <Screenshot
                run={run}
                hash={observation.screenshot}
                alt=""
                style={{
                  width: width * lens.zoom,
                  left: lens.side / 2 - aim.x * width * lens.zoom,
                  top: lens.side / 2 - aim.y * height * lens.zoom,
                }}
              />
            </div>
            <span>
              {aim.x.toFixed(3)}, {aim.y.toFixed(3)}
              <br />
              {Math.floor(aim.x * width)}, {Math.floor(aim.y * height)} px
            </span>
          </>
        )}
      </div>
    </div>
  );
}

interface MarkProps {
  readonly candidate: Candidate;
  readonly number: number;
  readonly size: Observation['size'];
  /** Earlier candidates without a place on the screen: their labels stand above each other. */
  readonly below: number;
}

const placeOf = ({ actions }: Candidate): Point | undefined =>
  actions.filter((action) => !isSdkCall(action)).flatMap(pointsOf)[0];

/** Halves a mark about its point: four of them must not hide the screen. */
const shrunk = ({ x, y }: Point, { width, height }: Observation['size']): string =>
  `translate(${(x * width) / 2} ${(y * height) / 2}) scale(0.5)`;

function CandidateMark({ candidate, number, size, below }: MarkProps) {
  const marks = onScreen(candidate.actions).flatMap((action) => pointer(action, size) ?? []);
  const unit = size.width / 320;
  const points = onScreen(candidate.actions).flatMap(pointsOf);
  const [point] = points;
  const lift = point ? 0 : -below * 22 * unit;
  const x = point ? Math.min(point.x * size.width + 9 * unit, size.width - 10 * unit) : 8 * unit;
  const y = point ? Math.max(point.y * size.height - 9 * unit, 12 * unit) : size.height - 12 * unit;
  return (
    <g className={`candidate-${number + 1} ${point ? '' : 'placeless'}`} transform={`translate(0 ${lift})`}>
      {/* Every value in it is escaped by its template. */}
      <g
        transform={points.length === 1 ? shrunk(points[0]!, size) : undefined}
        dangerouslySetInnerHTML={{ __html: marks.map(String).join('') }}
      />
      <text className="number" x={x} y={y} fontSize={13 * unit} strokeWidth={3 * unit}>
        {number + 1}
      </text>
    </g>
  );
}
