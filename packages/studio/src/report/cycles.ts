import { charts } from '../charts/chart.js';
import { html, type Markup } from '../markup.js';
import type { CycleEntry, CyclesEntry, Family } from './report.js';
import { flowColours, flowColumns } from './flowDiagram.js';
import { percent, signed } from './percent.js';
import { sankey } from '../charts/sankey.js';

export function cyclesSection({ cycles, tested, stopped }: CyclesEntry): Markup {
  return html`<p class="fine">
      Success on the dev split after each cycle, and the mean of the families with its 95 % interval. Cycle 0 is before
      the first. The run stopped because ${stopped}. The results above are of cycle ${tested}, the latest whose weights
      are not significantly worse than the best ones on the dev split.
    </p>
    ${charts([
      {
        title: 'P(V = 1) by cycle',
        x: 'cycle',
        whole: true,
        y: 'success on tasks of the dev split, sampled',
        series: [
          ...familiesOf(cycles).map((family) => ({
            name: family,
            points: along(cycles, family, ({ success }) => success),
            ...(familiesOf(cycles).length === 1 && { band: bandOf(cycles, family) }),
          })),
          ...(familiesOf(cycles).length > 1 ? [mean(cycles)] : []),
        ],
      },
      {
        title: 'Samples in the pools',
        x: 'cycle',
        whole: true,
        y: 'episodes',
        series: (['sft', 'ct', 'rl'] as const)
          .filter((stage) => cycles.some(({ pools }) => pools[stage] > 0))
          .map((stage) => ({
            name: stage.toUpperCase(),
            points: cycles.map(({ cycle, pools }) => [cycle, pools[stage]] satisfies [number, number]),
          })),
      },
    ])}
    <h3>Gains and losses</h3>
    <p class="fine">
      Points gained over the previous cycle on the same tasks, with 95 % intervals; significant ones are bold.
    </p>
    ${deltas(cycles)}
    <h3>Data flow</h3>
    ${cycles.map(flow)}
    <h3>Cost</h3>
    <p class="fine">
      The lake holds the episodes of each result under its purpose. If a stage was interrupted and repeated, state.json
      lists the ids that count.
    </p>
    ${costs(cycles)}`;
}

function flow({ cycle, links, leftOut, pools, routes }: CycleEntry): Markup | undefined {
  if (links.length === 0) return undefined;
  const reasons = Object.entries(leftOut).map(([why, n]) => `${n}: ${why}`);
  return html`<figure class="wide">
    <figcaption>
      ${cycle === 0 ? 'Before the first cycle' : `Cycle ${cycle}`}<small>number of episodes; listed in ${routes}</small>
    </figcaption>
    ${sankey({ columns: flowColumns, links, colours: flowColours })}
    <small
      >The pools then hold ${pools.sft} samples for SFT and ${pools.ct} for
      CT${pools.rl > 0 ? ` and ${pools.rl} for RL` : ''}. RL trained on its rollouts before they were
      routed.${reasons.length > 0 ? ` Left out: ${reasons.join('; ')}.` : ''}</small
    >
  </figure>`;
}

function deltas(cycles: readonly CycleEntry[]): Markup {
  const later = cycles.filter(({ cycle }) => cycle > 0);
  return html`<table class="plain">
    <thead>
      <tr>
        <th>task family</th>
        <th>before (n = ${cycles[0]?.dev[0]?.n ?? 0})</th>
        ${later.map(({ cycle }) => html`<th>cycle ${cycle}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${familiesOf(cycles).map(
        (family) =>
          html`<tr>
            <td>${family}</td>
            <td>${percent(cycles[0]?.dev.find((result) => result.family === family)?.success ?? 0)} %</td>
            ${later.map(({ gains }) => gainCell(gains[family]))}
          </tr>`,
      )}
      ${familiesOf(cycles).length > 1 && later.some(({ meanGain }) => meanGain) ? means(cycles[0], later) : undefined}
    </tbody>
  </table>`;
}

function means(start: CycleEntry | undefined, later: readonly CycleEntry[]): Markup {
  const shares = start?.dev.map(({ success }) => success) ?? [];
  const before = shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length);
  return html`<tr>
      <th scope="row">mean</th>
      <td>${percent(before)} %</td>
      ${later.map(({ meanGain }) => gainCell(meanGain?.last))}
    </tr>
    <tr>
      <th scope="row">mean, since the start</th>
      <td></td>
      ${later.map(({ meanGain }) => gainCell(meanGain?.first))}
    </tr>`;
}

function gainCell(gain: Family['gain'] | undefined): Markup {
  if (!gain) return html`<td></td>`;
  const text = signed(gain);
  return gain.low > 0 || gain.high < 0 ? html`<td><b>${text}</b></td>` : html`<td>${text}</td>`;
}

function costs(cycles: readonly CycleEntry[]): Markup {
  return html`<table class="plain">
    <thead>
      <tr>
        <th>cycle</th>
        <th>minutes</th>
        <th>turns</th>
        <th>minutes by stage</th>
        <th>trained on</th>
        <th>dev episodes</th>
      </tr>
    </thead>
    <tbody>
      ${cycles.map(({ cycle, stages, trainedOn, devPurpose }) => {
        const sum = (of: 'minutes' | 'turns') => stages.reduce((total, stage) => total + stage[of], 0);
        const parts = stages
          .filter(({ minutes }) => minutes >= 0.05)
          .map(({ stage, minutes }) => `${stage.replace(/ \d+$/, '')} ${minutes.toFixed(1)}`);
        return html`<tr>
          <td>${cycle}</td>
          <td>${sum('minutes').toFixed(1)}</td>
          <td>${sum('turns')}</td>
          <td class="long">${parts.join(', ')}</td>
          <td class="long">${trainedOn}</td>
          <td>purpose “${devPurpose}” in the lake</td>
        </tr>`;
      })}
    </tbody>
  </table>`;
}

function bandOf(cycles: readonly CycleEntry[], family: string): [number, number, number][] {
  return cycles.flatMap(({ cycle, dev }) => {
    const measured = dev.find((result) => result.family === family);
    return measured ? [[cycle, measured.low, measured.high] satisfies [number, number, number]] : [];
  });
}

/** Returns the mean with a 95 % Wald interval over the tasks of all families. */
function mean(cycles: readonly CycleEntry[]) {
  const points: [number, number][] = [];
  const band: [number, number, number][] = [];
  for (const { cycle, dev } of cycles) {
    if (dev.length === 0) continue;
    const share = dev.reduce((sum, { success }) => sum + success, 0) / dev.length;
    const variance = dev.reduce((sum, { success, n }) => sum + (success * (1 - success)) / Math.max(1, n), 0);
    const reach = (1.96 * Math.sqrt(variance)) / dev.length;
    points.push([cycle, share]);
    band.push([cycle, Math.max(0, share - reach), Math.min(1, share + reach)]);
  }
  return { name: 'mean', points, band, main: true };
}

const familiesOf = (cycles: readonly CycleEntry[]): string[] => [
  ...new Set(cycles.flatMap(({ dev }) => dev.map(({ family }) => family))),
];

function along(
  cycles: readonly CycleEntry[],
  family: string,
  value: (result: CycleEntry['dev'][number]) => number,
): [number, number][] {
  return cycles.flatMap(({ cycle, dev }) => {
    const measured = dev.find((result) => result.family === family);
    return measured ? [[cycle, value(measured)] satisfies [number, number]] : [];
  });
}
