import { GyreError, type Size, type Split } from '@gyre/protocol';
import type { Box } from '../family/box.js';
import type { PageFiles, TaskFamily, TaskInstance } from '../family/family.js';
import { Random } from '../family/random.js';
import { drawOwned, pageSeed } from '../family/split.js';
import type { Watch } from '../family/watch.js';
import { Labels, Misfit } from './labels.js';
import { type Room, type SceneLayout, drawScene, sceneLayouts } from './scene.js';
import { type Skin, drawSkin } from './skin.js';
import { type WidgetTools, widgetScript } from './widgetWatch.js';

/*
 * Families of one widget each, on screens of any size.
 *
 * To add one:
 * 1. `NAME.ts` exports `widgetFamily({ … })`. Its `draw` gets a `Brush` and gives HTML for the brush's area, which it may fill
 *    or not, with `data-name` on whatever can be acted on: names say where a thing stands (`item-2`), never what is asked for.
 *    Take every label from `brush.labels`: they belong to the split, differ from one another and need no escaping. What must
 *    fit gets its width in px: `labels.next(width)`. Where things cannot fit throw `Misfit`, and the screen is drawn again.
 * 2. Its own looks go into `layouts`, a list of choices by name. Together with the scene's they belong to one split; the brush
 *    has those that were drawn as `brush.layout`. Whatever else is random comes from `brush.random`.
 * 3. Shared styles are in `stylesheet.ts` (`btn`, `entry`, `field`, `pop`, `down`, `across`, `lit`, `pressed`); the widget's own
 *    go into `styles` and begin with a class of the widget's name. Nothing may move or fade.
 * 4. `NAMEWatch.ts` exports the watching script: one function that refers to nothing outside itself (not even a constant of its
 *    file). It keeps the state in variables, changes it on trusted events, draws the page from it, and returns `read`
 *    (`tools.judge`) and `solve` (`tools.turn(thought, action)`, one action a turn; `[]` when done).
 * 5. `templates` are instructions by variant; `{name}` stands for a literal text, which is put in double quotes. `draw` says which
 *    variant, and gives the texts. The words of all templates are `widgetWords`: keep to those that are there where you can.
 * 6. `turns` is what the oracle needs; the step budget is 1.5 times that and 2 more. End the task with an action that can be wrong
 *    (a press on one of several things), or when the state is as wanted where no wandering about would meet it by chance.
 * 7. Add it to `widgetFamilies` in `families.ts`. Look at a sheet of screenshots of it, on small and on large screens.
 */

/** What a widget is drawn with. */
export interface Brush<Layout> {
  readonly random: Random;
  readonly split: Split;
  /** Of the screen, in px. */
  readonly size: Size;
  /** Where the widget goes, in px of the screen; its HTML has the area's upper left corner as its origin. */
  readonly area: Box;
  /** Height of a row or a control in px. */
  readonly row: number;
  /** Between controls, in px. */
  readonly gap: number;
  readonly skin: Skin;
  readonly labels: Labels;
  readonly layout: Layout & SceneLayout;
}

export interface Drawing<Argument> {
  /** Of the area. */
  readonly html: string;
  /** Of the whole screen, over everything; its pop-ups are placed in px of the screen. */
  readonly overlay?: string;
  /** For the watching script. */
  readonly argument: Argument;
  /** Which template the instruction is from. */
  readonly say: string;
  /** What its placeholders stand for. */
  readonly texts: Readonly<Record<string, string>>;
  /** How many turns the oracle takes. */
  readonly turns: number;
  /** See `TaskInstance.files`. */
  readonly files?: PageFiles;
}

interface WidgetPlan<Layout extends Record<string, unknown>, Argument> {
  readonly name: string;
  readonly description: string;
  /** Absent: 160 x 160. */
  readonly smallest?: Size;
  readonly templates: Templates;
  readonly layouts: { readonly [Name in keyof Layout]: readonly Layout[Name][] };
  /** What the widget can use of a large screen, in px at letters of 13 px. */
  readonly room: Room;
  readonly styles: string;
  readonly watch: (argument: Argument, tools: WidgetTools) => Watch;
  readonly draw: (brush: Brush<Layout>) => Drawing<Argument>;
}

/** Instructions by variant, several phrasings of each. */
export type Templates = Readonly<Record<string, readonly string[]>>;

export interface WidgetFamily extends TaskFamily {
  readonly templates: Templates;
}

/** The default screen, in px. */
const smallestScreen: Size = { width: 160, height: 160 };

/** Makes a family of a plan. Its `create` throws `bad_input` for a screen that is too small or of odd sides. */
export function widgetFamily<Layout extends Record<string, unknown>, Argument>(
  plan: WidgetPlan<Layout, Argument>,
): WidgetFamily {
  const { name, description, templates } = plan;
  const smallest = plan.smallest ?? smallestScreen;
  return {
    name,
    description,
    smallest,
    templates,
    wordings: Object.values(templates).flat().length,
    create(split, seed, size = smallest): TaskInstance {
      check(name, size, smallest);
      const ofSize =
        size.width === smallest.width && size.height === smallest.height ? '' : `/${size.width}x${size.height}`;
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
          instruction: template.replace(/\{(\w+)\}/g, (_, key: string) => `"${drawing.texts[key]}"`),
          surfaces: ['screen'],
          screen: size,
          stepBudget: Math.ceil(1.5 * drawing.turns) + 2,
        },
        page: {
          html,
          script: widgetScript(plan.watch),
          argument: drawing.argument,
          seed: pageSeed(`${name}${ofSize}`, split, seed),
        },
        ...(drawing.files && { files: drawing.files }),
      };
    },
  };
}

function drawPage<Layout extends Record<string, unknown>, Argument>(
  plan: WidgetPlan<Layout, Argument>,
  random: Random,
  split: Split,
  size: Size,
): { drawing: Drawing<Argument>; html: string } {
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
      // Wide letters and many things do not always go together; after so many tries the plan is wrong.
      if (!(error instanceof Misfit) || attempt >= 200) throw error;
    }
  }
}

/** Picks one of every list, so that all of them together belong to the split. */
export function drawLayout<Layout extends Record<string, unknown>>(
  random: Random,
  split: Split,
  name: string,
  layouts: { readonly [Name in keyof Layout]: readonly Layout[Name][] },
): Layout {
  return drawOwned(
    split,
    () =>
      Object.fromEntries(Object.entries<readonly unknown[]>(layouts).map(([key, list]) => [key, random.pick(list)])),
    (layout) => `${name}/${Object.values(layout).join('/')}`,
  ) as Layout;
}

function check(name: string, { width, height }: Size, smallest: Size): void {
  if (width >= smallest.width && height >= smallest.height && width % 8 === 0 && height % 16 === 0) return;
  throw new GyreError('bad_input', `${name} has no screen of ${width} x ${height} px`, {
    field: 'size',
    fix: `use at least ${smallest.width} x ${smallest.height}, the width a multiple of 8 and the height of 16`,
  });
}
