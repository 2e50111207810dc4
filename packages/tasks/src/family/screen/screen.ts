import type { Box } from '../box.js';
import { stylesheet } from './stylesheet.js';
import type { Theme } from './theme.js';
import { type Widget, renderWidget } from './widget.js';

/** A background shape that cannot be pressed. */
export interface Decoration {
  readonly look: 'card' | 'appbar' | 'windowbar' | 'dot' | 'rule' | 'skeleton' | 'picture' | 'avatar';
  readonly box: Box;
}

/** A screen: background, controls in numeric order, and texts. */
export interface Screen {
  readonly theme: Theme;
  readonly decorations: readonly Decoration[];
  readonly controls: readonly Widget[];
  readonly texts: readonly Widget[];
}

/** Renders a 160 x 160 px element at `offsetX` and `offsetY`. */
export function renderScreen(screen: Screen, offsetX = 0, offsetY = 0): string {
  const { theme } = screen;
  const style =
    `left:${offsetX}px;top:${offsetY}px;--page:${theme.page};--card:${theme.card};--line:${theme.line};--text:${theme.text};` +
    `--muted:${theme.muted};--soft:${theme.soft};--accent:${theme.accent};--on-accent:${theme.onAccent};` +
    `--shadow:${theme.shadow};--radius:${theme.radius}px`;
  const decorations = screen.decorations.map(
    ({ look, box }) =>
      `<div class="${look}" style="left:${box.x}px;top:${box.y}px;width:${box.width}px;height:${box.height}px"></div>`,
  );
  const texts = screen.texts.map((widget) => renderWidget(widget));
  const controls = screen.controls.map((widget, index) => renderWidget(widget, index));
  return `<div class="screen" style="${style}">${[...decorations, ...texts, ...controls].join('')}</div>`;
}

export function renderPage(body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><style>${stylesheet}</style></head><body>${body}</body></html>`;
}
