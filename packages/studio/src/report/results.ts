import { html, type Markup } from '../markup.js';
import { percent, signed } from './percent.js';
import type { Family, Interval } from './report.js';

export function results(families: readonly Family[]): Markup {
  return html`<table class="results">
      <thead>
        <tr>
          <th scope="col">task family</th>
          <th scope="col">random</th>
          <th scope="col">start</th>
          <th scope="col">trained</th>
          <th scope="col">oracle</th>
        </tr>
      </thead>
      <tbody>
        ${families.map(row)}
      </tbody>
    </table>
    <p class="fine">
      Share of held-out tasks solved, with 95 % intervals. Start: the start weights, or the policy after supervised
      fine-tuning, before the first cycle. Trained: the policy after the cycles of SFT, reinforcement learning and
      continual training (see the settings). Gain: trained minus start in points, on the same tasks.
    </p>`;
}

function row(family: Family): Markup {
  return html`<tr>
    <th scope="row">
      ${family.family}<small>${family.description}</small
      ><small>${family.n} episodes, ${family.baselines} for random and oracle</small>
    </th>
    ${cell('random', family.random)}${cell('start', family.start)}${cell('trained', family.trained, family.gain)}${cell('oracle', family.oracle)}
  </tr>`;
}

function cell(policy: string, interval: Interval, gain?: Family['gain']): Markup {
  const x = (share: number) => 2 + share * 96;
  const bar = html`<svg class="bar ${policy}" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
    <rect class="track" x="2" y="3" width="96" height="4" />
    <rect class="fill" x="2" y="3" width="${interval.success * 96}" height="4" />
    <path
      class="whisker"
      d="M${x(interval.low)} 5H${x(interval.high)}M${x(interval.low)} 2V8M${x(interval.high)} 2V8"
    />
  </svg>`;
  const more = gain && html`<small>gain ${signed(gain)}</small>`;
  return html`<td>
    <b class="${policy}">${percent(interval.success)}<i>%</i></b
    ><span>${percent(interval.low)}–${percent(interval.high)}</span>${bar}${more}
  </td>`;
}
