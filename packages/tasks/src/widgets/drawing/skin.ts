import type { Split } from '@gyre/protocol';
import type { Random } from '../../family/random.js';
import { drawOwned } from '../../family/split.js';
import { type Font, fontsOf } from './font.js';

/** How a screen looks: colours, edges and letters. */
export interface Skin {
  /** Colours and edges as declarations; as a name it belongs to one split. */
  readonly name: string;
  /** Declarations of the custom properties that the stylesheet reads. */
  readonly variables: string;
  readonly font: Font;
  /** Class of a button that is as good as its neighbours. */
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

/** Draws a skin of the split: its colours, radius, edges and shadow are owned together. */
export function drawSkin(random: Random, split: Split, size: { width: number; height: number }): Skin {
  const name = drawOwned(
    split,
    () => {
      const hue = random.between(0, 23) * 15;
      const accent = (hue + random.pick([0, 0, 30, 120, 180, 210, 270])) % 360;
      const colours = coloursOf(random.pick(tones), hue, accent, random.chance(0.35));
      return [
        ...Object.entries(colours).map(([of, value]) => `--${of}:${value}`),
        `--radius:${random.pick([0, 3, 5, 8, 12])}px`,
        `--edge:${random.pick([1, 1, 2])}px`,
        `--shadow:${random.pick(shadows)}`,
      ].join(';');
    },
    (drawn) => drawn,
  );
  const roomy = Math.min(size.width, size.height) >= 240;
  const most = size.width >= 1000 ? 18 : roomy ? 16 : 13;
  const family = random.pick(fontsOf[split]);
  // Wide letters are set a little smaller where there is no room.
  const least = !roomy && family !== 'Liberation Sans' && family !== 'Liberation Serif' ? 11 : 12;
  const font: Font = { family, size: random.between(least, most), weight: random.chance(0.3) ? 700 : 400 };
  const variables = `${name};--font:${font.weight} ${font.size}px/1.15 '${family}',sans-serif`;
  return { name, variables, font, button: random.pick(['solid', 'outline', 'soft'] as const) };
}

/**
 * Colours by hue in degrees. By WCAG 2, text has a contrast of at least 4.4 on every ground, muted text of 3.8, and what stands
 * on the accent of 4.5.
 */
function coloursOf(tone: Tone, hue: number, accent: number, slope: boolean): Record<string, string> {
  const colour = (saturation: number, lightness: number, of = hue) => `hsl(${of} ${saturation}% ${lightness}%)`;
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
    // A ground for what is chosen or pointed at, between card and accent.
    tint: dark ? colour(40, 32, accent) : colour(65, 87, accent),
  };
}
