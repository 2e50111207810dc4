import { html, Markup } from '../markup.js';
import { film } from './film.js';
import { pointer } from './pointer.js';
import type { Family, Filmstrip, Frame } from './report.js';

/** CSS px. */
const maxFrameWidth = 320;
/** Longer strips are folded. */
const unfolded = 8;

const policies: Record<Filmstrip['policy'], string> = {
  random: 'random',
  start: 'start',
  trained: 'trained',
  oracle: 'oracle',
};

export function filmstrips(strips: readonly Filmstrip[], families: readonly Family[]): Markup {
  const names = [...new Set([...families.map((family) => family.family), ...strips.map((strip) => strip.family)])];
  const groups = names.map((name) => {
    const familyStrips = strips.filter((strip) => strip.family === name);
    if (familyStrips.length === 0) return undefined;
    const idOf = (strip: Filmstrip): string => `${name}-${familyStrips.indexOf(strip)}`;
    return html`<h3>${name}</h3>
      ${beforeAndAfter(familyStrips, idOf)}
      <div class="strips">${familyStrips.map((strip) => filmstrip(strip, idOf(strip)))}</div>`;
  });
  return html`${groups}`;
}

/** Shows the first task that both policies played, side by side in time. */
function beforeAndAfter(strips: readonly Filmstrip[], idOf: (strip: Filmstrip) => string): Markup | undefined {
  const before = strips.find(({ policy }) => policy === 'start');
  const after = strips.find(({ policy, task }) => policy === 'trained' && task === before?.task);
  if (!before || !after) return undefined;
  const takes = [before, after].map((strip) => ({
    strip,
    id: idOf(strip),
    title: html`${chip(strip)}${badge(strip)}`,
  }));
  return html`<figure class="films">
    <figcaption>
      <q>${before.instruction}</q><label><input type="checkbox" />pause</label>
    </figcaption>
    <div>${film(takes)}</div>
  </figure>`;
}

const chip = ({ policy }: Filmstrip): Markup => html`<span class="chip ${policy}">${policies[policy]}</span>`;

const badge = ({ success }: Filmstrip): Markup =>
  success ? html`<span class="badge good">✓ success</span>` : html`<span class="badge bad">✗ failed</span>`;

function filmstrip(strip: Filmstrip, id: string): Markup {
  const note = strip.note === undefined ? undefined : html`<span class="note">${strip.note}</span>`;
  const length = strip.frames.length <= 2 ? 'short' : 'long';
  const frames = html`<ol>
    ${strip.frames.map((shot, index) => frame(shot, index, id))}
  </ol>`;
  return html`<article class="strip ${length}">
    <header>${chip(strip)}<q>${strip.instruction}</q>${note}${badge(strip)}</header>
    ${
      strip.frames.length <= unfolded
        ? frames
        : html`<details>
            <summary>${strip.frames.length} frames</summary>
            ${frames}
          </details>`
    }
  </article>`;
}

function frame({ png, width, height, action, caption }: Frame, index: number, strip: string): Markup {
  // Enlarges small screens, shrinks large ones.
  const displayWidth = Math.min(maxFrameWidth, width * 1.5);
  const source = new Markup(`data:image/png;base64,${Buffer.from(png).toString('base64')}`);
  const mark = action && pointer(action, { width, height });
  return html`<li style="width:${displayWidth}px">
    <svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${caption}">
      <g id="${strip}-${index}">
        <image href="${source}" width="${width}" height="${height}" />
        ${mark}
      </g>
    </svg>
    <p><b>${index + 1}</b>${caption}</p>
  </li>`;
}
