import { charts } from '../charts/chart.js';
import { cyclesSection } from './cycles.js';
import { filmstrips } from './filmstrip.js';
import { html, type Markup } from '../markup.js';
import type { CurvesReport, Family, Report } from './report.js';
import { percent, signed } from './percent.js';
import { results } from './results.js';
import { style } from './style.js';

export function curvesPage({ title, paragraphs, table, sections = [], curves }: CurvesReport): Markup {
  return document(
    title,
    html`<h1>${title}</h1>
      ${paragraphs.map((text) => html`<p>${text}</p>`)} ${charts(curves)} ${plainTable(table)}
      ${sections.map(
        (section) =>
          html`<h2>${section.title}</h2>
            ${plainTable(section.table)}`,
      )}`,
  );
}

function plainTable([header = [], ...rows]: CurvesReport['table']): Markup {
  return html`<table class="plain">
    <thead>
      <tr>
        ${header.map((name) => html`<th>${name}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            ${row.map((value) => html`<td>${value}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

export function page(report: Report): Markup {
  const { curves, notes } = report;
  return document(
    report.title,
    html`${headline(report)} ${facts(report)}
      <h2>Results</h2>
      ${results(report.families)} ${section('Cycles', cyclesSection(report.cycles))}
      ${section('Training', curves.length > 0 ? charts(curves) : undefined)}
      ${section(
        'Episodes',
        report.filmstrips.length > 0
          ? html`<p class="fine">
                Each frame shows the screen that the policy saw and the action it took. The policy gets only these
                pixels and the instruction.
              </p>
              ${filmstrips(report.filmstrips, report.families)}`
          : undefined,
      )}
      ${section(
        'Notes',
        notes.length > 0
          ? html`<ul class="notes">
              ${notes.map((note) => html`<li>${note}</li>`)}
            </ul>`
          : undefined,
      )}
      ${section('Settings', settings(report.settings))}`,
  );
}

function document(title: string, body: Markup): Markup {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
        />
        <meta name="referrer" content="no-referrer" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${style}
        </style>
      </head>
      <body>
        <main>
          <div class="brand">${sign}<b>gyre</b><span>${title}</span>${themes}</div>
          ${body}
        </main>
      </body>
    </html> `;
}

const sign = html`<svg
  viewBox="0 0 24 24"
  fill="none"
  stroke="var(--trained)"
  stroke-width="2.4"
  stroke-linecap="round"
>
  <path d="M21 12a9 9 0 1 1-9-9" />
  <path d="M17 12a5 5 0 1 1-5-5" />
  <circle cx="12" cy="12" r="1.2" fill="var(--trained)" />
</svg>`;

const themes = html`<span class="theme"
  >${(['system', 'light', 'dark'] as const).map((name) => (name === 'system' ? html`<label><input type="radio" name="theme" id="system" checked />system</label>` : html`<label><input type="radio" name="theme" id="${name}" />${name}</label>`))}</span
>`;

function headline({ families, gain, minutes, machine }: Report): Markup {
  if (families.length === 0) return html`<h1>No family was evaluated</h1>`;
  const [random, start, trained, oracle] = (['random', 'start', 'trained', 'oracle'] as const).map((policy) =>
    mean(families, policy),
  ) as [number, number, number, number];
  const over = families.length === 1 ? families[0]?.family : `the mean of ${families.length} task families`;
  return html`<h1>From ${percent(start)}&nbsp;% to <em>${percent(trained)}&nbsp;%</em> in ${time(minutes)}</h1>
    <p class="lead">
      A policy that sees only the screen was trained on ${machine}. It solves
      <b>${percent(trained)}&nbsp;%</b> of held-out tasks (${over}), and ${percent(start)}&nbsp;% before the first
      cycle: ${signed(gain)} points (95&nbsp;% interval). Random actions solve ${percent(random)}&nbsp;%, the scripted
      oracle ${percent(oracle)}&nbsp;%.
    </p>`;
}

function facts({ minutes, seed, machine, createdAt, families }: Report): Markup {
  const episodes = families.reduce((sum, family) => sum + 2 * (family.n + family.baselines), 0);
  const entries = [
    ['time', time(minutes)],
    ['seed', String(seed)],
    ['evaluation', `${episodes} episodes`],
    ['machine', machine],
    ['date', createdAt.slice(0, 16).replace('T', ' ')],
  ] as const;
  return html`<dl class="facts">
    ${entries.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

function section(title: string, content: Markup | undefined): Markup | undefined {
  return (
    content &&
    html`<h2>${title}</h2>
      ${content}`
  );
}

function settings(values: Record<string, unknown>): Markup | undefined {
  const entries = Object.entries(values);
  if (entries.length === 0) return undefined;
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return html`<dl class="settings">
    ${entries.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${text(value)}</dd>
        </div>`,
    )}
  </dl>`;
}

const mean = (families: readonly Family[], policy: 'random' | 'start' | 'trained' | 'oracle') =>
  families.reduce((sum, family) => sum + family[policy].success, 0) / families.length;

const time = (minutes: number) => (minutes === 1 ? '1 minute' : `${Number(minutes.toFixed(1))} minutes`);
