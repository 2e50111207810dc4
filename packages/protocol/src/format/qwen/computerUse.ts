import type { Action, MouseButton } from '../../action/action.js';
import { AgentAction } from '../../action/sdkCall.js';
import type { Point } from '../../action/point.js';
import { keyName, splitKeys } from '../../action/key.js';
import { readSeconds } from '../../action/sdkValue.js';
import { toThousand } from '../../space/space.js';
import { inexpressibleAction } from '../inexpressible.js';
import { shorten } from '../malformed.js';
import { parsePoint } from '../parsePoint.js';
import { pyautoguiKeys } from '../pyautogui/keyNames.js';
import { notchesOf, scrollsOf } from '../wheel.js';

/*
 * The arguments of Qwen3-VL's function `computer_use` (QwenLM/Qwen3-VL, cookbooks/utils/agent_function_call.py).
 * Coordinates are 0..1000 of the screenshot, as in the cookbook. An amount of scrolling is in notches and keys have
 * pyautogui's names, because OSWorld's agent passes both to pyautogui.
 */

type Arguments = Readonly<Record<string, unknown>>;

const parameters: Readonly<Record<string, readonly string[]>> = {
  key: ['keys'],
  type: ['text'],
  mouse_move: ['coordinate'],
  left_click: ['coordinate'],
  left_click_drag: ['coordinate'],
  right_click: ['coordinate'],
  middle_click: ['coordinate'],
  double_click: ['coordinate'],
  triple_click: ['coordinate'],
  scroll: ['coordinate', 'pixels'],
  hscroll: ['coordinate', 'pixels'],
  wait: ['time'],
  terminate: ['status'],
  answer: ['text'],
};

/** @throws GyreError `bad_input` for an action that the function lacks, or an unknown key. */
export function printComputerUse(action: AgentAction, index: number): Arguments[] {
  switch (action.type) {
    case 'click':
      return [{ action: 'left_click', coordinate: coordinateOf(action.point) }];
    case 'right_click':
    case 'middle_click':
    case 'double_click':
    case 'mouse_move':
      return [{ action: action.type, coordinate: coordinateOf(action.point) }];
    case 'drag':
      return [
        { action: 'mouse_move', coordinate: coordinateOf(action.start) },
        { action: 'left_click_drag', coordinate: coordinateOf(action.end) },
      ];
    case 'scroll': {
      const isAcross = action.direction === 'left' || action.direction === 'right';
      const place = action.point && { coordinate: coordinateOf(action.point) };
      return [{ action: isAcross ? 'hscroll' : 'scroll', ...place, pixels: notchesOf(action.direction) }];
    }
    case 'type':
      return [{ action: 'type', text: action.text }];
    case 'hotkey':
      return [{ action: 'key', keys: pyautoguiKeys(action.keys) }];
    case 'wait':
      return [{ action: 'wait', ...(action.seconds !== undefined && { time: action.seconds }) }];
    case 'finished':
      return [
        action.answer === undefined
          ? { action: 'terminate', status: 'success' }
          : { action: 'answer', text: action.answer },
      ];
    case 'call_user':
      return [{ action: 'terminate', status: 'failure' }];
    default:
      throw inexpressibleAction('qwen3-vl', action, index);
  }
}

function coordinateOf(point: Point): [number, number] {
  const { x1000, y1000 } = toThousand(point);
  return [x1000, y1000];
}

/** A call that cannot be carried out. */
class Refusal extends Error {}

/** Collects the actions of a turn's calls. Clicks and drags without a start use the pointer. */
export class ComputerUseReader {
  readonly actions: Action[] = [];
  readonly notices: string[] = [];
  #pointer: Point | undefined;

  /** Adds a call's actions; returns why it cannot be carried out. */
  add(args: Arguments): string | undefined {
    try {
      this.#add(args);
      return undefined;
    } catch (error) {
      if (error instanceof Refusal) return error.message;
      throw error;
    }
  }

  #add(args: Arguments): void {
    const name = typeof args.action === 'string' ? args.action : refuse('computer_use needs an "action"');
    if (!Object.hasOwn(parameters, name)) refuse(`computer_use has no action "${shorten(name)}"`);
    for (const key of Object.keys(args)) {
      if (key !== 'action' && !parameters[name]!.includes(key))
        this.notices.push(`the parameter "${shorten(key)}" of ${name} was left out`);
    }
    for (const action of this.#actionsOf(name, args)) this.#push(name, action);
  }

