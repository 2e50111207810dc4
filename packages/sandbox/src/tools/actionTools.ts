import { Action, type ActionType } from '@gyre/protocol';
import { z } from 'zod';

/** Useless as tools, or for phones only. */
type Left = 'finished' | 'call_user' | 'press_home' | 'press_back' | 'open_app';

const descriptions: Readonly<Record<Exclude<ActionType, Left>, string>> = {
  screenshot: 'What the screen shows now.',
  click: 'Clicks with the left button.',
  right_click: 'Clicks with the right button.',
  double_click: 'Clicks twice with the left button.',
  middle_click: 'Clicks with the middle button.',
  mouse_down: 'Presses a mouse button and holds it; left unless said otherwise.',
  mouse_up: 'Lets go of a mouse button.',
  mouse_move: 'Moves the pointer.',
  drag: 'Drags with the left button from start to end.',
  scroll: 'Turns the wheel, at a point or where the pointer is.',
  type: 'Types a text where the focus is. A line break presses enter.',
  hotkey: 'Presses up to five keys together, with blanks or plus signs between them: "ctrl c".',
  press: 'Presses a key and holds it: a lower-case name such as "shift", "enter", "arrowleft" or "a".',
  release: 'Lets go of a key.',
  navigate: 'Loads a URL in the browser.',
  navigate_back: 'Goes back to the page before.',
  long_press: 'Presses with the left button, or a finger, for a while.',
  swipe: 'Swipes from start to end.',
  wait: 'Waits, 5 seconds unless said otherwise, 60 at most.',
};

const web: ReadonlySet<string> = new Set(['navigate', 'navigate_back'] satisfies ActionType[]);

export interface ActionTool {
  readonly name: ActionType;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly action: (args: Record<string, unknown>) => Action;
}

export function actionTools({ browser }: { readonly browser: boolean }): ActionTool[] {
  return Action.options.flatMap(({ shape }) => {
    const { type, ...rest } = shape;
    const name = type.value;
    const description = Object.hasOwn(descriptions, name) ? descriptions[name as keyof typeof descriptions] : undefined;
    if (description === undefined || (web.has(name) && !browser)) return [];
    return {
      name,
      description: 'point' in rest || 'start' in rest ? `${description} Points are { x, y } in 0..1.` : description,
      input: z.strictObject(rest),
      action: (args) => Action.parse({ ...args, type: name }),
    };
  });
}
