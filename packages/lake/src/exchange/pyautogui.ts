import { Action, type Direction, type Point, keyName } from '@gyre/protocol';
import { type PythonCall, type PythonValue, parsePythonCalls } from './pythonCalls.js';
import { Unsupported } from './importing.js';

/** The parameters that count, in the order of pyautogui; those about pace and logs say nothing to a policy. */
const signatures: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    'pyautogui.click': ['x', 'y', 'clicks', 'interval', 'button'],
    'pyautogui.leftClick': ['x', 'y'],
    'pyautogui.rightClick': ['x', 'y'],
    'pyautogui.middleClick': ['x', 'y'],
    'pyautogui.doubleClick': ['x', 'y', 'interval', 'button'],
    'pyautogui.moveTo': ['x', 'y', 'duration'],
    'pyautogui.dragTo': ['x', 'y', 'duration', 'tween', 'button'],
    'pyautogui.mouseDown': ['x', 'y', 'button'],
    'pyautogui.mouseUp': ['x', 'y', 'button'],
    'pyautogui.scroll': ['clicks', 'x', 'y'],
    'pyautogui.vscroll': ['clicks', 'x', 'y'],
    'pyautogui.hscroll': ['clicks', 'x', 'y'],
    'pyautogui.write': ['message', 'interval'],
    'pyautogui.typewrite': ['message', 'interval'],
    'pyautogui.press': ['keys', 'presses', 'interval'],
    'pyautogui.keyDown': ['key'],
    'pyautogui.keyUp': ['key'],
    'pyautogui.sleep': ['seconds'],
    'time.sleep': ['seconds'],
    'computer.wait': ['seconds'],
    'computer.terminate': ['status'],
  }),
);
const pace = ['interval', 'duration', 'tween', 'pause', '_pause', 'logScreenshot', 'mouseDownUp'];

/** The most strokes of a key that one `press` is read as. */
const mostPresses = 100;

/**
 * The actions that a step of pyautogui code does, in order. A move right before a drag, scroll or click without a place of its own is
 * its place. `press` and `hotkey` press and let go, `keyDown` and `keyUp` are `press` and `release`. How far a scroll goes is not said.
 * @param pointOf a point of the code as one of ours.
 * @throws Unsupported for code that is not only such calls.
 */
export function actionsOfCode(code: string, pointOf: (x: number, y: number) => Point, field: string): Action[] {
  const calls = parsePythonCalls(code);
  if (!calls) throw new Unsupported('code that is not only calls', field);
  const step = new Step(pointOf, field);
  for (const call of calls) step.add(call);
  return step.actions;
}

class Step {
  readonly actions: Action[] = [];
  private pointer: Point | undefined;

  constructor(
    private readonly pointOf: (x: number, y: number) => Point,
    private readonly field: string,
  ) {}

  add(call: PythonCall): void {
    if (call.name === 'pyautogui.hotkey') return this.push({ type: 'hotkey', keys: this.keys(call).join(' ') });
    const names = signatures.get(call.name);
    if (!names) this.refuse(call.name);
    const given = { ...call.named };
    for (const [index, value] of call.positional.entries()) given[names[index] ?? `argument ${index + 1}`] ??= value;
    const extra = Object.keys(given).find((name) => !names.includes(name) && !pace.includes(name));
    if (extra !== undefined) this.refuse(`${extra} of ${call.name}`);
    this.perform(call.name, given);
  }

