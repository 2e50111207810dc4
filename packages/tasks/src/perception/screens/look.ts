import type { Split } from '@gyre/protocol';
import type { Random } from '../../family/random.js';
import { drawOwned } from '../../family/split.js';
import { type Colour, colourNames } from '../../family/screen/theme.js';

export interface Hsl {
  readonly h: number;
  readonly s: number;
  readonly l: number;
}

const css = ({ h, s, l }: Hsl): string => `hsl(${h},${s}%,${l}%)`;

/** Colours are CSS values. */
export interface Look {
  /** Splits partition looks by name. */
  readonly name: string;
  readonly dark: boolean;
  /** Named colours stay unambiguous next to a grey accent. */
  readonly neutral: boolean;
  readonly density: Density;
  readonly ticks: 'tick' | 'fill' | 'cross';
  readonly fields: 'box' | 'line' | 'filled';
  readonly tabs: 'line' | 'capsule' | 'folder';
  /** Stroke width in view box units. */
  readonly iconWeight: number;
  readonly style: string;
  readonly named: Readonly<Record<Colour, { fill: string; on: string }>>;
}

export const densities = ['snug', 'cosy', 'roomy'] as const;
export type Density = (typeof densities)[number];

/** Vertical padding and gaps, in em. */
export const spacing: Readonly<Record<Density, { pad: number; gap: number }>> = {
  snug: { pad: 0.18, gap: 0.35 },
  cosy: { pad: 0.32, gap: 0.5 },
  roomy: { pad: 0.5, gap: 0.7 },
};

interface Parameters {
  hue: number;
  accentTurn: number;
  mode: 'light' | 'tinted' | 'grey' | 'dark' | 'black';
  strength: 'neutral' | 'calm' | 'vivid';
  contrast: 'low' | 'normal' | 'high';
  ground: 'flat' | 'gradient' | 'stripes' | 'picture';
  radius: number;
  border: number;
  shadow: 'none' | 'soft' | 'hard';
}

/** Draws a look of the split, with named colours only if neutral. */
export function drawLook(random: Random, split: Split): Look {
  const parameters = drawOwned<Parameters>(
    split,
    () => ({
      hue: random.between(0, 23) * 15,
      accentTurn: random.pick([0, 0, 0, 30, 150, 180, 210]),
      mode: random.pick(['light', 'light', 'tinted', 'grey', 'dark', 'black'] as const),
      strength: random.pick(['neutral', 'neutral', 'calm', 'vivid'] as const),
      contrast: random.pick(['low', 'normal', 'normal', 'high'] as const),
      ground: random.pick(['flat', 'flat', 'flat', 'gradient', 'stripes', 'picture'] as const),
      radius: random.pick([0, 2, 4, 6, 10, 16]),
      border: random.pick([0, 1, 1, 2]),
      shadow: random.pick(['none', 'soft', 'hard'] as const),
    }),
    lookName,
  );
  return {
    name: lookName(parameters),
    dark: parameters.mode === 'dark' || parameters.mode === 'black',
    neutral: parameters.strength === 'neutral',
    density: random.pick(densities),
    ticks: random.pick(['tick', 'tick', 'fill', 'cross'] as const),
    fields: random.pick(['box', 'box', 'line', 'filled'] as const),
    tabs: random.pick(['line', 'capsule', 'folder'] as const),
    iconWeight: random.pick([1.6, 2, 2, 2.6]),
    style: styleOf(parameters, random),
    named: drawNamed(random),
  };
}

const lookName = (one: Parameters): string =>
  `look/${one.hue}/${one.accentTurn}/${one.mode}/${one.strength}/${one.contrast}/${one.ground}/${one.radius}/${one.border}/${one.shadow}`;

/** Lightness of page, card, quiet ground, line, quiet text and text, in percent. */
const ladders: Readonly<Record<Parameters['mode'], readonly [number, number, number, number, number, number]>> = {
  light: [96, 100, 95, 84, 46, 14],
  tinted: [86, 95, 89, 74, 40, 14],
  grey: [76, 84, 78, 60, 32, 10],
  dark: [14, 20, 26, 36, 64, 93],
  black: [4, 9, 16, 28, 58, 96],
};