  #actionsOf(name: string, args: Arguments): Action[] {
    switch (name) {
      case 'left_click':
        return this.#click('click', 'left', args);
      case 'right_click':
        return this.#click('right_click', 'right', args);
      case 'middle_click':
        return this.#click('middle_click', 'middle', args);
      case 'triple_click':
        this.notices.push('triple_click was read as double_click');
        return [{ type: 'double_click', point: this.#place(args) ?? refuse(`${name} needs "coordinate"`) }];
      case 'double_click':
      case 'mouse_move':
        return [{ type: name, point: this.#place(args) ?? refuse(`${name} needs "coordinate"`) }];
      case 'left_click_drag':
        return this.#drag(args);
      case 'scroll':
      case 'hscroll':
        return scrollsOf(amountOf(args), name === 'hscroll', pointOf(args));
      case 'type':
        return [{ type: 'type', text: textOf(name, args) }];
      case 'key':
        return [{ type: 'hotkey', keys: keysIn(args.keys) }];
      case 'wait':
        return [{ type: 'wait', ...(args.time !== undefined && { seconds: secondsOf(args.time) }) }];
      case 'answer':
        return [{ type: 'finished', answer: textOf(name, args) }];
      default:
        return this.#end(args);
    }
  }

  #click(type: 'click' | 'right_click' | 'middle_click', button: MouseButton, args: Arguments): Action[] {
    const point = this.#place(args);
    if (point !== undefined) return [{ type, point }];
    return [
      { type: 'mouse_down', button },
      { type: 'mouse_up', button },
    ];
  }

  #drag(args: Arguments): Action[] {
    const start = this.#pointer;
    const end = pointOf(args) ?? refuse('left_click_drag needs "coordinate"');
    if (start === undefined) return [{ type: 'mouse_down' }, { type: 'mouse_move', point: end }, { type: 'mouse_up' }];
    if (this.actions.at(-1)?.type === 'mouse_move') this.actions.pop();
    return [{ type: 'drag', start, end }];
  }

  #end({ status }: Arguments): Action[] {
    if (status === 'failure') return [{ type: 'call_user' }];
    if (status !== 'success') refuse('"status" of terminate must be success or failure');
    return this.actions.at(-1)?.type === 'finished' ? [] : [{ type: 'finished' }];
  }

  /** Returns the call's point, or where a call before it left the pointer. */
  #place(args: Arguments): Point | undefined {
    const point = pointOf(args);
    if (point !== undefined || this.#pointer === undefined) return point;
    if (this.actions.at(-1)?.type === 'mouse_move') this.actions.pop();
    return this.#pointer;
  }

  #push(name: string, action: Action): void {
    const checked = AgentAction.safeParse(action);
    if (!checked.success) refuse(`${name}: ${checked.error.issues[0]?.message ?? 'it matches no schema'}`);
    this.actions.push(action);
    if ('point' in action && action.point) this.#pointer = action.point;
    if (action.type === 'drag') this.#pointer = action.end;
  }
}

const thousand = { width: 1000, height: 1000 };

function pointOf({ coordinate }: Arguments): Point | undefined {
  if (coordinate === undefined || coordinate === null) return undefined;
  const text = typeof coordinate === 'string' ? coordinate : JSON.stringify(coordinate);
  return (
    parsePoint(text, thousand) ??
    refuse(`"coordinate" must be two numbers from 0 to 1000, such as [500, 500], not "${shorten(text)}"`)
  );
}

function amountOf({ action, pixels }: Arguments): number {
  const amount = typeof pixels === 'string' ? Number(pixels) : pixels;
  const isAmount = typeof amount === 'number' && Number.isFinite(amount) && amount !== 0;
  return isAmount ? amount : refuse(`"pixels" of ${String(action)} must be a number other than 0`);
}

function textOf(name: string, { text }: Arguments): string {
  return typeof text === 'string' ? text : refuse(`${name} needs a "text"`);
}

function secondsOf(time: unknown): number {
  const seconds = typeof time === 'string' ? readSeconds(time) : time;
  return typeof seconds === 'number' ? seconds : refuse('"time" of wait must be a number of seconds');
}

const isKey = (name: string): boolean => keyName(name) !== undefined;
const maxKeys = 5;

function keysIn(keys: unknown): string {
  const list: unknown[] = Array.isArray(keys) ? keys : [keys];
  const names = list.flatMap((key) =>
    typeof key === 'string' ? splitKeys(key, isKey) : refuse('"keys" of key must be texts'),
  );
  if (names.length < 1 || names.length > maxKeys) refuse(`"keys" of key must be one to ${maxKeys}`);
  return names.map((name) => keyName(name) ?? refuse(`there is no key "${shorten(name)}"`)).join(' ');
}

function refuse(message: string): never {
  throw new Refusal(message);
}