  private perform(name: string, given: Readonly<Record<string, PythonValue>>): void {
    const clicks = given.clicks ?? 1;
    const button = given.button ?? 'left';
    switch (name) {
      case 'pyautogui.click':
        if (clicks === 2 && button === 'left')
          return this.push({ type: 'double_click', point: this.place(name, given) });
        if (clicks !== 1) this.refuse(`clicks of ${name}`);
        if (button === 'right') return this.push({ type: 'right_click', point: this.place(name, given) });
        if (button === 'middle') return this.push({ type: 'middle_click', point: this.place(name, given) });
        if (button !== 'left') this.refuse(`button of ${name}`);
        return this.push({ type: 'click', point: this.place(name, given) });
      case 'pyautogui.leftClick':
        return this.push({ type: 'click', point: this.place(name, given) });
      case 'pyautogui.rightClick':
        return this.push({ type: 'right_click', point: this.place(name, given) });
      case 'pyautogui.middleClick':
        return this.push({ type: 'middle_click', point: this.place(name, given) });
      case 'pyautogui.doubleClick':
        if (button !== 'left') this.refuse(`button of ${name}`);
        return this.push({ type: 'double_click', point: this.place(name, given) });
      case 'pyautogui.moveTo':
        return this.push({ type: 'mouse_move', point: this.place(name, given) });
      case 'pyautogui.dragTo': {
        if (button !== 'left') this.refuse(`button of ${name}`);
        const start = this.pointer;
        if (!start) this.refuse(`${name} from no place`);
        this.dropMove();
        return this.push({ type: 'drag', start, end: this.place(name, given) });
      }
      case 'pyautogui.mouseDown':
      case 'pyautogui.mouseUp':
        return this.push({
          type: name === 'pyautogui.mouseDown' ? 'mouse_down' : 'mouse_up',
          ...('x' in given && { point: this.place(name, given) }),
          ...('button' in given && { button }),
        });
      case 'pyautogui.scroll':
      case 'pyautogui.vscroll':
        return this.scroll(name, given, 'up', 'down');
      case 'pyautogui.hscroll':
        return this.scroll(name, given, 'right', 'left');
      case 'pyautogui.write':
      case 'pyautogui.typewrite':
        return this.push({ type: 'type', text: given.message });
      case 'pyautogui.press': {
        const { keys, presses = 1 } = given;
        const count = typeof presses === 'number' && Number.isInteger(presses) ? presses : 0;
        if (count < 1 || count > mostPresses) this.refuse(`presses of ${name}`);
        const strokes = Array.isArray(keys) ? (keys as readonly PythonValue[]) : [keys ?? null];
        for (let i = 0; i < count; i++)
          for (const key of strokes) this.push({ type: 'hotkey', keys: this.key(key, name) });
        return;
      }
      case 'pyautogui.keyDown':
        return this.push({ type: 'press', key: this.key(given.key ?? null, name) });
      case 'pyautogui.keyUp':
        return this.push({ type: 'release', key: this.key(given.key ?? null, name) });
      case 'computer.terminate':
        if (given.status !== 'success') this.refuse(`${name} without success`);
        return this.push({ type: 'finished' });
      default:
        return this.push({ type: 'wait', ...('seconds' in given && { seconds: given.seconds }) });
    }
  }

  private scroll(
    name: string,
    given: Readonly<Record<string, PythonValue>>,
    forward: Direction,
    back: Direction,
  ): void {
    const amount = given.clicks;
    if (typeof amount !== 'number' || amount === 0) this.refuse(`clicks of ${name}`);
    const point = 'x' in given ? this.place(name, given) : this.dropMove();
    this.push({ type: 'scroll', ...(point && { point }), direction: amount > 0 ? forward : back });
  }

  /** Where a call acts: its own place, or that of the pointer as this step has moved it. */
  private place(name: string, { x, y }: Readonly<Record<string, PythonValue>>): Point {
    if (typeof x === 'number' && typeof y === 'number') return (this.pointer = this.pointOf(x, y));
    const isSaid = (x ?? y ?? undefined) !== undefined;
    if (isSaid || !this.pointer || name === 'pyautogui.moveTo') this.refuse(`${name} at no place`);
    this.dropMove();
    return this.pointer;
  }

  /** Takes back a move that was only the way to the next action, and gives its point. */
  private dropMove(): Point | undefined {
    const last = this.actions.at(-1);
    if (last?.type !== 'mouse_move') return undefined;
    this.actions.pop();
    return last.point;
  }

  private keys({ name, positional, named }: PythonCall): string[] {
    const given = named.keys ?? named.args ?? positional;
    const extra = Object.keys(named).find((each) => !['keys', 'args', ...pace].includes(each));
    if (extra !== undefined) this.refuse(`${extra} of ${name}`);
    const keys = (Array.isArray(given) ? (given as readonly PythonValue[]) : [given]).flat();
    if (keys.length < 1 || keys.length > 5) this.refuse(`${name} of ${keys.length} keys`);
    return keys.map((key) => this.key(key, name));
  }

  private key(key: PythonValue, name: string): string {
    if (typeof key !== 'string' || key === '') this.refuse(`the key of ${name}`);
    return keyName(key) ?? this.refuse(`the key ${key} of ${name}`);
  }

  /** @param action checked here: an argument of another type than it should be is nothing that we can say. */
  private push(action: { type: Action['type'] } & Record<string, unknown>): void {
    const checked = Action.safeParse(action);
    if (!checked.success) this.refuse(`${checked.error.issues[0]?.path.join('.')} of ${action.type}`);
    this.actions.push(checked.data);
  }

  private refuse(what: string): never {
    throw new Unsupported(what, this.field);
  }
}
