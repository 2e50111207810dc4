import { Link } from '@tanstack/react-router';
import { percent, signed } from '../../src/report/percent.js';
import type { RunProgress, RunSummary, TrainingAnswer } from '../../src/server/trainingWire.js';
import { Badge } from '../parts/frame.js';
import { CopyButton } from '../parts/copyButton.js';

/** `42 → 55 %`, and of what. */
export function Headline({ headline }: Pick<RunSummary, 'headline'>) {
  if (!headline) return null;
  return (
    <p className="headline">
      <b>
        {percent(headline.before)} → {percent(headline.after)} %
      </b>{' '}
      {headline.measured}
    </p>
  );
}

/** The state of a run, how far it is, and how to go on with one that is not done. */
export function Progress({ progress }: Pick<RunSummary, 'progress'>) {
  const { share, minutesLeft, stage, resume, minutes } = progress;
  return (
    <div className="progress">
      <StateBadge {...progress} />
      {share !== undefined && (
        <progress aria-label="Time budget" max={1} value={share}>
          {Math.round(100 * share)} %
        </progress>
      )}
      <span className="fine">
        {[
          minutes > 0 && `${clock(minutes)} spent`,
          progress.state === 'running' && minutesLeft !== undefined && `${clock(minutesLeft)} left`,
          stage !== undefined && `last finished: ${stage}`,
        ]
          .filter((part) => part !== false)
          .join(' · ')}
      </span>
      {resume !== undefined && <CopyButton text={resume} name="resume" />}
    </div>
  );
}

function StateBadge({ state, share }: RunProgress) {
  if (state === 'none') return null;
  const kind = { running: 'live', done: 'good', stopped: 'plain', killed: 'bad' }[state];
  const text = state === 'running' && share !== undefined ? `running, ${Math.round(100 * share)} %` : state;
  return <Badge kind={kind as 'live'}>{text}</Badge>;
}

/** Formats minutes as `3:44 min` or `2:05 h`. */
function clock(minutes: number): string {
  const isLong = minutes >= 90;
  const units = Math.round(isLong ? minutes : minutes * 60);
  return `${Math.floor(units / 60)}:${String(units % 60).padStart(2, '0')} ${isLong ? 'h' : 'min'}`;
}

const policies = ['random', 'start', 'trained', 'oracle'] as const;
const purposes = { random: 'eval random', start: 'eval start', trained: 'eval trained', oracle: 'eval oracle' };

/** The table of the report. Each cell leads to its episodes. */
export function Families({ name: run, families, gain }: Pick<TrainingAnswer, 'name' | 'families' | 'gain'>) {
  if (families.length === 0) return null;
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Results on the test split">
      <table className="families">
        <caption>Held-out tasks solved, with 95 % intervals. Gain: trained minus start on the same tasks.</caption>
        <thead>
          <tr>
            <th scope="col">family</th>
            {policies.map((policy) => (
              <th scope="col" key={policy}>
                {policy}
              </th>
            ))}
            <th scope="col">gain</th>
          </tr>
        </thead>
        <tbody>
          {families.map((family) => (
            <tr key={family.family}>
              <th scope="row">
                {family.family}
                <small>{family.n > 0 ? `${family.n} tasks` : ''}</small>
              </th>
              {policies.map((policy) => {
                const cell = family[policy];
                return (
                  <td key={policy} className={policy}>
                    {cell && (
                      <Link
                        to="/runs/$run/episodes"
                        params={{ run }}
                        search={{ purpose: [purposes[policy]], family: [family.family] }}
                      >
                        <b>{percent(cell.success)} %</b>{' '}
                        <small>
                          {percent(cell.low)}–{percent(cell.high)}
                        </small>
                      </Link>
                    )}
                  </td>
                );
              })}
              <td>{family.gain && signed(family.gain)}</td>
            </tr>
          ))}
          {gain && families.length > 1 && (
            <tr>
              <th scope="row">mean</th>
              <td colSpan={policies.length} />
              <td>{signed(gain)}</td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}
