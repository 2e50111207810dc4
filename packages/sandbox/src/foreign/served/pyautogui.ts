import { MouseButton, type Action } from '@gyre/protocol';
import { keyOfPyautogui } from '../driven/pyautoguiKeys.js';
import { chord, waiting, type Pointer } from './pointer.js';
import { pythonProgram, type PythonStatement, type PythonValue } from './pythonProgram.js';

/** Parameters that change how something is done and not what. */
const manner = ['logScreenshot', '_pause'];

/** The parameters of pyautogui 0.9.54, in their order. */
const parameters: Readonly<Record<string, readonly string[]>> = {
  click: ['x', 'y', 'clicks', 'interval', 'button', 'duration', 'tween', ...manner],
  leftClick: ['x', 'y', 'interval', 'duration', 'tween', ...manner],
  rightClick: ['x', 'y', 'interval', 'duration', 'tween', ...manner],
  middleClick: ['x', 'y', 'interval', 'duration', 'tween', ...manner],
  doubleClick: ['x', 'y', 'interval', 'button', 'duration', 'tween', ...manner],
  tripleClick: ['x', 'y', 'interval', 'button', 'duration', 'tween', ...manner],
  moveTo: ['x', 'y', 'duration', 'tween', ...manner],
  moveRel: ['xOffset', 'yOffset', 'duration', 'tween', ...manner],
  dragTo: ['x', 'y', 'duration', 'tween', 'button', ...manner, 'mouseDownUp'],
  dragRel: ['xOffset', 'yOffset', 'duration', 'tween', 'button', ...manner, 'mouseDownUp'],
  mouseDown: ['x', 'y', 'button', 'duration', 'tween', ...manner],
  mouseUp: ['x', 'y', 'button', 'duration', 'tween', ...manner],
  scroll: ['clicks', 'x', 'y', ...manner],
  hscroll: ['clicks', 'x', 'y', ...manner],
  typewrite: ['message', 'interval', ...manner],
  press: ['keys', 'presses', 'interval', ...manner],
  keyDown: ['key', ...manner],
  keyUp: ['key', ...manner],
  sleep: ['seconds'],
};

/** Functions with two names. */
const aliases: Readonly<Record<string, string>> = {
  move: 'moveRel',
  drag: 'dragRel',
  vscroll: 'scroll',
  write: 'typewrite',
};

const modules: ReadonlySet<string> = new Set(['pyautogui', 'time', 'pynput.keyboard.Controller']);
const settings: ReadonlySet<string> = new Set(['pyautogui.FAILSAFE', 'pyautogui.PAUSE']);

/** A value that the function does not take, or that is known only when the program runs. */
class NotUnderstood extends Error {}

/**
 * The actions of a program for pyautogui, as clients of OSWorld send them. Undefined for one that does anything else: loops,
 * variables, looking at the screen. Moves `pointer` where the program does; only where it is understood.
 *
 * @throws GyreError `bad_input` for keys that actions do not have.
 */
export function pyautoguiActions(code: string, pointer: Pointer): Action[] | undefined {
  try {
    return pythonProgram(code)?.flatMap((statement) => actionsOf(statement, pointer));
  } catch (error) {
    if (error instanceof NotUnderstood) return undefined;
    throw error;
  }
}

function actionsOf(statement: PythonStatement, pointer: Pointer): Action[] {
  if (statement.kind === 'import') return modules.has(statement.module) ? [] : fail();
  if (statement.kind === 'set')
    return settings.has(statement.name) && typeof statement.value !== 'object' ? [] : fail();
  const { name, values, named } = statement;
  if (name === 'time.sleep') return call('sleep', bound('sleep', values, named), pointer);
  if (name === 'Controller().type') return call('typewrite', bound('typewrite', values, named), pointer);
  if (!name.startsWith('pyautogui.')) return fail();
  const short = name.slice('pyautogui.'.length);
  const known = aliases[short] ?? short;
  if (known === 'hotkey') return chord([...values].flat().map((key) => keyOfPyautogui(textIn(key))));
  return Object.hasOwn(parameters, known) ? call(known, bound(known, values, named), pointer) : fail();
}

