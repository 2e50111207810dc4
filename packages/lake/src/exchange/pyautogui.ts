import { Action, keyName, readPyautogui, type Direction, type Point, type PyautoguiCall } from '@gyre/protocol';
import { Unsupported } from './importing.js';

/**
 * Parses pyautogui code, `computer.wait` and `computer.terminate`. A move right before a drag, scroll or click without
 * a position gives its position. Scroll distances are dropped.
 * @throws Unsupported for other code.
 */
export function actionsOfCode(code: string, pointOf: (x: number, y: number) => Point, field: string): Action[] {
  const program = readPyautogui(code, { lenient: true });
  if (!program.ok) throw new Unsupported(program.problem, field);
  const step = new Step(pointOf, field);
  for (const call of program.calls) step.add(call);
  return step.actions;
}

type Click = Extract<PyautoguiCall, { kind: 'click' }>;

class Step {
  readonly actions: Action[] = [];
  readonly #pointOf: (x: number, y: number) => Point;
  readonly #field: string;
  #pointer: Point | undefined;

  constructor(pointOf: (x: number, y: number) => Point, field: string) {
    this.#pointOf = pointOf;
    this.#field = field;
  }

  add(call: PyautoguiCall): void {
    switch (call.kind) {
      case 'click':
        return this.#click(call);
      case 'move':
        return this.#push({ type: 'mouse_move', point: this.#place(call) });
      case 'drag': {
        if (call.button !== 'left') this.#refuse(`${call.name} (${call.button} button)`);
        const start = this.#pointer ?? this.#refuse(`${call.name} (no start point)`);
        this.#dropMove();
        return this.#push({ type: 'drag', start, end: this.#place(call) });
      }
      case 'down':
      case 'up': {
        const point = call.x === undefined ? undefined : this.#place(call);
        return this.#push({ type: `mouse_${call.kind}`, point, button: call.button });
      }
      case 'scroll': {
        if (call.right === 0 && call.up === 0) this.#refuse(`${call.name} (0 clicks)`);
        const point = call.x === undefined ? this.#dropMove() : this.#place(call);
        return this.#push({ type: 'scroll', point, direction: directionOf(call.right, call.up) });
      }
      case 'type':
        return this.#push({ type: 'type', text: call.text });
      case 'strokes':
        for (const key of call.keys) this.#push({ type: 'hotkey', keys: this.#key(key, call.name) });
        return;
      case 'hotkey': {
        const count = call.keys.length;
        if (count < 1 || count > 5) this.#refuse(`${call.name} (${count} keys)`);
        return this.#push({ type: 'hotkey', keys: call.keys.map((key) => this.#key(key, call.name)).join(' ') });
      }
      case 'keyDown':
        return this.#push({ type: 'press', key: this.#key(call.key, call.name) });
      case 'keyUp':
        return this.#push({ type: 'release', key: this.#key(call.key, call.name) });
      case 'sleep':
        return this.#push({ type: 'wait', seconds: call.seconds });
      case 'terminate':
        if (!call.success) this.#refuse(`${call.name} (without success)`);
        return this.#push({ type: 'finished' });
      case 'other':
      case 'moveBy':
      case 'dragBy':
        return this.#refuse(call.name);
    }
  }

  #click(call: Click): void {
    const { name, button, clicks } = call;
    if (clicks > 2 && name === 'pyautogui.tripleClick') this.#refuse(name);
    if (clicks === 2 && button !== 'left') this.#refuse(`${name} (${button} button)`);
    if (clicks !== 1 && clicks !== 2) this.#refuse(`${name} (${clicks} clicks)`);
    const single = button === 'left' ? 'click' : (`${button}_click` as const);
    this.#push({ type: clicks === 2 ? 'double_click' : single, point: this.#place(call) });
  }

  /** Defaults to where this step has moved the pointer. */
  #place({ name, kind, x, y }: Extract<PyautoguiCall, { x: number | undefined }>): Point {
    if (x !== undefined && y !== undefined) return (this.#pointer = this.#pointOf(x, y));
    if (x !== undefined || y !== undefined || !this.#pointer || kind === 'move') this.#refuse(`${name} (no point)`);
    this.#dropMove();
    return this.#pointer;
  }

  /** Takes back a move that only leads to the next action. */
  #dropMove(): Point | undefined {
    const last = this.actions.at(-1);
    if (last?.type !== 'mouse_move') return undefined;
    this.actions.pop();
    return last.point;
  }

  #key(key: string, name: string): string {
    if (key === '') this.#refuse(`${name} (no key)`);
    return keyName(key) ?? this.#refuse(`${name} (key ${key})`);
  }

  #push(action: { type: Action['type'] } & Record<string, unknown>): void {
    const present = Object.fromEntries(Object.entries(action).filter(([, value]) => value !== undefined));
    const checked = Action.safeParse(present);
    if (!checked.success) this.#refuse(`${checked.error.issues[0]?.path.join('.')} of ${action.type}`);
    this.actions.push(checked.data);
  }

  #refuse(what: string): never {
    throw new Unsupported(what, this.#field);
  }
}

function directionOf(right: number, up: number): Direction {
  if (up === 0) return right > 0 ? 'right' : 'left';
  return up > 0 ? 'up' : 'down';
}
