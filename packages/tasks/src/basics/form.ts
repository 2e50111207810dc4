import type { Split } from '@gyre/protocol';
import { type Box, screenSide } from '../family/box.js';
import { type Density, type Header, densities, drawFace, gapOf, headers, layCard } from '../family/screen/card.js';
import { distinct } from '../family/distinct.js';
import { type Face, textWidth } from '../family/screen/face.js';
import type { TaskFamily, TaskInstance } from '../family/family.js';
import type { FormArgument } from './form.page.js';
import { Random } from '../family/random.js';
import { type Screen, renderPage, renderScreen } from '../family/screen/screen.js';
import { drawLetters, drawOwned, pageSeed } from '../family/split.js';
import { type Theme, themes } from '../family/screen/theme.js';
import { pageScript } from '../family/pageScript.js';
import type { Look, Widget } from '../family/screen/widget.js';
import { words } from '../family/screen/words.js';

export const form: TaskFamily = {
  name: 'form',
  description: 'Fill in a form and click the right one of two buttons, in 2 to 4 turns.',
  create(split, seed): TaskInstance {
    const random = new Random(`form/${split}/${seed}`);
    const { screen } = drawFormScreen(random, split, () => random.pick(words[split]));
    const goal = drawGoal(random, split, screen.controls);
    return {
      task: {
        id: `form/${split}/${seed}`,
        family: 'form',
        split,
        seed,
        instruction: instruct(random, screen.controls, goal),
        surfaces: ['screen'],
        screen: { width: screenSide, height: screenSide },
        stepBudget: 6,
      },
      page: {
        html: renderPage(renderScreen(screen)),
        script: pageScript('basics/form'),
        argument: goal,
        seed: pageSeed('form', split, seed),
      },
    };
  },
};

type Part = 'boxes' | 'options' | 'field';

const orders: readonly (readonly Part[])[] = [
  ['boxes', 'options', 'field'],
  ['boxes', 'field', 'options'],
  ['options', 'boxes', 'field'],
  ['options', 'field', 'boxes'],
  ['field', 'boxes', 'options'],
  ['field', 'options', 'boxes'],
];

interface FormLayout {
  readonly order: readonly Part[];
  readonly sides: boolean;
  readonly boxLook: Look;
  readonly optionLook: Look;
  readonly fieldLook: Look;
  readonly buttons: 'equal' | 'start' | 'end';
  readonly header: Header;
  readonly density: Density;
  readonly theme: Theme;
}

function formLayoutName(layout: FormLayout): string {
  const { order, sides, boxLook, optionLook, fieldLook, buttons, header, density, theme } = layout;
  return ['form', order.join('-'), sides, boxLook, optionLook, fieldLook, buttons, header, density, theme.name].join(
    '/',
  );
}

export function drawFormScreen(
  random: Random,
  split: Split,
  drawWord: () => string,
): { screen: Screen; layout: string } {
  for (;;) {
    const layout = drawOwned<FormLayout>(
      split,
      () => ({
        order: random.pick(orders),
        sides: random.chance(0.45),
        boxLook: random.pick<Look>(['mark', 'mark', 'framed']),
        optionLook: random.pick<Look>(['mark', 'framed', 'pill', 'pill']),
        fieldLook: random.pick<Look>(['box', 'line']),
        buttons: random.pick(['equal', 'start', 'end'] as const),
        header: random.pick(headers),
        density: random.pick(densities),
        theme: random.pick(themes),
      }),
      formLayoutName,
    );
    for (let attempt = 0; attempt < 8; attempt++) {
      const face = drawFace(random, attempt < 4 ? 14 : 12);
      const word = distinct(drawWord);
      const card = layCard(layout.header, layout.density, face, word());
      const controls = layControls(random, layout, face, card.area, word);
      if (!controls) continue;
      return {
        layout: formLayoutName(layout),
        screen: { theme: layout.theme, decorations: card.decorations, texts: card.texts, controls },
      };
    }
  }
}

type Draft = Omit<Widget, 'box'>;