/** Arguments by the names of their parameters. */
type Arguments = ReadonlyMap<string, PythonValue>;

function bound(name: string, values: readonly PythonValue[], named: Arguments): Arguments {
  const order = parameters[name]!;
  // A place may be one value.
  const [first, ...rest] = values;
  const spread =
    order[0] === 'x' && Array.isArray(first) && first.length === 2 ? [...(first as PythonValue[]), ...rest] : values;
  if (spread.length > order.length) fail();
  const all = new Map(named);
  spread.forEach((value, index) => {
    if (all.has(order[index]!)) fail();
    all.set(order[index]!, value);
  });
  for (const [parameter, value] of all) {
    if (!order.includes(parameter)) fail();
    // How the pointer gets there is the machine's affair.
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && parameter !== 'tween') fail();
  }
  return all;
}

function call(name: string, given: Arguments, pointer: Pointer): Action[] {
  const number = (parameter: string) => numberIn(given.get(parameter));
  const [x, y] = [number('x'), number('y')];
  const button = (usual: MouseButton = 'left') => buttonIn(given.get('button'), usual);
  switch (name) {
    case 'click':
      return pointer.click(x, y, button(), countIn(number('clicks')));
    case 'leftClick':
      return pointer.click(x, y, 'left', 1);
    case 'rightClick':
      return pointer.click(x, y, 'right', 1);
    case 'middleClick':
      return pointer.click(x, y, 'middle', 1);
    case 'doubleClick':
      return pointer.click(x, y, button(), 2);
    case 'tripleClick':
      return pointer.click(x, y, button(), 3);
    case 'moveTo':
      return pointer.move(x, y);
    case 'moveRel':
      return pointer.moveBy(number('xOffset') ?? 0, number('yOffset') ?? 0);
    case 'dragTo':
    case 'dragRel': {
      const by = [number('xOffset') ?? 0, number('yOffset') ?? 0] as const;
      if (given.get('mouseDownUp') === false) return name === 'dragTo' ? pointer.move(x, y) : pointer.moveBy(...by);
      return name === 'dragTo' ? pointer.dragTo(x, y, button()) : pointer.dragBy(...by, button());
    }
    case 'mouseDown':
      return pointer.down(x, y, button());
    case 'mouseUp':
      return pointer.up(x, y, button());
    case 'scroll':
    case 'hscroll': {
      const clicks = number('clicks') ?? fail();
      pointer.aim(x, y);
      return name === 'scroll' ? pointer.scroll(0, clicks) : pointer.scroll(clicks, 0);
    }
    case 'typewrite': {
      const message = given.get('message');
      if (Array.isArray(message))
        return (message as PythonValue[]).flatMap((key) => chord([keyOfPyautogui(textIn(key))]));
      const text = textIn(message);
      return text === '' ? [] : [{ type: 'type', text }];
    }
    case 'press': {
      const keys = [given.get('keys') ?? fail()].flat() as PythonValue[];
      const once = keys.flatMap((key) => chord([keyOfPyautogui(textIn(key))]));
      return Array.from({ length: countIn(number('presses')) }, () => once).flat();
    }
    case 'keyDown':
      return [{ type: 'press', key: keyOfPyautogui(textIn(given.get('key'))) }];
    case 'keyUp':
      return [{ type: 'release', key: keyOfPyautogui(textIn(given.get('key'))) }];
    default:
      return waiting(number('seconds') ?? fail());
  }
}

function numberIn(value: PythonValue | undefined): number | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'number' && Number.isFinite(value) ? value : fail();
}

/** How often something is done: once unless said otherwise. */
function countIn(count: number | undefined): number {
  if (count === undefined) return 1;
  return Number.isInteger(count) && count >= 0 && count <= 100 ? count : fail();
}

function buttonIn(value: PythonValue | undefined, usual: MouseButton): MouseButton {
  if (value === undefined || value === 'primary') return usual;
  return value === 'secondary' ? 'right' : (MouseButton.safeParse(value).data ?? fail());
}

function textIn(value: PythonValue | undefined): string {
  return typeof value === 'string' ? value : fail();
}

function fail(): never {
  throw new NotUnderstood();
}
