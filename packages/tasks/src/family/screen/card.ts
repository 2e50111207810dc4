import { type Box, screenSide } from '../box.js';
import { type Face, fontFamilies, textWidth } from './face.js';
import type { Random } from '../random.js';
import type { Decoration } from './screen.js';
import type { Widget } from './widget.js';

export const headers = ['none', 'title', 'appbar', 'window', 'profile'] as const;
export type Header = (typeof headers)[number];

export const densities = ['snug', 'cosy', 'roomy'] as const;
export type Density = (typeof densities)[number];

/** In px. */
export const gapOf: Readonly<Record<Density, number>> = { snug: 4, cosy: 6, roomy: 9 };

/** A card with its header and the area left for controls. */
export interface Card {
  readonly decorations: Decoration[];
  readonly texts: Widget[];
  readonly area: Box;
}

/** Draws one family and weight, 12 to `largest` px. */
export function drawFace(random: Random, largest = 15): Face {
  return {
    family: random.pick(fontFamilies),
    size: random.between(12, largest),
    weight: random.chance(0.4) ? 700 : 400,
  };
}

/** Shows `title` in every header except `none`. */
export function layCard(header: Header, density: Density, face: Face, title: string): Card {
  const margin = { snug: 3, cosy: 5, roomy: 7 }[density];
  const padding = { snug: 4, cosy: 5, roomy: 5 }[density];
  const card: Box = { x: margin, y: margin, width: screenSide - 2 * margin, height: screenSide - 2 * margin };
  const decorations: Decoration[] = [{ look: 'card', box: card }];
  const texts: Widget[] = [];
  const inner = { x: card.x + padding, width: card.width - 2 * padding };
  const titleFace: Face = { ...face, weight: 700, size: Math.min(face.size, 13) };
  const write = (look: 'title' | 'bar' | 'muted', x: number, y: number, height: number) =>
    texts.push({
      kind: 'text',
      look,
      label: title,
      face: titleFace,
      box: { x, y, width: Math.min(textWidth(title, titleFace) + 2, inner.x + inner.width - x), height },
    });
  let top = card.y + padding;
  switch (header) {
    case 'none':
      break;
    case 'title':
      write('title', inner.x + 1, card.y + 3, 16);
      decorations.push({ look: 'rule', box: { x: inner.x, y: card.y + 20, width: inner.width, height: 1 } });
      top = card.y + 20 + padding;
      break;
    case 'appbar':
      decorations[0] = { look: 'card', box: { ...card, y: 18 - 4, height: screenSide - margin - 14 } };
      decorations.push({ look: 'appbar', box: { x: 0, y: 0, width: screenSide, height: 19 } });
      write('bar', inner.x + 1, 2, 17);
      top = 19 + padding;
      break;
    case 'window':
      decorations.push({
        look: 'windowbar',
        box: { x: card.x + 1, y: card.y + 1, width: card.width - 2, height: 18 },
      });
      for (let dot = 0; dot < 3; dot++) {
        decorations.push({ look: 'dot', box: { x: card.x + 6 + dot * 8, y: card.y + 7, width: 5, height: 5 } });
      }
      write('muted', card.x + 34, card.y + 2, 16);
      top = card.y + 19 + padding;
      break;
    case 'profile':
      decorations.push({ look: 'avatar', box: { x: inner.x, y: card.y + 4, width: 17, height: 17 } });
      write('title', inner.x + 22, card.y + 4, 17);
      top = card.y + 22 + padding;
      break;
  }
  return { decorations, texts, area: { ...inner, y: top, height: card.y + card.height - padding - top } };
}
