import { html, Markup } from '../markup.js';
import { pointer } from './pointer.js';
import type { Family, Filmstrip, Frame } from './report.js';

/** CSS px. */
const maxFrameWidth = 320;

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
    return html`<h3>${name}</h3>
      <div class="strips">${familyStrips.map(filmstrip)}</div>`;
  });
  return html`${groups}`;
}

function filmstrip(strip: Filmstrip): Markup {
  const badge = strip.success
    ? html`<span class="badge good">✓ success</span>`
    : html`<span class="badge bad">✗ failed</span>`;
  const note = strip.note === undefined ? undefined : html`<span class="note">${strip.note}</span>`;
  const length = strip.frames.length <= 2 ? 'short' : 'long';
  return html`<article class="strip ${length}">
    <header>
      <span class="chip ${strip.policy}">${policies[strip.policy]}</span><q>${strip.instruction}</q>${note}${badge}
    </header>
    <ol>
      ${strip.frames.map(frame)}
    </ol>
  </article>`;
}

function frame({ png, width, height, action, caption }: Frame, index: number): Markup {
  // Enlarges small screens, shrinks large ones.
  const displayWidth = Math.min(maxFrameWidth, width * 1.5);
  const source = new Markup(`data:image/png;base64,${Buffer.from(png).toString('base64')}`);
  const mark = action && pointer(action, { width, height });
  return html`<li style="width:${displayWidth}px">
    <svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${caption}">
      <image href="${source}" width="${width}" height="${height}" />
      ${mark}
    </svg>
    <p><b>${index + 1}</b>${caption}</p>
  </li>`;
}
