import type { Split } from '@gyre/protocol';
import type { Random } from '../../family/random.js';
import { drawOwned } from '../../family/split.js';
import { type Font, fontsOf } from './font.js';

export interface Skin {
  /** The split's colours and edges. */
  readonly name: string;
  /** Declarations of the stylesheet's custom properties. */
  readonly variables: string;
  readonly font: Font;
  readonly button: 'solid' | 'outline' | 'soft';
}

const tones = ['white', 'white', 'tinted', 'grey', 'dark', 'black'] as const;
type Tone = (typeof tones)[number];

const shadows = [
  'none',
  '0 1px 2px rgba(0,0,0,.18)',
  '0 3px 10px rgba(0,0,0,.22)',
  '2px 2px 0 rgba(0,0,0,.28)',
] as const;

export function drawSkin(random: Random, split: Split, size: { width: number; height: number }): Skin {
  const name = drawOwned(
    split,
    () => {
      const hue = random.between(0, 23) * 15;
      const accent = (hue + random.pick([0, 0, 30, 120, 180, 210, 270])) % 360;
      const colours = coloursOf(random.pick(tones), hue, accent, random.chance(0.35));
      return [
        ...Object.entries(colours).map(([property, value]) => `--${property}:${value}`),
        `--radius:${random.pick([0, 3, 5, 8, 12])}px`,
        `--edge:${random.pick([1, 1, 2])}px`,
        `--shadow:${random.pick(shadows)}`,
      ].join(';');
    },
    (drawn) => drawn,
  );
  const roomy = Math.min(size.width, size.height) >= 240;
  const max = size.width >= 1000 ? 18 : roomy ? 16 : 13;
  const family = random.pick(fontsOf[split]);
  const min = !roomy && family !== 'Liberation Sans' && family !== 'Liberation Serif' ? 11 : 12;
  const font: Font = { family, size: random.between(min, max), weight: random.chance(0.3) ? 700 : 400 };
  const variables = `${name};--font:${font.weight} ${font.size}px/1.15 '${family}',sans-serif`;
  return { name, variables, font, button: random.pick(['solid', 'outline', 'soft'] as const) };
}

/** Takes hues in degrees. WCAG 2 contrast is at least 4.4 for text, 3.8 for muted text and 4.5 on the accent. */
function coloursOf(tone: Tone, hue: number, accent: number, slope: boolean): Record<string, string> {
  const colour = (saturation: number, lightness: number, angle = hue) => `hsl(${angle} ${saturation}% ${lightness}%)`;
  const dark = tone === 'dark' || tone === 'black';
  // Yellow and green are bright for their lightness.
  const bright = accent >= 40 && accent <= 200;
  const [page, end, card, soft, line, muted, text] = {
    white: [
      colour(22, 93),
      colour(24, 86),
      colour(20, 99),
      colour(24, 95),
      colour(16, 80),
      colour(10, 42),
      colour(30, 12),
    ],
    tinted: [
      colour(42, 83),
      colour(45, 73),
      colour(55, 96),
      colour(48, 90),
      colour(32, 72),
      colour(22, 35),
      colour(45, 11),
    ],
    grey: [colour(4, 76), colour(5, 66), colour(4, 91), colour(5, 84), colour(5, 60), colour(5, 32), colour(8, 7)],
    dark: [
      colour(20, 15),
      colour(24, 10),
      colour(17, 21),
      colour(17, 28),
      colour(13, 40),
      colour(12, 68),
      colour(15, 95),
    ],
    black: [colour(8, 3), colour(12, 6), colour(7, 9), colour(8, 17), colour(6, 33), colour(5, 66), colour(4, 97)],
  }[tone] as [string, string, string, string, string, string, string];
  return {
    page: slope ? `linear-gradient(150deg,${page},${end})` : page,
    card,
    soft,
    line,
    muted,
    text,
    accent: dark ? colour(72, bright ? 62 : 70, accent) : colour(68, bright ? 27 : 40, accent),
    'on-accent': dark ? '#0d1016' : '#ffffff',
    tint: dark ? colour(40, 32, accent) : colour(65, 87, accent),
  };
}
