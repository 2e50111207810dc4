import { Action } from '../../action/action.js';
import { keyName } from '../../action/key.js';
import type { Point } from '../../action/point.js';
import { scrollsOf } from '../wheel.js';
import type { PyautoguiCall } from './pyautogui.js';

interface CodeOptions {
  /** Converts the program's coordinates; undefined off the screen. May throw. */
  readonly pointOf: (x: number, y: number) => Point | undefined;
  /**
   * For a model that acts: a triple click becomes a double click, a failed end `call_user`, and scrolls repeat by their
   * distance. Recorded code with these is refused, except that scroll distances are dropped.
   */
  readonly isLive?: boolean;
}

/** The same cause gives the same words. */
type CodeResult =
  | { readonly ok: true; readonly actions: Action[]; readonly notices: string[] }
  | { readonly ok: false; readonly problem: string };

/**
 * Converts pyautogui calls to actions. A move right before a drag, scroll or click without a position gives its
 * position.
 */
export function actionsOfCalls(calls: readonly PyautoguiCall[], options: CodeOptions): CodeResult {
  const step = new Step(options);
  try {
    for (const call of calls) step.add(call);
    return { ok: true, actions: step.actions, notices: step.notices };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, problem: error.message };
    throw error;
  }
}

class Refusal extends Error {}

type Click = Extract<PyautoguiCall, { kind: 'click' }>;

class Step {
  readonly actions: Action[] = [];
  readonly notices: string[] = [];
  readonly #pointOf: CodeOptions['pointOf'];
  readonly #isLive: boolean;
  #pointer: Point | undefined;

  constructor({ pointOf, isLive = false }: CodeOptions) {
    this.#pointOf = pointOf;
    this.#isLive = isLive;
  }

  add(call: PyautoguiCall): void {
    switch (call.kind) {
      case 'click':
        return this.#click(call);
      case 'move':
        return this.#push({ type: 'mouse_move', point: this.#place(call) });
      case 'drag': {
        if (call.button !== 'left') refuse(`${call.name} (${call.button} button)`);
        const start = this.#pointer ?? refuse(`${call.name} (no start point)`);
        this.#dropMove();
        return this.#push({ type: 'drag', start, end: this.#place(call) });
      }
      case 'down':
      case 'up': {
        const point = call.x === undefined ? undefined : this.#place(call);
        return this.#push({ type: `mouse_${call.kind}`, point, button: call.button });
      }
      case 'scroll':
        return this.#scroll(call);
      case 'type':
        return this.#push({ type: 'type', text: call.text });
      case 'strokes':
        for (const key of call.keys) this.#push({ type: 'hotkey', keys: keyIn(key, call.name) });
        return;
      case 'hotkey': {
        const count = call.keys.length;
        if (count < 1 || count > 5) refuse(`${call.name} (${count} keys)`);
        return this.#push({ type: 'hotkey', keys: call.keys.map((key) => keyIn(key, call.name)).join(' ') });
      }
      case 'keyDown':
        return this.#push({ type: 'press', key: keyIn(call.key, call.name) });
      case 'keyUp':
        return this.#push({ type: 'release', key: keyIn(call.key, call.name) });
      case 'sleep':
        return this.#push({ type: 'wait', seconds: call.seconds });
      case 'terminate':
        if (call.success) return this.#push({ type: 'finished', answer: call.answer });
        return this.#isLive ? this.#push({ type: 'call_user' }) : refuse(`${call.name} (without success)`);
      case 'other':
      case 'moveBy':
      case 'dragBy':
        return refuse(call.name);
    }
  }

  #click(call: Click): void {
    const { name, button } = call;
    const isTriple = call.clicks === 3 && button === 'left' && this.#isLive;
    if (isTriple) this.notices.push('a triple click was read as a double click');
    const clicks = isTriple ? 2 : call.clicks;
    if (clicks > 2 && /triple_?click$/i.test(name)) refuse(name);
    if (clicks === 2 && button !== 'left') refuse(`${name} (${button} button)`);
    if (clicks !== 1 && clicks !== 2) refuse(`${name} (${clicks} clicks)`);
    const single = button === 'left' ? 'click' : (`${button}_click` as const);
    this.#push({ type: clicks === 2 ? 'double_click' : single, point: this.#place(call) });
  }

  #scroll(call: Extract<PyautoguiCall, { kind: 'scroll' }>): void {
    const { name, right, up } = call;
    if (right === 0 && up === 0) refuse(`${name} (0 clicks)`);
    const point = call.x === undefined ? this.#dropMove() : this.#place(call);
    const scrolls = scrollsOf(right === 0 ? up : right, right !== 0, point);
    for (const scroll of this.#isLive ? scrolls : scrolls.slice(0, 1)) this.#push(scroll);
  }

  /** Defaults to where this step has moved the pointer. */
  #place({ name, kind, x, y }: Extract<PyautoguiCall, { x: number | undefined }>): Point {
    if (x !== undefined && y !== undefined)
      return (this.#pointer = this.#pointOf(x, y) ?? refuse(`${name} (off the screen)`));
    if (x !== undefined || y !== undefined || !this.#pointer || kind === 'move') refuse(`${name} (no point)`);
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

  #push(action: { type: Action['type'] } & Record<string, unknown>): void {
    const present = Object.fromEntries(Object.entries(action).filter(([, value]) => value !== undefined));
    const checked = Action.safeParse(present);
    if (!checked.success) refuse(`${checked.error.issues[0]?.path.join('.')} of ${action.type}`);
    this.actions.push(checked.data);
  }
}

function keyIn(key: string, name: string): string {
  if (key === '') refuse(`${name} (no key)`);
  return keyName(key) ?? refuse(`${name} (key ${key})`);
}

function refuse(problem: string): never {
  throw new Refusal(problem);
}
