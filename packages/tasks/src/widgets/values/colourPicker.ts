import type { Random } from '../../family/random.js';
import type { ColourPickerArgument } from './colourPicker.page.js';
import { LabelMisfit } from '../drawing/labels.js';
import { type Templates, widgetFamily } from '../widgetFamily.js';

type Range = readonly [number, number];

/** Ranges of hue in degrees, saturation and lightness in per cent. */
const palette: Readonly<Record<string, readonly [Range, Range, Range]>> = {
  red: [
    [356, 364],
    [70, 90],
    [42, 50],
  ],
  orange: [
    [25, 32],
    [90, 98],
    [49, 54],
  ],
  yellow: [
    [51, 57],
    [92, 100],
    [48, 55],
  ],
  green: [
    [115, 140],
    [50, 75],
    [32, 42],
  ],
  teal: [
    [176, 182],
    [70, 85],
    [36, 44],
  ],
  blue: [
    [216, 230],
    [70, 90],
    [44, 54],
  ],
  purple: [
    [270, 284],
    [50, 75],
    [40, 50],
  ],
  pink: [
    [328, 340],
    [80, 95],
    [72, 78],
  ],
  brown: [
    [20, 28],
    [45, 60],
    [24, 31],
  ],
  black: [
    [0, 359],
    [0, 0],
    [2, 9],
  ],
  white: [
    [0, 359],
    [0, 0],
    [97, 100],
  ],
  grey: [
    [0, 359],
    [0, 4],
    [46, 56],
  ],
  'light green': [
    [112, 130],
    [55, 75],
    [74, 80],
  ],
  'dark green': [
    [120, 140],
    [60, 80],
    [18, 23],
  ],
  'light blue': [
    [206, 218],
    [75, 95],
    [76, 82],
  ],
  'dark blue': [
    [222, 232],
    [65, 85],
    [22, 28],
  ],
};
const names = Object.keys(palette);
const shadeOf = (name: string) => (name.includes(' ') ? name.split(' ')[1] : undefined);

const variants = {
  pick: ['choose the colour {colour}', 'press the {colour} colour', 'click the {colour} one of the colours'],
  then: [
    'choose the colour {colour} and press {button}',
    'pick {colour}, then press {button}',
    'set the colour to {colour} and click {button}',
  ],
  open: [
    'set the colour {field} to {colour} and press {button}',
    'open the colours of {field}, choose {colour} and press {button}',
    'change {field} to {colour}, then click {button}',
  ],
} as const;

// Colour names are unquoted words, the same in every split.
const templates: Templates = Object.fromEntries(
  Object.entries(variants).flatMap(([variant, list]) =>
    names.map((name) => [`${variant} ${name}`, list.map((template) => template.replace('{colour}', name))]),
  ),
);

const colourOf = (random: Random, name: string): string => {
  const [hue = 0, saturation = 0, lightness = 0] = (palette[name] ?? []).map(([min, max]) => random.between(min, max));
  return `hsl(${hue % 360} ${saturation}% ${lightness}%)`;
};