function styleOf(look: Parameters, random: Random): string {
  const [page, card, soft, line, muted, text] = ladders[look.mode];
  const dark = text > 50;
  const saturation = { neutral: 0, calm: look.mode === 'tinted' ? 40 : 14, vivid: look.mode === 'tinted' ? 70 : 30 }[
    look.strength
  ];
  const tone = (l: number): Hsl => ({ h: look.hue, s: saturation, l });
  const nearer = { low: 0.28, normal: 0, high: -0.12 }[look.contrast];
  const faded = (l: number) => l + (card - l) * nearer;
  const accent = visible(
    {
      h: (look.hue + look.accentTurn) % 360,
      s: { neutral: 0, calm: 48, vivid: 82 }[look.strength],
      l: dark ? random.between(52, 66) : random.between(28, 46),
    },
    dark,
  );
  const ground = {
    flat: css(tone(page)),
    gradient: `linear-gradient(${random.between(0, 35) * 10}deg,${css(tone(page))},${css(tone(page + (dark ? 10 : -12)))})`,
    stripes: `repeating-linear-gradient(${random.pick([0, 45, 90, 135])}deg,${css(tone(page))} 0 ${random.between(6, 14)}px,${css(tone(page + (dark ? 4 : -4)))} 0 28px)`,
    picture: picture(random, look, page, dark),
  }[look.ground];
  const shadow = {
    none: 'none',
    soft: dark ? '0 2px 8px rgba(0,0,0,.5)' : '0 1px 2px rgba(16,24,40,.12),0 3px 8px rgba(16,24,40,.1)',
    hard: `2px 2px 0 ${css(tone(line))}`,
  }[look.shadow];
  const variables = {
    page: ground,
    card: css(tone(card)),
    soft: css(tone(soft)),
    line: css(tone(line)),
    muted: css(tone(faded(muted))),
    text: css(tone(faded(text))),
    accent: css(accent),
    on: onColour(accent),
    radius: `${look.radius}px`,
    border: `${look.border}px`,
    edge: `${Math.max(1, look.border)}px`,
    shadow,
  };
  return Object.entries(variables)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';');
}

/** Adjusts lightness until text is readable: blue is dark, yellow light. */
function visible(colour: Hsl, dark: boolean): Hsl {
  const [minLuminance, maxLuminance] = [0.16, 0.3];
  let { l } = colour;
  while (dark ? luminance({ ...colour, l }) < minLuminance : luminance({ ...colour, l }) > maxLuminance)
    l += dark ? 2 : -2;
  return { ...colour, l };
}

function picture(random: Random, look: Parameters, page: number, dark: boolean): string {
  const spread = dark ? 7 : -9;
  const s = look.strength === 'neutral' ? 0 : 45;
  const layer = (turn: number, l: number) => css({ h: (look.hue + turn) % 360, s, l });
  const percent = () => random.between(10, 90);
  return [
    `radial-gradient(circle at ${percent()}% ${percent()}%,${layer(40, page + spread)} 0 18%,transparent 18.5%)`,
    `radial-gradient(circle at ${percent()}% ${percent()}%,${layer(80, page + spread / 2)} 0 30%,transparent 30.5%)`,
    `linear-gradient(${random.between(150, 210)}deg,transparent 0 62%,${layer(0, page + spread)} 62.5%)`,
    `linear-gradient(${random.between(160, 200)}deg,${layer(0, page)},${layer(20, page + spread / 2)})`,
  ].join(',');
}

/** Ranges with undisputed names. */
const ranges: Readonly<Record<Colour, readonly [h: [number, number], s: [number, number], l: [number, number]]>> = {
  red: [
    [356, 362],
    [68, 82],
    [46, 53],
  ],
  orange: [
    [24, 31],
    [84, 94],
    [50, 55],
  ],
  yellow: [
    [48, 54],
    [86, 96],
    [52, 60],
  ],
  green: [
    [122, 142],
    [48, 64],
    [34, 42],
  ],
  teal: [
    [176, 183],
    [62, 80],
    [36, 42],
  ],
  blue: [
    [215, 225],
    [70, 84],
    [49, 56],
  ],
  purple: [
    [271, 280],
    [55, 66],
    [46, 53],
  ],
  pink: [
    [326, 336],
    [76, 88],
    [70, 76],
  ],
};

function drawNamed(random: Random): Look['named'] {
  const draw = (name: Colour) => {
    const [h, s, l] = ranges[name];
    const colour: Hsl = { h: random.between(...h) % 360, s: random.between(...s), l: random.between(...l) };
    return [name, { fill: css(colour), on: onColour(colour) }] as const;
  };
  return Object.fromEntries(colourNames.map(draw)) as Look['named'];
}

const onColour = (colour: Hsl): string => (luminance(colour) > 0.3 ? '#141414' : '#ffffff');

/** Returns the relative luminance, 0..1 (WCAG 2). */
function luminance({ h, s, l }: Hsl): number {
  const [saturation, lightness] = [s / 100, l / 100];
  const channel = (n: number): number => {
    const k = (n + h / 30) % 12;
    const value = lightness - saturation * Math.min(lightness, 1 - lightness) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(0) + 0.7152 * channel(8) + 0.0722 * channel(4);
}
