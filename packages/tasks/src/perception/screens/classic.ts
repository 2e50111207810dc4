import type { Split } from '@gyre/protocol';
import { arrange } from '../../family/screen/arrangement.js';
import { densities, drawFace, headers, layCard } from '../../family/screen/card.js';
import { type Contents, drawClickScreen } from '../../basics/click.js';
import { distinct } from '../../family/distinct.js';
import type { Element } from '../../family/screen/element.js';
import { textWidth } from '../../family/screen/face.js';
import { drawFormScreen } from '../../basics/form.js';
import { drawMaze } from '../../basics/maze.js';
import { renderMaze, tileBox } from '../../basics/mazeBoard.js';
import type { Random } from '../../family/random.js';
import { type Screen, renderScreen } from '../../family/screen/screen.js';
import { drawString } from '../../family/split.js';
import { themes } from '../../family/screen/theme.js';
import type { Look, Widget } from '../../family/screen/widget.js';
import { words } from '../../family/screen/words.js';

/** A 160 x 160 px screen in the style of the task families. */
export interface ClassicScene {
  readonly elements: readonly Element[];
  html(): string;
}

/** Draws click or form tasks in any state, dense text, or a maze. */
export function drawClassic(random: Random, split: Split): ClassicScene {
  const word = () => (random.chance(0.5) ? random.pick(words[split]) : drawAnyLetters(random, split));
  const kind = random.next();
  if (kind < 0.42) return sceneOf(drawClickScreen(random, split, word, colourful).screen);
  if (kind < 0.68) return sceneOf(withRandomState(random, drawFormScreen(random, split, word).screen, word));
  if (kind < 0.9) return sceneOf(drawReadingScreen(random, word));
  const view = drawMaze(random, split);
  return {
    elements: [
      { kind: 'tile', label: 'hero', box: tileBox(view.start) },
      { kind: 'tile', label: view.goalKind, box: tileBox(view.goal) },
    ],
    html: () => renderMaze(view),
  };
}

/** Mostly wordless, since all other screens have words. */
const colourful: readonly Contents[] = ['words', 'colours', 'colours', 'colours', 'shapes', 'shapes', 'mixed'];

const drawAnyLetters = (random: Random, split: Split): string =>
  drawString(split, () =>
    Array.from({ length: random.between(2, 7) }, () => String.fromCharCode(97 + random.between(0, 25))).join(''),
  );

function sceneOf(screen: Screen): ClassicScene {
  const elements = [...screen.controls, ...screen.texts].map(
    ({ kind, label, colour, shape, checked, focused, box }): Element => ({
      kind,
      label,
      box,
      ...(colour && { colour }),
      ...(shape && { shape }),
      ...(checked !== undefined && { checked }),
      ...(focused !== undefined && { focused }),
    }),
  );
  return { elements, html: () => renderScreen(screen) };
}

function withRandomState(random: Random, screen: Screen, word: () => string): Screen {
  const options = screen.controls.filter(({ kind }) => kind === 'radio');
  const chosen = random.chance(0.6) ? random.pick(options) : undefined;
  const controls = screen.controls.map((control): Widget => {
    switch (control.kind) {
      case 'checkbox':
        return { ...control, checked: random.chance(0.4) };
      case 'radio':
        return { ...control, checked: control === chosen };
      case 'field': {
        const text = word();
        const fits = textWidth(text, control.face) + 26 <= control.box.width;
        return { ...control, label: fits && random.chance(0.55) ? text : '', focused: random.chance(0.6) };
      }
      default:
        return control;
    }
  });
  return { ...screen, controls };
}

function drawReadingScreen(random: Random, drawWord: () => string): Screen {
  for (;;) {
    const face = drawFace(random, 15);
    const word = distinct(drawWord);
    const card = layCard(random.pick(headers), random.pick(densities), face, word());
    const drafts = Array.from({ length: random.between(6, 12) }, (): Widget => {
      const labelFace = random.chance(0.3) ? drawFace(random, 15) : face;
      const label = word();
      const button = random.chance(0.25);
      const look = random.pick<Look>(button ? ['soft', 'outline', 'solid'] : ['title', 'title', 'title', 'muted']);
      const width = textWidth(label, labelFace) + (button ? 8 : 2);
      return {
        kind: button ? 'button' : 'text',
        look,
        label,
        face: labelFace,
        box: { x: 0, y: 0, width, height: labelFace.size + (button ? 5 : 3) },
      };
    });
    const boxes = arrange(
      random.pick(['flow', 'flow', 'scatter', 'grid'] as const),
      random.pick(['start', 'centre', 'end', 'stretch'] as const),
      drafts.map((draft) => ({ ...draft.box, stretches: false })),
      card.area,
      random.between(3, 6),
      random,
    );
    if (!boxes) continue;
    const widgets = drafts.map((draft, index) => ({ ...draft, box: boxes[index] ?? draft.box }));
    return {
      theme: random.pick(themes),
      decorations: card.decorations,
      texts: [...card.texts, ...widgets.filter(({ kind }) => kind === 'text')],
      controls: widgets.filter(({ kind }) => kind === 'button'),
    };
  }
}