export const colourPicker = widgetFamily({
  name: 'colourPicker',
  description: 'Choose a swatch by the name of its colour.',
  templates,
  layouts: { shape: ['square', 'round', 'disc'], sides: ['apart', 'close'], name: ['above', 'beside'] },
  room: { width: [140, 320], height: [104, 220] },
  styles: `
.colourPicker .swatches{display:grid;justify-content:start}
.colourPicker .swatch{border:1px solid var(--muted)}
.colourPicker.round .swatch{border-radius:5px}
.colourPicker.disc .swatch{border-radius:50%}
.colourPicker .swatch:hover{outline:2px solid var(--muted)}
.colourPicker .swatch.lit{outline:2px solid var(--text);outline-offset:1px}
.colourPicker .set{flex:none}
.colourPicker.beside .set{display:flex;align-items:center;justify-content:space-between}
.colourPicker .name{white-space:pre;color:var(--muted)}
.colourPicker .pick{width:52px;height:var(--row);padding:3px;border:1px solid var(--muted);border-radius:calc(var(--radius)*.6);background:var(--card)}
.colourPicker .pick.open{border-color:var(--accent)}
.colourPicker .shown{height:100%;border-radius:2px;border:1px solid var(--line)}
.colourPicker .pop{padding:5px}`,
  page: 'widgets/values/colourPicker',
  draw({ random, area, row, gap, skin, labels, layout }) {
    const variant = random.pick(['pick', 'then', 'open', 'open'] as const);
    const isOpen = variant === 'open';
    const apart = layout.sides === 'apart' ? 6 : 3;
    const buttons = variant === 'pick' ? [] : labels.several(2, (area.width - gap) / 2 - 16);
    const button = random.between(0, 1);

    // A colour is either plain, or in light and dark.
    const shaded = new Set(random.chance(0.5) ? ['green', 'blue'].slice(random.between(0, 1)) : []);
    const fitting = names.filter((name) => (shadeOf(name) ? shaded.has(shadeOf(name) ?? '') : !shaded.has(name)));
    const colours = random.shuffle(fitting).slice(0, random.between(5, fitting.length));
    const room = { width: area.width - (isOpen ? 14 : 4), height: area.height - (variant === 'pick' ? 0 : row + gap) };
    const fields = isOpen ? labels.several(random.between(1, 2), area.width - 60) : [];
    const each = gap + (layout.name === 'above' ? row + Math.ceil(skin.font.size * 1.15) : row);
    if (isOpen && area.height < fields.length * each + row) throw new LabelMisfit('no room for the fields');
    const sides = Array.from({ length: 22 }, (_, step) => 15 + step).filter((side) => {
      const across = Math.floor((room.width + apart) / (side + apart));
      return Math.ceil(colours.length / across) * (side + apart) <= (isOpen ? area.height * 0.7 : room.height);
    });
    if (sides.length === 0) throw new LabelMisfit('no room for the swatches');
    const side = random.pick(sides);
    const columns = random.between(
      Math.ceil(colours.length / Math.max(1, Math.floor((isOpen ? area.height * 0.7 : room.height) / (side + apart)))),
      Math.min(colours.length, Math.floor((room.width + apart) / (side + apart))),
    );

    const colour = random.between(0, colours.length - 1);
    const others = [...colours.keys()].filter((index) => index !== colour);
    const values = isOpen ? fields.map(() => random.pick(others)) : [random.chance(0.3) ? random.pick(others) : -1];
    const field = random.between(0, values.length - 1);
    const css = colours.map((name) => colourOf(random, name));
    const swatches = css.map(
      (value, index) =>
        `<div class="swatch" data-name="swatch-${index}" style="width:${side}px;height:${side}px;background:${value}"></div>`,
    );
    const grid = `<div class="swatches" style="gap:${apart}px;grid-template-columns:repeat(${columns},${side}px)">${swatches.join('')}</div>`;
    const sets = fields.map(
      (label, index) =>
        `<div class="set"><div class="name">${label}</div><div class="pick" data-name="pick-${index}"><div class="shown" data-name="shown-${index}"></div></div></div>`,
    );
    const press = buttons.map(
      (label, number) => `<div class="btn ${skin.button}" data-name="button-${number}">${label}</div>`,
    );
    const width = columns * (side + apart) + 14;
    const height = Math.ceil(colours.length / columns) * (side + apart) + 12;
    const tops = fields.map((_, index) => Math.max(0, Math.min(index * each + each - gap + 2, area.height - height)));
    const popX = layout.name === 'above' ? 0 : Math.max(0, area.width - width);
    const pop = isOpen
      ? `<div class="pop" data-name="pop" hidden style="left:${popX}px;width:${Math.min(area.width, width)}px">${grid}</div>`
      : '';
    const argument: ColourPickerArgument = {
      colours: css,
      values,
      target: { field, colour },
      ...(isOpen && { tops }),
      ...(variant !== 'pick' && { button }),
    };
    return {
      html:
        `<div class="down colourPicker ${layout.shape} ${layout.name}">${isOpen ? sets.join('') : grid}` +
        `${press.length > 0 ? `<div class="across push">${press.join('')}</div>` : ''}${pop}</div>`,
      argument,
      say: `${variant} ${colours[colour] ?? ''}`,
      texts: { field: fields[field] ?? '', button: buttons[button] ?? '' },
      turns: { pick: 1, then: 2, open: 3 }[variant],
    };
  },
});
