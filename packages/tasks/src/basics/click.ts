import type { Split } from '@gyre/protocol';
import { alignments, arrange, arrangements } from '../family/screen/arrangement.js';
import { type Box, screenSide } from '../family/box.js';
import { densities, drawFace, gapOf, headers, layCard } from '../family/screen/card.js';
import type { ClickArgument } from './click.page.js';
import { distinct } from '../family/distinct.js';
import { type Shape, shapeNames } from '../family/screen/element.js';
import { textWidth } from '../family/screen/face.js';
import type { TaskFamily, TaskInstance } from '../family/family.js';
import { Random } from '../family/random.js';
import { type Decoration, type Screen, renderPage, renderScreen } from '../family/screen/screen.js';
import { drawOwned, pageSeed } from '../family/split.js';
import { type Colour, colourNames, themes } from '../family/screen/theme.js';
import { pageScript } from '../family/pageScript.js';
import type { Look, Widget } from '../family/screen/widget.js';
import { words } from '../family/screen/words.js';

export const click: TaskFamily = {
  name: 'click',
  description: 'Click the control that the instruction identifies by text, colour or shape.',
  create(split, seed): TaskInstance {
    const random = new Random(`click/${split}/${seed}`);
    const { screen } = drawClickScreen(random, split, () => random.pick(words[split]));
    const target = random.between(0, screen.controls.length - 1);
    return {
      task: {
        id: `click/${split}/${seed}`,
        family: 'click',
        split,
        seed,
        instruction: instruct(random, screen.controls, target),
        surfaces: ['screen'],
        screen: { width: screenSide, height: screenSide },
        stepBudget: 2,
      },
      page: {
        html: renderPage(renderScreen(screen)),
        script: pageScript('basics/click'),
        argument: { target } satisfies ClickArgument,
        seed: pageSeed('click', split, seed),
      },
    };
  },
};

export type Contents = 'words' | 'colours' | 'shapes' | 'mixed';
const contents: readonly Contents[] = ['words', 'words', 'words', 'colours', 'colours', 'shapes', 'shapes', 'mixed'];

export function drawClickScreen(
  random: Random,
  split: Split,
  drawWord: () => string,
  kinds: readonly Contents[] = contents,
): { screen: Screen; layout: string } {
  const layout = drawOwned(
    split,
    () => ({
      arrangement: random.pick(arrangements),
      alignment: random.pick(alignments),
      density: random.pick(densities),
      header: random.pick(headers),
      theme: random.pick(themes),
    }),
    clickLayoutName,
  );
  const { arrangement, alignment, density, header, theme } = layout;
  for (let attempt = 0; ; attempt++) {
    const face = drawFace(random, attempt < 4 ? 15 : 12);
    const fresh = distinct(drawWord);
    const { decorations, texts, area } = layCard(header, density, face, fresh());
    const count = Math.max(3, random.between(3, 8) - Math.floor(attempt / 2));
    const drafts = drawControls(random, random.pick(kinds), count, face, fresh);
    const gap = gapOf[density] + (attempt > 6 ? -2 : 0);
    const boxes = arrange(
      arrangement,
      alignment,
      drafts.map((draft) => ({ ...draft.box, stretches: draft.kind === 'button' })),
      area,
      gap,
      random,
    );
    if (!boxes) continue;
    const controls = drafts.map((draft, index) => ({ ...draft, box: boxes[index] ?? draft.box }));
    const top = Math.min(...controls.map(({ box }) => box.y)) - gap - 1;
    const bottom = Math.max(...controls.map(({ box }) => box.y + box.height)) + gap + 1;
    const fillers = [
      ...filler(random, { ...area, height: top - area.y }),
      ...filler(random, { ...area, y: bottom, height: area.y + area.height - bottom }),
    ];
    return {
      layout: clickLayoutName(layout),
      screen: { theme, texts, controls, decorations: [...decorations, ...fillers] },
    };
  }
}

function clickLayoutName(layout: {
  arrangement: string;
  alignment: string;
  density: string;
  header: string;
  theme: { name: string };
}): string {
  return `click/${layout.arrangement}/${layout.alignment}/${layout.density}/${layout.header}/${layout.theme.name}`;
}