/** Returns undefined if the controls do not fit. */
function layControls(
  random: Random,
  layout: FormLayout,
  face: Face,
  area: Box,
  word: () => string,
): Widget[] | undefined {
  const rowHeight = face.size + (layout.boxLook === 'framed' || layout.optionLook !== 'mark' ? 6 : 4);
  const gap = Math.max(4, gapOf[layout.density] - 2);
  const drafts = (kind: 'checkbox' | 'radio', look: Look, count: number): Draft[] =>
    Array.from({ length: count }, () => ({ kind, look, label: word(), face, checked: false }));
  const boxes = drafts('checkbox', layout.boxLook, random.between(2, 4));
  const options = drafts('radio', layout.optionLook, random.between(2, 3));
  const field: Draft = { kind: 'field', look: layout.fieldLook, label: '', face };
  const [first, second] = random.shuffle<Look>(['solid', random.pick<Look>(['outline', 'soft'])]);
  const buttons = [first, second].map((look): Draft => ({ kind: 'button', look: look!, label: word(), face }));

  const fieldHeight = face.size + 8;
  const fieldWidth = Math.max(90, Math.round(area.width * random.pick([0.75, 1, 1])));
  const column = Math.floor((area.width - 6) / 2);
  const grid = (items: readonly Draft[], columns: number, x: number, width: number) =>
    stack(items, columns, x, Math.floor((width - 4 * (columns - 1)) / columns), rowHeight);
  const rows: Block[] = [];
  if (layout.sides) {
    const left = layout.order.indexOf('boxes') < layout.order.indexOf('options') ? boxes : options;
    const right = left === boxes ? options : boxes;
    const both = [grid(left, 1, area.x, column), grid(right, 1, area.x + column + 6, column)];
    if (!both[0] || !both[1]) return undefined;
    const beside: Block = {
      height: Math.max(both[0].height, both[1].height),
      widgets: [...both[0].widgets, ...both[1].widgets],
    };
    const writing = bar([field], [fieldWidth], area.x, fieldHeight);
    rows.push(...(layout.order[0] === 'field' ? [writing, beside] : [beside, writing]));
  } else {
    for (const part of layout.order) {
      const block =
        part === 'field'
          ? bar([field], [fieldWidth], area.x, fieldHeight)
          : part === 'boxes'
            ? grid(boxes, 2, area.x, area.width)
            : (grid(options, options.length, area.x, area.width) ?? grid(options, 2, area.x, area.width));
      if (!block) return undefined;
      rows.push(block);
    }
  }
  const natural = buttons.map(({ label }) => Math.max(40, textWidth(label, face) + 14));
  if (natural.some((width) => width > column)) return undefined;
  const widths = layout.buttons === 'equal' ? [column, column] : natural;
  const used = (widths[0] ?? 0) + (widths[1] ?? 0) + 6;
  const buttonsLeft = layout.buttons === 'end' ? area.x + area.width - used : area.x;
  rows.push(bar(buttons, widths, buttonsLeft, face.size + 9));

  const free = area.height - rows.reduce((sum, row) => sum + row.height, 0);
  const between = Math.min(gap + 4, Math.floor(free / (rows.length - 1)));
  if (between < 4) return undefined;
  let y = area.y;
  const placed: Widget[] = [];
  for (const [index, row] of rows.entries()) {
    if (index === rows.length - 1) y = area.y + area.height - row.height;
    placed.push(...row.widgets.map((widget) => ({ ...widget, box: { ...widget.box, y: widget.box.y + y } })));
    y += row.height + between;
  }
  return placed;
}

interface Block {
  readonly height: number;
  readonly widgets: readonly Widget[];
}

/** Returns the width in px of a control without its text: mark, borders and padding. */
const roomBeside = (look: Look): number => (look === 'pill' ? 12 : look === 'framed' ? 28 : 18);

/** Returns undefined if a label is too long. */
function stack(items: readonly Draft[], columns: number, x: number, width: number, height: number): Block | undefined {
  const widgets: Widget[] = [];
  for (const [index, item] of items.entries()) {
    const needed = textWidth(item.label, item.face) + roomBeside(item.look);
    if (needed > width) return undefined;
    const column = index % columns;
    const row = Math.floor(index / columns);
    widgets.push({ ...item, box: { x: x + column * (width + 4), y: row * (height + 3), width, height } });
  }
  const rows = Math.ceil(items.length / columns);
  return { height: rows * height + (rows - 1) * 3, widgets };
}

function bar(items: readonly Draft[], widths: readonly number[], x: number, height: number): Block {
  let nextX = x;
  const widgets = items.map((item, index) => {
    const width = widths[index] ?? 0;
    const widget: Widget = { ...item, box: { x: nextX, y: 0, width, height } };
    nextX += width + 6;
    return widget;
  });
  return { height, widgets };
}

function drawGoal(random: Random, split: Split, controls: readonly Widget[]): FormArgument {
  const numbers = (kind: Widget['kind']) =>
    controls.flatMap((control, index) => (control.kind === kind ? [index] : []));
  const kinds = random.shuffle<FormStep['kind']>(['tick', 'choose', 'type']).slice(0, random.between(1, 2));
  const steps = kinds.map((kind): FormStep => {
    switch (kind) {
      case 'tick':
        return { kind, control: random.pick(numbers('checkbox')) };
      case 'choose':
        return { kind, control: random.pick(numbers('radio')) };
      case 'type': {
        const known = split === 'train' ? 0.25 : 0.5;
        const text = random.chance(known)
          ? random.pick(words[split].filter(({ length }) => length >= 3 && length <= 6))
          : drawLetters(random, split);
        return { kind, control: numbers('field')[0] ?? 0, text };
      }
    }
  });
  return { steps, button: random.pick(numbers('button')) };
}

type FormStep = FormArgument['steps'][number];

function instruct(random: Random, controls: readonly Widget[], { steps, button }: FormArgument): string {
  const label = (control: number) => `"${controls[control]?.label}"`;
  const verbs = {
    tick: ['tick', 'tick', 'mark'],
    choose: ['choose', 'choose', 'select'],
    type: ['type', 'type', 'write'],
  };
  const parts = steps.map(
    (step) => `${random.pick(verbs[step.kind])} ${step.kind === 'type' ? `"${step.text}"` : label(step.control)}`,
  );
  const last = `${random.pick(['press', 'press', 'click', 'tap'])} ${label(button)}`;
  return random.pick([
    `${parts.join(', ')} and ${last}`,
    `${parts.join(', ')}, then ${last}`,
    `${parts.join(' and ')}, then ${last}`,
  ]);
}
