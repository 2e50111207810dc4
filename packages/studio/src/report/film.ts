import { html, type Markup } from '../markup.js';
import type { Filmstrip } from './report.js';

interface Take {
  readonly strip: Filmstrip;
  /** Its frames are the elements `ID-0`, `ID-1` and so on. */
  readonly id: string;
  readonly title: Markup;
}

/** In beats, for which a film stands still at its end. */
const ending = 3;
/** In s. */
const longest = 14;
const slowestBeat = 1.2;

/** Shows strips as moving pictures that begin together. Without motion, only the last frame is seen. */
export function film(takes: readonly Take[]): Markup {
  const beats = Math.max(...takes.map(({ strip }) => strip.frames.length)) + ending - 1;
  const seconds = Math.min(longest, slowestBeat * beats);
  return html`${takes.map((take) => moving(take, beats, seconds))}`;
}

function moving({ strip, id, title }: Take, beats: number, seconds: number): Markup {
  const { width = 1, height = 1 } = strip.frames[0] ?? {};
  const last = strip.frames.length - 1;
  const moments = Array.from({ length: beats }, (_, beat) => {
    const delay = (seconds * beat) / beats - seconds;
    const style = `animation:moment-${beats} ${seconds.toFixed(2)}s step-end ${delay.toFixed(2)}s infinite`;
    return html`<use class="moment" href="#${id}-${Math.min(beat, last)}" style="${style}" />`;
  });
  return html`<div class="film">
    <header>${title}</header>
    <svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${strip.policy}: ${strip.frames.length} frames">
      <style>
        @keyframes moment-${beats} {
          0% {
            visibility: visible;
          }
          ${100 / beats}% {
            visibility: hidden;
          }
        }
      </style>
      ${moments}
    </svg>
  </div>`;
}
