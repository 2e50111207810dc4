import { MouseButton } from '../../action/action.js';
import { pythonProgram, type PythonCall, type PythonOptions, type PythonValue } from './pythonProgram.js';

/** Points and keys are in the program's notation. */
export type PyautoguiCall = { readonly name: string } & (
  | (OptionalPoint & { readonly kind: 'click'; readonly button: MouseButton; readonly clicks: number })
  | (OptionalPoint & { readonly kind: 'move' })
  | (Offset & { readonly kind: 'moveBy' })
  | (OptionalPoint & { readonly kind: 'drag'; readonly button: MouseButton; readonly presses: boolean })
  | (Offset & { readonly kind: 'dragBy'; readonly button: MouseButton; readonly presses: boolean })
  | (OptionalPoint & { readonly kind: 'down' | 'up'; readonly button: MouseButton | undefined })
  /** In notches. */
  | (OptionalPoint & { readonly kind: 'scroll'; readonly right: number; readonly up: number })
  | { readonly kind: 'type'; readonly text: string }
  | { readonly kind: 'strokes'; readonly keys: readonly string[] }
  | { readonly kind: 'hotkey'; readonly keys: readonly string[] }
  | { readonly kind: 'keyDown' | 'keyUp'; readonly key: string }
  | { readonly kind: 'sleep'; readonly seconds: number | undefined }
  | { readonly kind: 'terminate'; readonly success: boolean; readonly answer: string | undefined }
  | { readonly kind: 'other' }
);

interface OptionalPoint {
  readonly x: number | undefined;
  readonly y: number | undefined;
}

interface Offset {
  readonly right: number;
  readonly down: number;
}

/** The same cause gives the same words. */
export type PyautoguiResult =
  { readonly ok: true; readonly calls: readonly PyautoguiCall[] } | { readonly ok: false; readonly problem: string };

const manner = ['logScreenshot', '_pause'];
const lenientManner = ['interval', 'duration', 'tween', 'pause', 'mouseDownUp', ...manner];

/** The parameters of pyautogui 0.9.54, in order. */
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
  terminate: ['status', 'answer'],
};

const aliases: Readonly<Record<string, string>> = {
  move: 'moveRel',
  drag: 'dragRel',
  vscroll: 'scroll',
  write: 'typewrite',
};

const modules: ReadonlySet<string> = new Set(['pyautogui', 'time', 'pynput.keyboard.Controller']);
const settings: ReadonlySet<string> = new Set(['pyautogui.FAILSAFE', 'pyautogui.PAUSE']);
const otherCode = 'code that is not only calls';

class NotUnderstood extends Error {}

/**
 * Accepts only pyautogui and `time.sleep` with literals. Runs nothing.
 *
 * @param options `lenient` also accepts OpenCUA's `computer.wait`, `computer.triple_click` and `computer.terminate`,
 * unknown pace arguments, and hotkeys by keyword.
 */
export function readPyautogui(code: string, options: PythonOptions = {}): PyautoguiResult {
  const program = pythonProgram(code, options);
  if (program === undefined) return { ok: false, problem: otherCode };
  try {
    const calls = program.flatMap((statement) => {
      if (statement.kind === 'call') return [callOf(statement, options)];
      const isKnown =
        statement.kind === 'import'
          ? modules.has(statement.module)
          : settings.has(statement.name) && typeof statement.value !== 'object';
      return isKnown ? [] : fail(otherCode);
    });
    return { ok: true, calls };
  } catch (error) {
    if (error instanceof NotUnderstood) return { ok: false, problem: error.message };
    throw error;
  }
}

function callOf(call: PythonCall, { lenient = false }: PythonOptions): PyautoguiCall {
  const { name } = call;
  const short = functionOf(name, lenient);
  if (short === 'hotkey') return { name, kind: 'hotkey', keys: hotkeyOf(call, lenient) };
  if (short === undefined || !Object.hasOwn(parameters, short)) return { name, kind: 'other' };
  return new Arguments(call, parameters[short]!, lenient).call(short);
}

/** Returns undefined for another module's function. */
function functionOf(name: string, lenient: boolean): string | undefined {
  if (name === 'time.sleep' || (lenient && name === 'computer.wait')) return 'sleep';
  if (lenient && name === 'computer.terminate') return 'terminate';
  // The prompt's name and the data's.
  if (lenient && (name === 'computer.triple_click' || name === 'computer.tripleClick')) return 'tripleClick';
  if (name === 'Controller().type') return 'typewrite';
  if (!name.startsWith('pyautogui.')) return undefined;
  const short = name.slice('pyautogui.'.length);
  if (short === 'terminate') return undefined;
  return Object.hasOwn(aliases, short) ? aliases[short] : short;
}

function hotkeyOf({ name, positional, named }: PythonCall, lenient: boolean): string[] {
  const list = lenient ? (named.get('keys') ?? named.get('args') ?? positional) : positional;
  return [list].flat(2).map((key) => keyIn(key, name));
}

class Arguments {
  readonly #name: string;
  readonly #values: ReadonlyMap<string, PythonValue>;

