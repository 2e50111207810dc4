import { type Episode, onScreen, type Turn } from '@gyre/protocol';
import { pointer } from '../../src/report/pointer.js';
import { Screenshot } from './screenshot.js';

/** Returns the observation before a turn, or the last one. */
export const observationAt = ({ observation, turns }: Episode, position: number): Episode['observation'] =>
  position === 0 ? observation : (turns[Math.min(position, turns.length) - 1]?.observation ?? observation);

/** The screen before a turn, with its actions drawn where they land. */
export function Stage({
  run,
  turn,
  observation,
}: {
  readonly run: string;
  readonly turn: Turn | undefined;
  readonly observation: Episode['observation'];
}) {
  const { width, height } = observation.size;
  const marks = onScreen(turn?.actions ?? []).flatMap((action) => pointer(action, observation.size) ?? []);
  return (
    <div className="stage" style={{ aspectRatio: `${width} / ${height}` }}>
      <Screenshot
        run={run}
        hash={observation.screenshot}
        alt={turn ? `screen before turn ${turn.index + 1}` : 'last screen'}
      />
      {/* Every value in it is escaped by its template. */}
      <svg
        viewBox={`0 0 ${width} ${height}`}
        aria-hidden="true"
        dangerouslySetInnerHTML={{ __html: marks.map(String).join('') }}
      />
    </div>
  );
}
