import type { Split } from '@gyre/protocol';
import type { Random } from '../../family/random.js';
import { iconNames, iconSvg } from '../../family/screen/icons.js';
import { escape } from '../screens/kit.js';
import { families, familiesZh } from '../screens/typeface.js';
import { LineText } from './lineText.js';

/** Families of no split; a page without them falls back to a generic one. */
const moreFamilies: readonly string[] = [
  'Nimbus Sans',
  'Nimbus Sans Narrow',
  'Nimbus Roman',
  'Nimbus Mono PS',
  'C059',
  'P052',
  'URW Bookman',
  'URW Gothic',
  'Open Sans Condensed',
  'Noto Sans',
  'Roboto',
  'Lato',
  'Inter',
];

const moreFamiliesZh: readonly string[] = [
  'Noto Sans CJK SC',
  'Noto Serif CJK SC',
  'Droid Sans Fallback',
  'AR PL UMing CN',
];

export interface DrawnLines {
  readonly html: string;
  readonly texts: readonly string[];
}

const grounds = ['light', 'light', 'white', 'white', 'dark', 'black', 'colour', 'gradient'] as const;

interface Colours {
  readonly ground: string;
  readonly inks: readonly string[];
}

/** Draws a page full of single lines in many fonts, sizes and colours. Each `.l` element is a line. */
export function drawLines(random: Random, split: Split, characters: readonly string[]): DrawnLines {
  const text = new LineText(random, split, characters);
  const texts: string[] = [];
  const panels: string[] = [];
  for (let panel = 0; panel < 16; panel++) {
    const colours = drawColours(random);
    const lines: string[] = [];
    const [size, spread] = [random.between(10, 17), random.pick([0, 2, 6])];
    for (let line = 0; line < 20; line++) {
      const chinese = random.chance(0.45);
      const content = random.chance(0.08) ? text.single() : chinese ? text.chinese() : text.english();
      texts.push(content);
      const px = Math.max(
        chinese ? 10 : 9,
        random.chance(0.06) ? random.between(20, 34) : size + random.between(-spread, spread),
      );
      lines.push(lineHtml(random, { content, px, colours, family: drawFamily(random, split, chinese) }, split));
    }
    panels.push(`<div class="p" style="background:${colours.ground}">${lines.join('')}</div>`);
  }
  const half = panels.length / 2;
  const columns = [panels.slice(0, half), panels.slice(half)].map(
    (column) => `<div class="c">${column.join('')}</div>`,
  );
  return { html: `<style>${stylesheet}</style>${columns.join('')}`, texts };
}

const stylesheet = `body{margin:0;background:#fff}
.c{float:left;width:50%}
.p{padding:3px;overflow:hidden}
.b{display:inline-block;vertical-align:middle;white-space:nowrap}
.l{display:inline-block;white-space:pre}
.glyph{width:1.1em;height:1.1em;fill:none;stroke:currentColor;vertical-align:middle}`;

function lineHtml(
  random: Random,
  line: { content: string; px: number; colours: Colours; family: string },
  split: Split,
): string {
  const { content, px, colours, family } = line;
  const styles = [
    `font:${random.chance(0.06) ? 'italic ' : ''}${random.chance(0.25) ? 700 : 400} ${px}px/1.25 ${family}`,
    `color:${random.pick(colours.inks)}`,
    `margin:${random.between(0, 5)}px ${random.between(4, 18)}px ${random.between(0, 5)}px ${random.between(0, 40) / 10}px`,
  ];
  const inner: string[] = [];
  if (random.chance(0.1)) inner.push(`letter-spacing:${random.pick(['.02em', '.05em', '.1em', '-.02em', '1px'])}`);
  if (random.chance(0.05)) inner.push('text-decoration:underline');
  if (random.chance(0.06)) inner.push(`opacity:${random.between(5, 9) / 10}`);
  if (split === 'train' && random.chance(0.2)) inner.push(`transform:scaleX(${random.between(84, 98) / 100})`);
  if (split === 'train' && random.chance(0.12)) inner.push(`-webkit-text-stroke:${random.pick([0.15, 0.3, 0.5])}px`);
  if (random.chance(0.3)) {
    const label = drawColours(random);
    styles.push(`background:${label.ground}`, `color:${random.pick(label.inks)}`);
    styles.push(
      `padding:${random.between(1, 6)}px ${random.between(2, 12)}px`,
      `border-radius:${random.between(0, 10)}px`,
    );
    if (random.chance(0.5)) styles.push(`border:${random.between(1, 2)}px solid ${random.pick(label.inks)}`);
  }
  const icon = () => iconSvg(random.pick(iconNames), random.pick([1.6, 2, 2.6]));
  const before = random.chance(0.07) ? icon() : '';
  const after = random.chance(0.07) ? icon() : '';
  return `<span class="b" style="${styles.join(';')}">${before}<span class="l" style="${inner.join(';')}">${escape(content)}</span>${after}</span>`;
}

function drawFamily(random: Random, split: Split, chinese: boolean): string {
  const latin = random.pick(
    split === 'train' ? [...families.train, ...families.train, ...moreFamilies] : families[split],
  );
  const zh = random.pick(split === 'train' ? [...familiesZh.train, ...moreFamiliesZh] : familiesZh[split]);
  const order = chinese && random.chance(0.5) ? [zh] : [latin, zh];
  return `${order.map((family) => `'${family}'`).join(',')},sans-serif`;
}

function drawColours(random: Random): Colours {
  const hue = random.between(0, 359);
  const ground = random.pick(grounds);
  const tone = (s: number, l: number, turn = 0) => `hsl(${(hue + turn) % 360},${s}%,${l}%)`;
  const dark = () => [
    tone(random.between(0, 60), random.between(0, 22)),
    tone(random.between(20, 90), random.between(24, 44)),
  ];
  const pale = () => [
    tone(random.between(0, 60), random.between(84, 100)),
    tone(random.between(20, 90), random.between(62, 80)),
  ];
  const quiet = tone(random.between(0, 20), random.between(46, 62));
  switch (ground) {
    case 'white':
      return { ground: '#fff', inks: [...dark(), ...dark(), quiet] };
    case 'light':
      return { ground: tone(random.between(0, 60), random.between(86, 98)), inks: [...dark(), ...dark(), quiet] };
    case 'dark':
      return { ground: tone(random.between(0, 40), random.between(10, 26)), inks: [...pale(), quiet] };
    case 'black':
      return { ground: tone(random.between(0, 20), random.between(0, 10)), inks: [...pale(), quiet] };
    case 'colour':
      return random.chance(0.6)
        ? { ground: tone(random.between(40, 90), random.between(28, 50)), inks: ['#fff', ...pale()] }
        : { ground: tone(random.between(60, 95), random.between(58, 76)), inks: ['#111', ...dark()] };
    case 'gradient':
      return {
        ground: `linear-gradient(${random.between(0, 7) * 45}deg,${tone(40, random.between(78, 92))},${tone(40, random.between(86, 97), 60)})`,
        inks: dark(),
      };
  }
}