  constructor({ name, positional, named }: PythonCall, order: readonly string[], lenient: boolean) {
    this.#name = name;
    const [first, ...rest] = positional;
    const isPlace = order[0] === 'x' && Array.isArray(first) && first.length === 2;
    const spread = isPlace ? [...(first as readonly PythonValue[]), ...rest] : positional;
    const values = new Map(named);
    for (const [index, value] of spread.entries()) {
      const parameter = order[index] ?? `argument ${index + 1}`;
      if (!values.has(parameter)) values.set(parameter, value);
      else if (!lenient) fail(`${parameter} of ${name} twice`);
    }
    for (const [parameter, value] of values) {
      const isKnown = order.includes(parameter) || (lenient && lenientManner.includes(parameter));
      const isName = typeof value === 'object' && value !== null && !Array.isArray(value);
      if (!isKnown || (isName && parameter !== 'tween')) fail(`${parameter} of ${name}`);
    }
    this.#values = values;
  }

  call(short: string): PyautoguiCall {
    const name = this.#name;
    const place = { x: this.#number('x'), y: this.#number('y') };
    const offset = { right: this.#number('xOffset') ?? 0, down: this.#number('yOffset') ?? 0 };
    const button = () => this.#button() ?? 'left';
    const presses = this.#values.get('mouseDownUp') !== false;
    switch (short) {
      case 'click':
        return { name, kind: 'click', ...place, button: button(), clicks: this.#count('clicks') };
      case 'leftClick':
        return { name, kind: 'click', ...place, button: 'left', clicks: 1 };
      case 'rightClick':
        return { name, kind: 'click', ...place, button: 'right', clicks: 1 };
      case 'middleClick':
        return { name, kind: 'click', ...place, button: 'middle', clicks: 1 };
      case 'doubleClick':
        return { name, kind: 'click', ...place, button: button(), clicks: 2 };
      case 'tripleClick':
        return { name, kind: 'click', ...place, button: button(), clicks: 3 };
      case 'moveTo':
        return { name, kind: 'move', ...place };
      case 'moveRel':
        return { name, kind: 'moveBy', ...offset };
      case 'dragTo':
        return { name, kind: 'drag', ...place, button: button(), presses };
      case 'dragRel':
        return { name, kind: 'dragBy', ...offset, button: button(), presses };
      case 'mouseDown':
        return { name, kind: 'down', ...place, button: this.#button() };
      case 'mouseUp':
        return { name, kind: 'up', ...place, button: this.#button() };
      case 'scroll':
        return { name, kind: 'scroll', ...place, right: 0, up: this.#notches() };
      case 'hscroll':
        return { name, kind: 'scroll', ...place, right: this.#notches(), up: 0 };
      case 'typewrite': {
        const message = this.#values.get('message');
        if (typeof message === 'string') return { name, kind: 'type', text: message };
        return Array.isArray(message) ? { name, kind: 'strokes', keys: this.#keys(message) } : this.#fail('message');
      }
      case 'press': {
        const keys = this.#keys([this.#values.get('keys')].flat());
        return { name, kind: 'strokes', keys: Array<string[]>(this.#count('presses')).fill(keys).flat() };
      }
      case 'keyDown':
        return { name, kind: 'keyDown', key: keyIn(this.#values.get('key'), name) };
      case 'keyUp':
        return { name, kind: 'keyUp', key: keyIn(this.#values.get('key'), name) };
      case 'terminate':
        return { name, kind: 'terminate', success: this.#isSuccess(), answer: this.#answer() };
      default:
        return { name, kind: 'sleep', seconds: this.#number('seconds') };
    }
  }

  #number(parameter: string): number | undefined {
    const value = this.#values.get(parameter) ?? undefined;
    return value === undefined || (typeof value === 'number' && Number.isFinite(value)) ? value : this.#fail(parameter);
  }

  #notches(): number {
    return this.#number('clicks') ?? this.#fail('clicks');
  }

  #count(parameter: string): number {
    const count = this.#number(parameter) ?? 1;
    return Number.isInteger(count) && count >= 0 && count <= 100 ? count : this.#fail(parameter);
  }

  #button(): MouseButton | undefined {
    const value = this.#values.get('button');
    if (value === undefined || value === 'primary') return undefined;
    return value === 'secondary' ? 'right' : (MouseButton.safeParse(value).data ?? this.#fail('button'));
  }

  #isSuccess(): boolean {
    const status = this.#values.get('status');
    // Prompts have `failure` or `fail`.
    return status === 'success' || (status === 'failure' || status === 'fail' ? false : this.#fail('status'));
  }

  #answer(): string | undefined {
    const answer = this.#values.get('answer') ?? undefined;
    return answer === undefined || typeof answer === 'string' ? answer : this.#fail('answer');
  }

  #keys(list: readonly (PythonValue | undefined)[]): string[] {
    return list.map((key) => keyIn(key, this.#name));
  }

  #fail(parameter: string): never {
    return fail(`${parameter} of ${this.#name}`);
  }
}

function keyIn(value: PythonValue | undefined, name: string): string {
  return typeof value === 'string' ? value : fail(`the key of ${name}`);
}

function fail(what: string): never {
  throw new NotUnderstood(what);
}
