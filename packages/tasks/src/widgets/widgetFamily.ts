import type { Size, Split } from '@gyre/protocol';
import type { Box } from '../family/box.js';
import type { PageFiles, TaskFamily, TaskInstance } from '../family/family.js';
import { Random } from '../family/random.js';
import { checkScreen, sizeSuffix } from '../family/screenSize.js';
import { pageSeed } from '../family/split.js';
import { fillWording } from '../family/wording.js';
import { drawLayout } from '../family/layout.js';
import { pageScript } from '../family/pageScript.js';
import { Labels, LabelMisfit } from './drawing/labels.js';
import { type Room, type SceneLayout, drawScene, sceneLayouts } from './drawing/scene.js';
import { type Skin, drawSkin } from './drawing/skin.js';

/*
 * Families of one widget each, on screens of any size, in folders by kind. To add one:
 * 1. `FOLDER/NAME.ts` exports `widgetFamily({ … })`. `draw` returns HTML for `context.area`, with a `data-name` on every
 * element that can be acted on. Names say the place (`item-2`), never the goal. Take every label from `context.labels`:
 * these belong to the split, differ from one another and need no escaping. Throw `LabelMisfit` if something does not fit.
 * 2. `layouts` lists the widget's own looks by name; `context.layout` has the drawn ones. All other randomness comes from
 * `context.random`.
 * 3. Shared styles are in `drawing/stylesheet.ts`. The widget's own begin with a class of its name. Nothing may move or
 * fade.
 * 4. `FOLDER/NAME.page.ts` exports the verifier by default, built from `parts.ts`. It changes its state on trusted
 * events only and draws the page from it. `solve` returns one action per turn, and `[]` when done.
 * 5. `templates` are instructions by variant. `{name}` becomes a text in double quotes.
 * 6. `turns` is the oracle's number of turns; the step budget is 1.5 times that plus 2. End the task with an action
 * that can be wrong, or in a state that is not reached by chance.
 * 7. Add it to `families.ts`. Check screenshots of small and large screens.
 */

export interface DrawContext<Layout> {
  readonly random: Random;
  readonly split: Split;
  readonly size: Size;
  /** In px of the screen. */
  readonly area: Box;
  /** Height of a row or a control in px. */
  readonly row: number;
  /** px between controls. */
  readonly gap: number;
  readonly skin: Skin;
  readonly labels: Labels;
  readonly layout: Layout & SceneLayout;
}

export interface Drawing {
  readonly html: string;
  readonly overlay?: string;
  readonly argument: object;
  readonly say: string;
  readonly texts: Readonly<Record<string, string>>;
  readonly turns: number;
  readonly files?: PageFiles;
}

interface WidgetPlan<Layout extends Record<string, unknown>> {
  readonly name: string;
  readonly description: string;
  /** Default: 160 x 160. */
  readonly smallest?: Size;
  readonly templates: Templates;
  readonly layouts: { readonly [Name in keyof Layout]: readonly Layout[Name][] };
  /** px at a font size of 13 px. */
  readonly room: Room;
  readonly styles: string;
  /** Path of its page for `pageScript`: `widgets/FOLDER/NAME`. */
  readonly page: string;
  readonly draw: (context: DrawContext<Layout>) => Drawing;
}

/** Instructions by variant, in several phrasings. */
export type Templates = Readonly<Record<string, readonly string[]>>;

export interface WidgetFamily extends TaskFamily {
  readonly templates: Templates;
}

const smallestScreen: Size = { width: 160, height: 160 };

/** Returns a family whose `create` throws `bad_input` where `checkScreen` does. */
export function widgetFamily<Layout extends Record<string, unknown>>(plan: WidgetPlan<Layout>): WidgetFamily {
  const { name, description, templates } = plan;
  const smallest = plan.smallest ?? smallestScreen;
  return {
    name,
    description,
    smallest,
    templates,
    wordings: Object.values(templates).flat().length,
    create(split, seed, size = smallest): TaskInstance {
      checkScreen(name, size, smallest);
      const ofSize = sizeSuffix(size, smallest);
      const id = `${name}/${split}/${seed}${ofSize}`;
      const random = new Random(id);
      const { drawing, html } = drawPage(plan, random, split, size);
      const template = random.pick(templates[drawing.say] ?? []);
      return {
        task: {
          id,
          family: name,
          split,
          seed,
          instruction: fillWording(template, drawing.texts, ['"', '"']),
          surfaces: ['screen'],
          screen: size,
          stepBudget: Math.ceil(1.5 * drawing.turns) + 2,
        },
        page: {
          html,
          script: pageScript(plan.page),
          argument: drawing.argument,
          seed: pageSeed(`${name}${ofSize}`, split, seed),
        },
        ...(drawing.files && { files: drawing.files }),
      };
    },
  };
}

function drawPage<Layout extends Record<string, unknown>>(
  plan: WidgetPlan<Layout>,
  random: Random,
  split: Split,
  size: Size,
): { drawing: Drawing; html: string } {
  for (let attempt = 1; ; attempt++) {
    const layout = drawLayout<Layout & SceneLayout>(random, split, plan.name, {
      ...plan.layouts,
      ...sceneLayouts,
    } as never);
    const skin = drawSkin(random, split, size);
    const labels = new Labels(random, split, skin.font);
    try {
      const scene = drawScene(random, size, plan.room, layout, skin, labels);
      const { area, row, gap } = scene;
      const drawing = plan.draw({ random, split, size, area, row, gap, skin, labels, layout });
      return { drawing, html: scene.render({ ...drawing, styles: plan.styles }) };
    } catch (error) {
      // Wide letters may not fit; after so many attempts the plan is wrong.
      if (!(error instanceof LabelMisfit) || attempt >= 200) throw error;
    }
  }
}