function filler(random: Random, { x, y, width, height }: Box): Decoration[] {
  if (height < 14) return [];
  if (height >= 26 && random.chance(0.5)) return [{ look: 'picture', box: { x, y, width, height } }];
  const lines = Math.min(4, Math.floor(height / 10));
  return Array.from({ length: lines }, (_, line) => ({
    look: 'skeleton',
    box: { x, y: y + 3 + line * 10, width: Math.round(width * (0.45 + 0.5 * random.next())), height: 5 },
  }));
}

function drawControls(
  random: Random,
  kind: Contents,
  count: number,
  face: Widget['face'],
  word: () => string,
): Widget[] {
  const height = face.size + random.between(8, 11);
  const buttonOf = (look: Look, colour?: Colour): Widget => {
    const label = word();
    const width = Math.max(30, textWidth(label, face) + 12);
    return { kind: 'button', look, label, face, box: { x: 0, y: 0, width, height }, ...(colour && { colour }) };
  };
  const side = random.between(25, 33);
  const shapeLook = random.pick<Look>(['bare', 'bare', 'key']);
  const size = shapeLook === 'key' ? side + 3 : side;
  const shapeOf = ([colour, shape]: readonly [Colour, Shape]): Widget => ({
    kind: 'shape',
    look: shapeLook,
    label: '',
    face,
    colour,
    shape,
    box: { x: 0, y: 0, width: size, height: size },
  });
  const plain = random.pick<readonly Look[]>([
    ['solid'],
    ['outline'],
    ['soft'],
    ['outline', 'soft'],
    ['solid', 'outline'],
  ]);
  // Other buttons are grey: an accent could resemble a colour of the task.
  const quiet = random.pick<Look>(['outline', 'soft']);
  switch (kind) {
    case 'words':
      return Array.from({ length: count }, () => buttonOf(random.pick(plain)));
    case 'colours': {
      const grey = random.chance(0.3) ? random.between(1, count - 2) : 0;
      const coloured = random.shuffle(colourNames).slice(0, count - grey);
      return random.shuffle([
        ...coloured.map((colour) => buttonOf('coloured', colour)),
        ...Array.from({ length: grey }, () => buttonOf(quiet)),
      ]);
    }
    case 'shapes':
      return drawPairs(random, count).map(shapeOf);
    case 'mixed': {
      const shapes = Math.max(1, Math.min(count - 1, random.between(1, 4)));
      return random.shuffle([
        ...drawPairs(random, shapes).map(shapeOf),
        ...Array.from({ length: count - shapes }, () => buttonOf(quiet)),
      ]);
    }
  }
}

/** Half of the time draws few colours and shapes, so that both matter. */
function drawPairs(random: Random, count: number): (readonly [Colour, Shape])[] {
  const narrow = random.chance(0.5);
  const someShapes = random.shuffle(shapeNames).slice(0, narrow ? 3 : shapeNames.length);
  const someColours = random.shuffle(colourNames).slice(0, narrow ? 3 : colourNames.length);
  const pairs = new Map<string, readonly [Colour, Shape]>();
  while (pairs.size < count) {
    const pair = [random.pick(someColours), random.pick(someShapes)] as const;
    pairs.set(pair.join(' '), pair);
  }
  return [...pairs.values()];
}

const verbs = ['press', 'click', 'tap'] as const;

/** Writes an instruction that fits one control only. */
function instruct(random: Random, controls: readonly Widget[], target: number): string {
  const control = controls[target]!;
  const verb = random.pick(verbs);
  if (control.kind === 'shape') {
    const same = controls.filter((other) => other.shape === control.shape).length;
    const name = same === 1 && random.chance(0.6) ? control.shape : `${control.colour} ${control.shape}`;
    return random.pick([
      `${verb} the ${name}`,
      `${verb} the ${name}`,
      `pick the ${name}`,
      `find the ${name} and ${verb} it`,
    ]);
  }
  if (control.colour && random.chance(0.75)) {
    return random.pick([
      `${verb} the ${control.colour} button`,
      `${verb} the ${control.colour} button`,
      `choose the ${control.colour} button`,
      `find the ${control.colour} button and ${verb} it`,
    ]);
  }
  const quoted = `"${control.label}"`;
  return random.pick([
    `${verb} ${quoted}`,
    `${verb} ${quoted}`,
    `${verb} the button ${quoted}`,
    `${verb} the button labelled ${quoted}`,
    `find ${quoted} and ${verb} it`,
  ]);
}
